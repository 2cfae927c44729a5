from __future__ import annotations

import math
import sys

import networkx as nx
import numpy as np
import pytest
from hypothesis import given

from sailplan.errors import GraphError
from sailplan.graphs import CallbackGraph, ExplicitGraph, GridGraph, Problem
from sailplan.oracle import cost_to_go, fewest_edges
from sailplan.testing import draw_problem
from tests.naive import dijkstra as naive
from tests.strategies import explicit_problems, grid_problems

Point = tuple[int, int]


@given(grid_problems(15, 15))
def test_grids_as_networkx_solves_them(drawn: tuple[Problem, GridGraph]) -> None:
    problem, graph = drawn
    free = np.flatnonzero(~graph.world.blocked).tolist()
    expected = naive.cost_to_go(graph, free, problem.goal)
    found = cost_to_go(problem)
    assert np.flatnonzero(np.isfinite(found)).tolist() == sorted(expected)
    assert {vertex: found[vertex] for vertex in expected} == pytest.approx(expected, rel=1e-12)


@given(explicit_problems())
def test_explicit_graphs_as_networkx_solves_them(drawn: tuple[Problem, ExplicitGraph]) -> None:
    problem, graph = drawn
    expected = naive.cost_to_go(graph, range(graph.vertex_count), problem.goal)
    found = cost_to_go(problem)
    assert np.flatnonzero(np.isfinite(found)).tolist() == sorted(expected)
    assert {vertex: found[vertex] for vertex in expected} == pytest.approx(expected, rel=1e-12)


@given(grid_problems(15, 15))
def test_the_fewest_edges_on_grids_as_networkx_counts_them(drawn: tuple[Problem, GridGraph]) -> None:
    problem, graph = drawn
    valid = naive.valid_edges(graph, np.flatnonzero(~graph.world.blocked).tolist())
    assert fewest_edges(problem) == _fewest(valid, problem)


@given(explicit_problems())
def test_the_fewest_edges_as_networkx_counts_them(drawn: tuple[Problem, ExplicitGraph]) -> None:
    problem, graph = drawn
    assert fewest_edges(problem) == _fewest(naive.valid_edges(graph, range(graph.vertex_count)), problem)


def _fewest(valid: nx.DiGraph, problem: Problem) -> float:
    if not nx.has_path(valid, problem.start, problem.goal):
        return math.inf
    return float(nx.shortest_path_length(valid, problem.start, problem.goal))


def test_blocked_and_walled_off_cells_are_infinitely_far() -> None:
    found = cost_to_go(draw_problem("S.#..\n..#.G"))
    assert found.reshape(2, 5).tolist() == [
        [math.inf, math.inf, math.inf, 1.0, 0.0],
        [math.inf, math.inf, math.inf, math.sqrt(2.0), 1.0],
    ]


def test_vertices_beyond_the_limit_are_infinitely_far() -> None:
    problem = draw_problem("S...G")
    assert cost_to_go(problem, limit=2.0).tolist() == [math.inf, math.inf, 2.0, 1.0, 0.0]
    assert cost_to_go(problem, limit=0.0).tolist() == [math.inf] * 4 + [0.0]


def test_edges_are_followed_backward() -> None:
    graph = ExplicitGraph.from_edges(3, [(0, 1, 1.0), (1, 2, 2.0), (2, 0, 4.0)])
    assert cost_to_go(Problem(graph, 0, 2)).tolist() == [3.0, 2.0, 0.0]


def test_the_queue_grows_where_paths_get_cheaper_again_and_again() -> None:
    layers = 30
    chain = [(index + 1, index, 1.0) for index in range(layers - 1)]
    fans = [(layers + last, index, 1e6 - 1000.0 * index) for index in range(layers) for last in range(layers)]
    problem = Problem(ExplicitGraph.from_edges(2 * layers, chain + fans), 0, 0)
    cheapest = min(index + 1e6 - 1000.0 * index for index in range(layers))
    assert cost_to_go(problem).tolist() == [float(index) for index in range(layers)] + [cheapest] * layers


def _within(state: Point) -> list[tuple[Point, float]]:
    x, y = state
    around = [(x + 1, y), (x, y + 1), (x - 1, y), (x, y - 1)]
    return [(cell, 1.0) for cell in around if 0 <= cell[0] < 6 and 0 <= cell[1] < 6]


def test_a_graph_of_callbacks_is_explored_first() -> None:
    graph = CallbackGraph(_within, lambda here, there: there[0] != 3 or there[1] == 5)
    problem = graph.problem((0, 0), (5, 0))
    found = cost_to_go(problem)
    assert found[[graph.vertex(state) for state in ((0, 0), (3, 5), (5, 0))]].tolist() == [15.0, 7.0, 0.0]
    assert found[graph.vertex((3, 2))] == math.inf


def test_vertices_out_of_reach_of_the_start_are_infinitely_far() -> None:
    graph = CallbackGraph({"a": [("b", 1.0)], "b": [], "c": [("b", 1.0)]}.__getitem__)
    graph.vertex("c")
    problem = graph.problem("a", "b")
    assert cost_to_go(problem).tolist() == [math.inf, 1.0, 0.0]
    assert cost_to_go(graph.problem("b", "a")).tolist() == [math.inf, 0.0, math.inf]


def test_a_graph_without_end_is_refused() -> None:
    graph = CallbackGraph(lambda state: [(state + 1, 1.0)])
    with pytest.raises(GraphError, match=r"^counting: more than 500 vertices are reachable, too many for the oracle$"):
        cost_to_go(graph.problem(0, 3, name="counting"), max_vertices=500)


def test_a_graph_too_large_for_the_queue_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = draw_problem("S...G")
    monkeypatch.setattr(sys.modules["sailplan.oracle.cost_to_go"], "VERTEX_BITS", 2)
    with pytest.raises(GraphError, match=r"^the graph has 5 vertices, more than 4$"):
        cost_to_go(problem)
