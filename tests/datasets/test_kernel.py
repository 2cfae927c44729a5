from __future__ import annotations

from hypothesis import given

from sailplan.datasets.kernel import connected
from sailplan.graphs import PAPER_MOVES, GridGraph, Problem
from sailplan.testing import draw_world
from tests.naive.dijkstra import cost_to_go
from tests.strategies import grid_problems


@given(grid_problems(12, 12, [PAPER_MOVES]))
def test_like_a_search_for_a_path(drawn: tuple[Problem, GridGraph]) -> None:
    problem, graph = drawn
    reaching = cost_to_go(graph, range(graph.vertex_count), problem.goal)
    ends = (*graph.cell(problem.start), *graph.cell(problem.goal))
    assert connected(graph.world.blocked, *ends) == (problem.start in reaching)


def test_a_blocked_end_is_joined_to_nothing() -> None:
    world = draw_world("#..")
    assert not connected(world.blocked, 0, 0, 2, 0)
    assert not connected(world.blocked, 2, 0, 0, 0)
    assert not connected(world.blocked, 0, 0, 0, 0)
    assert connected(world.blocked, 1, 0, 2, 0)
