"""Lazy search on compiled graphs that register only what every compiled graph must."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sailplan.core import Limits, open_search, search
from sailplan.core.graph import Problem
from sailplan.core.search import EngineName
from sailplan.graphs import ExplicitGraph
from sailplan.policies import LazyPolicy
from sailplan.testing import check_result
from tests.naive.dijkstra import cost_to_go
from tests.naive.lazy import NaiveLazySearch
from tests.plain_graphs import PlainGraph, distances_to, plain_problems
from tests.policies.lazy.test_policy import BOUNDS, POLICIES, SEEDS, SELECTOR
from tests.same import assert_same_result, assert_same_state


@settings(max_examples=150)
@given(drawn=plain_problems(25), policy=POLICIES)
def test_the_cost_never_exceeds_the_bound(drawn: tuple[Problem, ExplicitGraph], policy: LazyPolicy) -> None:
    problem, graph = drawn
    optimum = cost_to_go(graph, range(graph.vertex_count), problem.goal).get(problem.start, math.inf)
    result = search(problem, policy)
    check_result(problem, result)
    assert result.found == math.isfinite(optimum)
    if result.found and math.isfinite(policy.bound):
        assert result.bound == policy.bound
        assert result.cost <= policy.bound * optimum * (1 + 1e-9) + 1e-12


@settings(max_examples=100)
@given(drawn=plain_problems(25), policy=POLICIES, budget=st.one_of(st.none(), st.integers(0, 40)), bound=BOUNDS)
def test_the_engines_agree(
    drawn: tuple[Problem, ExplicitGraph], policy: LazyPolicy, budget: int | None, bound: float
) -> None:
    sessions = [open_search(drawn[0], policy, engine=engine) for engine in ("reference", "compiled")]
    for limits in (Limits(evaluations=budget), Limits(bound=bound), Limits()):
        results = [session.run(limits) for session in sessions]
        assert_same_result(*results)
        assert results[0].bound == results[1].bound
        assert_same_state(sessions[0].state, sessions[1].state)
        assert sessions[0].lower_bound() == sessions[1].lower_bound()


@pytest.mark.parametrize("engine", ["reference", "compiled"])
@settings(max_examples=60)
@given(seed=SEEDS, bound=BOUNDS, selector=SELECTOR, batch=st.sampled_from([1, 3]), bounded=st.booleans())
def test_like_the_definition(
    engine: EngineName, seed: int, bound: float, selector: str, batch: int, bounded: bool
) -> None:
    rng = np.random.default_rng(seed)
    count = int(rng.integers(2, 16))
    # Random costs, so that no two paths have the same length.
    pairs = [(a, b) for a in range(count) for b in range(count) if a != b and rng.random() < 0.35]
    edges = [(a, b, float(rng.uniform(0.1, 1.0))) for a, b in pairs]
    graph = ExplicitGraph.from_edges(count, edges, invalid_edges=[pair for pair in pairs if rng.random() < 0.4])
    naive = NaiveLazySearch(Problem(graph, 0, count - 1), 1.0 / bound, [1.0] * count, selector, batch)
    path = naive.run()
    plain = PlainGraph(graph, 0.9 * distances_to(graph, count - 1) if bounded else None)
    result = search(Problem(plain, 0, count - 1), LazyPolicy(bound, selector=selector, batch=batch), engine=engine)
    assert [tuple(edge) for edge in result.trace.evaluated.tolist()] == naive.evaluated
    if bound == 1.0:
        assert result.path == path
