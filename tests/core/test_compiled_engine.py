from __future__ import annotations

import numpy as np
import pytest

from sailplan.core import CompiledForm, Limits, StopRule, open_search, search
from sailplan.core.compiled_engine import CompiledEngine
from sailplan.core.kernel.arrays import NON_FINITE_SCORES
from sailplan.datasets import World
from sailplan.graphs import MOVINGAI_MOVES, ExplicitGraph, Problem, grid_problem
from sailplan.policies import BestFirst, Key, a_star, dijkstra, mha_star
from sailplan.policies.keyed.kernel import TABLE, KeyArrays
from sailplan.policies.keyed.policy import BestFirst as Policy
from sailplan.testing import random_problem
from tests.same import assert_same_result, assert_same_state


def _same_in_both(problem: Problem, policy: Policy) -> None:
    reference, compiled = (open_search(problem, policy, engine=engine) for engine in ("reference", "compiled"))
    assert_same_result(reference.run(), compiled.run())
    assert_same_state(reference.state, compiled.state)


def _many_cheaper_paths(layers: int) -> Problem:
    """Pose a problem where each of the first vertices opens a cheaper path to each of the last ones."""
    chain = [(index, index + 1, 1.0) for index in range(layers - 1)]
    fans = [(index, layers + last, 1e6 - 1000.0 * index) for index in range(layers) for last in range(layers)]
    graph = ExplicitGraph.from_edges(2 * layers + 1, chain + fans)
    return Problem(graph, 0, 2 * layers)


def test_the_queue_grows_where_vertices_are_keyed_again_and_again() -> None:
    problem = _many_cheaper_paths(30)
    result = search(problem, dijkstra(), engine="compiled")
    assert result.policy_evaluations == 30 + 30 * 30
    _same_in_both(problem, dijkstra())


def test_the_queue_grows_in_a_search_by_steps() -> None:
    problem = _many_cheaper_paths(30)
    session = open_search(problem, dijkstra(), engine="compiled")
    for expansions in range(70):
        session.run(Limits(expansions=expansions))
    assert_same_result(session.run(), search(problem, dijkstra(), engine="reference"))


def test_the_log_of_invalid_edges_grows() -> None:
    blocked = np.zeros((80, 80), np.bool_)
    blocked[1:-1:2, 1:-1:2] = True
    problem = grid_problem(World(blocked), moves=MOVINGAI_MOVES)
    session = open_search(problem, dijkstra(), engine="compiled")
    session.run()
    assert len(session.state.invalid_edges) > 4096
    _same_in_both(problem, dijkstra())


def test_a_vertex_with_more_edges_than_the_log_has_room_for() -> None:
    edges = [(0, target, 1.0) for target in range(1, 3000)]
    graph = ExplicitGraph.from_edges(3000, edges, invalid_edges=[(0, target) for target in range(1, 2999)])
    _same_in_both(Problem(graph, 0, 2999), dijkstra())


@pytest.mark.parametrize("shape", [(1, 70_000), (70_000, 1), (2, 66_000)])
def test_wide_and_tall_worlds(shape: tuple[int, int]) -> None:
    result = search(grid_problem(World(np.zeros(shape, np.bool_))), a_star("octile"), engine="compiled")
    long, short = max(shape) - 1, min(shape) - 1
    assert result.cost == pytest.approx(long - short + short * np.sqrt(2.0), rel=1e-12)
    assert len(result.path) == long + 1


def test_obstacles_may_be_farther_than_any_number_that_stands_for_none() -> None:
    places = [[0.0], [5e9], [9e9], [8e9], [1e10]]
    graph = ExplicitGraph.from_edges(
        5, [(0, 4, 1.0), (0, 1, 1.0), (0, 2, 1.0), (0, 3, 1.0)], coordinates=places, invalid_vertices=[4]
    )
    problem, policy = Problem(graph, 0, 4), BestFirst((Key("obstacle"),))
    assert search(problem, policy, engine="reference").trace.expanded.tolist() == [0, 2, 3, 1]
    _same_in_both(problem, policy)


def test_read_only_and_writable_arrays_are_searched_alike() -> None:
    graph = ExplicitGraph.from_edges(3, [(0, 1, 1.0), (1, 2, 1.0)], coordinates=[[0.0], [1.0], [2.0]])
    expected = search(Problem(graph, 0, 2), a_star(), engine="compiled")
    for array in graph.rows:
        array.flags.writeable = False
    assert_same_result(search(Problem(graph, 0, 2), a_star(), engine="compiled"), expected)


def test_keys_that_are_not_finite_come_last_and_are_counted() -> None:
    graph = ExplicitGraph.from_edges(5, [(0, 1, 1.0), (0, 2, 1.0), (0, 3, 1.0)])

    def order(table: list[float]) -> tuple[list[int], int]:
        keys = KeyArrays(np.array([TABLE]), np.zeros(1), np.ones(1), np.array([table]))
        engine = CompiledEngine(Problem(graph, 0, 4), CompiledForm(keys), StopRule.GOAL_EXPANDED)
        engine.advance(10, None, np.inf)
        return engine.state.expanded.tolist(), int(engine.state.arrays.counts[NON_FINITE_SCORES])

    assert order([0.0, np.nan, 7.0, 5.0, 0.0]) == ([0, 3, 2, 1], 1)
    assert order([np.nan, -np.inf, np.inf, 5.0, 0.0]) == ([0, 3, 1, 2], 3)


def test_turns_go_on_where_they_stopped() -> None:
    problem = random_problem(np.random.default_rng(8), largest=40)
    session = open_search(problem, mha_star(), engine="compiled")
    for expansions in (1, 3, 4, 8):
        session.run(Limits(expansions=expansions))
    result = session.run()
    assert result.expansions > 20
    assert_same_result(result, search(problem, mha_star(), engine="compiled"))
