from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sailplan.core import Limits, Search, open_search
from sailplan.core.kernel.arrays import NO_VERTEX, NONE
from sailplan.core.search import EngineName
from sailplan.graphs import ExplicitGraph, GridGraph, Problem
from sailplan.policies import LazyPolicy
from sailplan.policies.steered import EdgeSteering, SteeredLazyPolicy
from sailplan.testing import draw_problem
from tests.same import assert_same_result, assert_same_state
from tests.strategies import explicit_problems, grid_problems

SEEDS = st.integers(0, 2**32 - 1)
BOUNDS = st.sampled_from([1.0, 1.5, float("inf")])
PLACES = st.integers(1, 6)
both_engines = pytest.mark.parametrize("engine", ["reference", "compiled"])


def _open(problem: Problem, places: int, bound: float, engine: EngineName) -> tuple[Search, EdgeSteering]:
    steering = EdgeSteering(places)
    return open_search(problem, SteeredLazyPolicy(steering, LazyPolicy(bound)), engine=engine), steering


def _assert_engines_agree(problem: Problem, places: int, bound: float, seed: int, steps: int = 40) -> None:
    reference, seen = _open(problem, places, bound, "reference")
    compiled, seen_by_kernel = _open(problem, places, bound, "compiled")
    rng = np.random.default_rng(seed)
    for search in (reference, compiled):
        search.list_candidates()
    for step in range(1, steps):
        assert seen.candidates.tolist() == seen_by_kernel.candidates.tolist()
        assert seen.facts.tolist() == seen_by_kernel.facts.tolist()
        # Now and then one that is not there, or none: then the first edge is evaluated.
        seen.choice[0] = seen_by_kernel.choice[0] = rng.integers(-1, places + 1)
        if rng.random() < 0.2:
            for search in (reference, compiled):
                search.advance(Limits(evaluations=len(search.state.evaluated)))
        assert reference.advance(Limits(evaluations=step)) == compiled.advance(Limits(evaluations=step))
    assert_same_result(reference.run(), compiled.run())
    assert_same_state(reference.state, compiled.state)


@settings(max_examples=40)
@given(drawn=grid_problems(12, 15), places=PLACES, bound=BOUNDS, seed=SEEDS)
def test_the_engines_agree_on_grids(drawn: tuple[Problem, GridGraph], places: int, bound: float, seed: int) -> None:
    _assert_engines_agree(drawn[0], places, bound, seed)


@settings(max_examples=40)
@given(drawn=explicit_problems(30), places=PLACES, bound=BOUNDS, seed=SEEDS)
def test_the_engines_agree_on_explicit_graphs(
    drawn: tuple[Problem, ExplicitGraph], places: int, bound: float, seed: int
) -> None:
    _assert_engines_agree(drawn[0], places, bound, seed)


@both_engines
@settings(max_examples=30)
@given(drawn=grid_problems(10, 12), places=PLACES, bound=BOUNDS, seed=SEEDS)
def test_the_chosen_edge_is_evaluated_and_the_bound_is_kept(
    engine: EngineName, drawn: tuple[Problem, GridGraph], places: int, bound: float, seed: int
) -> None:
    problem, _ = drawn
    search, steering = _open(problem, places, bound, engine)
    rng = np.random.default_rng(seed)
    search.list_candidates()
    while (listed := np.flatnonzero(steering.candidates[:, 0] != NO_VERTEX)).size:
        choice = int(rng.choice(listed))
        edge = steering.candidates[choice].tolist()
        steering.choice[0] = choice
        search.advance(Limits(evaluations=len(search.state.evaluated) + 1))
        assert search.state.evaluated[-1, :2].tolist() == edge
    result, alone = search.run(), open_search(problem, LazyPolicy(bound)).run()
    assert result.outcome == alone.outcome
    assert result.outcome.final
    assert result.bound == alone.bound
    shortest = open_search(problem, LazyPolicy(1.0)).run().cost
    assert not result.found or math.isinf(bound) or result.cost <= bound * shortest * (1 + 1e-9)


@both_engines
def test_left_alone_it_takes_the_first_edge(engine: EngineName) -> None:
    problem = draw_problem("..#G\n.##.\n....\nS#..")
    search, steering = _open(problem, 3, 1.0, engine)
    search.list_candidates()
    assert_same_result(search.run(), open_search(problem, LazyPolicy(1.0), engine=engine).run())
    assert steering.choice[0] == NONE


@both_engines
def test_many_edges_are_listed_at_equal_distances(engine: EngineName) -> None:
    search, steering = _open(draw_problem("S" + "." * 9 + "G"), 4, 1.0, engine)
    search.list_candidates()
    assert steering.candidates.tolist() == [[0, 1], [3, 4], [6, 7], [9, 10]]
    assert steering.facts[:, 0].tolist() == [0.0, 3.0, 6.0, 9.0]
    assert steering.facts[:, 1].tolist() == [10.0] * 4


@both_engines
def test_a_checker_in_python_is_asked_for_the_chosen_edges_only(engine: EngineName) -> None:
    asked: list[tuple[int, int]] = []

    def evaluate(sources: list[int], targets: list[int]) -> list[bool]:
        asked.extend(zip(sources, targets, strict=True))
        return [True] * len(sources)

    edges = [(vertex, vertex + 1, 1.0) for vertex in range(3)]
    graph = ExplicitGraph.from_edges(4, edges, evaluate_edges=evaluate)
    search, steering = _open(Problem(graph, 0, 3), 3, 1.0, engine)
    search.list_candidates()
    assert asked == []
    for step, choice in enumerate((1, 1, 0), 1):
        steering.choice[0] = choice
        search.advance(Limits(evaluations=step))
    assert search.state.evaluated[:, :2].tolist() == [[1, 2], [2, 3], [0, 1]]
    assert asked == [(1, 2), (2, 3), (0, 1)]


@both_engines
def test_another_bound_can_be_set_later(engine: EngineName) -> None:
    problem = draw_problem("...G\n.##.\n.##.\nS...")
    search, _ = _open(problem, 2, float("inf"), engine)
    search.run()
    assert search.run(Limits(bound=1.0)).bound == 1.0
