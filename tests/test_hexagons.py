"""Replanning and lazy search run on the graph of an example, which the package does not know."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sailplan.core import Problem, StopRule, search
from sailplan.policies import LazyPolicy, load_policy
from sailplan.policies.replanning.beliefs import Optimistic
from tests.naive.lazy import NaiveLazySearch
from tests.policies.replanning.test_policy import Naive
from tests.same import assert_same_result


@pytest.fixture
def hexagons(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(Path(__file__).parents[1] / "examples")
    return importlib.import_module("hexagons")


def _problem(hexagons: Any, seed: int) -> Problem:
    rng = np.random.default_rng(seed)
    side = int(rng.integers(2, 13))
    blocked = rng.random((side, side)) < 0.25
    blocked[0, 0] = blocked[-1, -1] = False
    return Problem(hexagons.HexGraph(blocked), 0, side * side - 1, name="hexagons")


def test_replanning_like_all_distances_from_scratch(hexagons: Any) -> None:
    for seed in range(25):
        problem = _problem(hexagons, seed)
        naive = search(problem, Naive(Optimistic()), stop=StopRule.GOAL_EXPANDED)
        results = [
            search(problem, load_policy("optimistic"), stop=StopRule.GOAL_EXPANDED, engine=engine)
            for engine in ("reference", "compiled")
        ]
        assert_same_result(*results)
        assert results[0].trace.expanded.tolist() == naive.trace.expanded.tolist()


def test_lazy_search_is_optimal_with_a_bound_of_one(hexagons: Any) -> None:
    for seed in range(25):
        problem = _problem(hexagons, seed)
        results = [search(problem, LazyPolicy(1.0), engine=engine) for engine in ("reference", "compiled")]
        assert_same_result(*results)
        assert results[0].cost == search(problem, load_policy("dijkstra")).cost
        any_path = [search(problem, LazyPolicy(), engine=engine) for engine in ("reference", "compiled")]
        assert_same_result(*any_path)
        naive = NaiveLazySearch(problem, 1.0, [1.0] * problem.graph.vertex_count, "forward", 1)  # type: ignore[attr-defined]
        assert len(naive.run()) == len(results[0].path)
        assert any_path[0].found == results[0].found
