"""Terrain costs: known answers from scipy's Dijkstra, for both engines."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import coo_array
from scipy.sparse.csgraph import dijkstra as scipy_dijkstra

from sailplan.core import Policy, search
from sailplan.core.search import EngineName
from sailplan.graphs import EdgeStatus, GridGraph, Problem, grid_problem
from sailplan.graphs.grid import World
from sailplan.policies import a_star, dijkstra, optimistic
from sailplan.testing import check_result
from tests.strategies import ALL_MOVES


@st.composite
def terrain_problems(draw: st.DrawFn) -> Problem:
    shape = draw(st.integers(1, 14)), draw(st.integers(1, 14))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    blocked = rng.random(shape) < draw(st.sampled_from((0.0, 0.2, 0.4)))
    blocked[0, 0] = blocked[-1, -1] = False
    spread = draw(st.sampled_from((0.0, 1.0, 50.0)))
    costs = 1.0 + spread * rng.random(shape)
    return grid_problem(World(blocked, name="terrain", costs=costs), moves=draw(st.sampled_from(ALL_MOVES)))


def least_cost(problem: Problem) -> float:
    """The cost of a cheapest path by scipy, over the edges that are valid and cost length x mean of the cell costs."""
    graph = problem.graph
    assert isinstance(graph, GridGraph)
    costs = graph.world.costs
    assert costs is not None
    terrain = costs.reshape(-1)
    rows, columns, lengths = [], [], []
    for vertex in range(graph.vertex_count):
        (x, y), targets = graph.cell(vertex), graph.successors(vertex)[0]
        for target, status in zip(targets, graph.evaluate(vertex, targets), strict=True):
            if EdgeStatus(status).valid:
                to_x, to_y = graph.cell(target)
                length = 1.0 if x == to_x or y == to_y else graph.moves.diagonal_cost
                rows.append(vertex)
                columns.append(target)
                lengths.append(length * (terrain[vertex] + terrain[target]) / 2)
    matrix = coo_array((lengths, (rows, columns)), shape=(graph.vertex_count,) * 2).tocsr()
    return float(scipy_dijkstra(matrix, indices=problem.start)[problem.goal])


@settings(max_examples=60)
@given(terrain_problems())
@pytest.mark.parametrize("engine", ["reference", "compiled"])
@pytest.mark.parametrize("policy", [dijkstra(), a_star("octile")], ids=["dijkstra", "a_star_octile"])
def test_optimal_policies_stay_optimal(engine: EngineName, policy: Policy, problem: Problem) -> None:
    result = search(problem, policy, engine=engine)
    check_result(problem, result)
    assert result.cost == pytest.approx(least_cost(problem))


@settings(max_examples=30)
@given(terrain_problems())
def test_both_engines_take_the_same_steps(problem: Problem) -> None:
    for policy in (dijkstra(), a_star("octile"), optimistic()):
        slow, fast = (search(problem, policy, engine=engine) for engine in ("reference", "compiled"))
        assert slow.trace.expanded.tolist() == fast.trace.expanded.tolist()
        assert (slow.cost, slow.path) == (fast.cost, fast.path)


def test_a_detour_round_mud() -> None:
    costs = np.ones((3, 5))
    costs[1, 1:4] = 9.0
    free = np.zeros((3, 5), np.bool_)
    problem = grid_problem(World(free, costs=costs), (0, 1), (4, 1))
    result = search(problem, a_star("octile"))
    assert [x for x, _ in problem.states(result.path)] == [0, 1, 2, 3, 4]
    assert [y for _, y in problem.states(result.path)] in ([1, 0, 0, 0, 1], [1, 2, 2, 2, 1])
    assert result.cost == pytest.approx(2 + 2 * np.sqrt(2))
    assert search(grid_problem(World(free), (0, 1), (4, 1)), a_star("octile")).cost == 4.0
