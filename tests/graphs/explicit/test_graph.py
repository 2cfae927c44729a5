from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sailplan.core import open_search, search
from sailplan.core.search import EngineName
from sailplan.errors import GraphError
from sailplan.graphs import EdgeStatus, ExplicitGraph, Problem
from sailplan.graphs.explicit.graph import edge_codes
from sailplan.oracle import cost_to_go
from sailplan.policies import a_star, load_policy
from sailplan.policies.lazy import LazyPolicy
from sailplan.testing import check_graph
from tests.strategies import explicit_problems

EDGES = [(2, 0, 5.0), (0, 2, 1.5), (0, 1, 1.0), (1, 1, 0.0)]


def test_successors_come_in_the_order_the_edges_were_given() -> None:
    graph = ExplicitGraph.from_edges(4, EDGES)
    assert graph.successors(0) == ([2, 1], [1.5, 1.0])
    assert graph.successors(1) == ([1], [0.0])
    assert graph.successors(3) == ([], [])
    assert (graph.vertex_count, graph.max_degree) == (4, 2)


def test_what_is_invalid() -> None:
    graph = ExplicitGraph.from_edges(3, EDGES, invalid_edges=[(0, 1)], invalid_vertices=[0])
    assert graph.evaluate(0, [1, 2]) == [EdgeStatus.INVALID_EDGE, EdgeStatus.VALID]
    assert graph.evaluate(2, [0]) == [EdgeStatus.INVALID_TARGET]
    assert graph.evaluate(1, [1]) == [EdgeStatus.VALID]


def test_an_invalid_vertex_outweighs_an_invalid_edge_into_it() -> None:
    graph = ExplicitGraph.from_edges(2, [(0, 1, 1.0)], invalid_edges=[(0, 1)], invalid_vertices=[1])
    assert graph.evaluate(0, [1]) == [EdgeStatus.INVALID_TARGET]


@given(explicit_problems(12))
def test_explicit_graphs_keep_the_contract(drawn: tuple[Problem, ExplicitGraph]) -> None:
    _, graph = drawn
    check_graph(graph, range(graph.vertex_count))


def test_turned_round_twice_is_the_same_graph() -> None:
    graph = ExplicitGraph.from_edges(3, EDGES, invalid_edges=[(0, 1)])
    turned = ExplicitGraph(graph.backward_arrays())
    assert turned.successors(1) == ([0, 1], [1.0, 0.0])
    assert turned.evaluate(1, [0, 1]) == [EdgeStatus.INVALID_EDGE, EdgeStatus.VALID]
    again = ExplicitGraph(turned.backward_arrays())
    for vertex in range(3):
        assert dict(zip(*again.successors(vertex), strict=True)) == dict(zip(*graph.successors(vertex), strict=True))


def test_a_graph_may_have_no_edge_or_no_vertex() -> None:
    assert ExplicitGraph.from_edges(0, []).vertex_count == 0
    lonely = Problem(ExplicitGraph.from_edges(2, [], coordinates=[[0.0], [1.0]]), 0, 1)
    for engine in ("compiled", "reference"):
        assert search(lonely, a_star(), engine=engine).outcome == "frontier_empty"
    assert cost_to_go(lonely).tolist() == [math.inf, 0.0]


@pytest.mark.parametrize(
    ("edges", "message"),
    [
        ([(0, 3, 1.0)], r"\[0.0, 3.0\] names a vertex outside 0 .. 2"),
        ([(0, 1, 1.0), (-1, 0, 1.0)], r"\[-1.0, 0.0\] names a vertex outside 0 .. 2"),
        ([(0, 0.5, 1.0)], "names a vertex outside"),
        ([(math.nan, 1, 1.0)], "names a vertex outside"),
        ([(0, 1, -1.0)], "edge 0 -> 1: its cost must be finite and not negative, got -1.0"),
        ([(0, 1, 1.0), (1, 2, math.nan)], "edge 1 -> 2: its cost must be finite and not negative, got nan"),
        ([(0, 1, math.inf)], "edge 0 -> 1: its cost must be finite and not negative, got inf"),
        ([(0, 1, 1.0), (0, 1, 2.0)], "an edge is given twice"),
        ([(0, 1), (1, 2), (2, 0)], r"edges must be rows of 3 numbers, got \(0, 1\)"),
        ([(0, 1, 1.0), (1, 2)], "edges must be rows of 3 numbers"),
        ([(0, 1, "dear")], "edges must be rows of 3 numbers: could not convert"),
        ([5], "edges must be rows of 3 numbers"),
    ],
)
def test_bad_edges_are_refused(edges: list[Any], message: str) -> None:
    with pytest.raises(GraphError, match=message):
        ExplicitGraph.from_edges(3, edges)


@pytest.mark.parametrize(
    ("invalid", "message"),
    [
        ({"invalid_edges": [(0, 4)]}, r"\[0.0, 4.0\] names a vertex outside 0 .. 2"),
        ({"invalid_edges": [(0, 1, 1.0)]}, "invalid_edges must be rows of 2 numbers"),
        ({"invalid_vertices": [3]}, r"\[3.0\] names a vertex outside 0 .. 2"),
        ({"invalid_vertices": [(0, 1)]}, "invalid_vertices must be rows of 1 numbers"),
    ],
)
def test_bad_lists_of_what_is_invalid_are_refused(invalid: dict[str, Any], message: str) -> None:
    with pytest.raises(GraphError, match=message):
        ExplicitGraph.from_edges(3, EDGES, **invalid)


@pytest.mark.parametrize(
    "coordinates",
    [
        [0.0, 1.0, 2.0],
        [[0.0], [1.0]],
        [[0.0], [1.0], [math.nan]],
        [[0.0], [1.0], [2.0, 3.0]],
        [["a"], ["b"], ["c"]],
        7.0,
    ],
)
def test_bad_coordinates_are_refused(coordinates: Any) -> None:
    with pytest.raises(GraphError, match="coordinates must be"):
        ExplicitGraph.from_edges(3, EDGES, coordinates=coordinates)


def test_without_coordinates_a_policy_that_wants_them_is_told_so() -> None:
    graph = ExplicitGraph.from_edges(3, EDGES)
    for engine in ("auto", "compiled", "reference"):
        with pytest.raises(GraphError, match="this graph has no coordinates"):
            search(Problem(graph, 0, 2), a_star(), engine=engine)


def test_later_changes_to_the_coordinates_given_change_nothing() -> None:
    places = np.zeros((3, 2))
    graph = ExplicitGraph.from_edges(3, EDGES, coordinates=places)
    places[:] = 9.0
    assert not graph.coordinates([0, 1, 2]).any()


@pytest.mark.parametrize("engine", ["reference", "compiled"])
@pytest.mark.parametrize("selector", ["forward", "backward", "alternate"])
def test_an_undirected_edge_is_evaluated_once(engine: EngineName, selector: str) -> None:
    # A ladder, whose middle edges are found from both sides.
    edges = [(0, 1, 1.0), (1, 2, 1.0), (3, 4, 1.1), (4, 5, 1.1), (0, 3, 0.5), (1, 4, 0.5), (2, 5, 0.5)]
    invalid = {(1, 2), (0, 3)}
    asked: list[tuple[int, int]] = []

    def evaluate(sources: list[int], targets: list[int]) -> list[bool]:
        asked.extend(zip(sources, targets, strict=True))
        return [not {(a, b), (b, a)} & invalid for a, b in zip(sources, targets, strict=True)]

    graph = ExplicitGraph.from_edges(6, edges, undirected=True, evaluate_edges=evaluate)
    assert (graph.edge_count, graph.row_count) == (7, 14)
    run = open_search(Problem(graph, 2, 0), LazyPolicy(1.0, selector=selector), engine=engine)
    result = run.run()
    assert result.path == (2, 5, 4, 1, 0)
    unordered = [tuple(sorted(edge)) for edge in asked]
    assert len(set(unordered)) == len(unordered) == result.edge_evaluations
    both_ways = {(a, b) for edge in invalid for a, b in (edge, edge[::-1]) if edge in unordered}
    assert {tuple(edge) for edge in run.state.invalid_edges.tolist()} == both_ways


def test_an_undirected_edge_given_in_both_directions_is_refused() -> None:
    with pytest.raises(GraphError, match="given twice"):
        ExplicitGraph.from_edges(2, [(0, 1, 1.0), (1, 0, 1.0)], undirected=True)


def test_edges_may_be_an_array() -> None:
    table = np.array([[0, 1, 1.0], [1, 2, 2.0]])
    assert ExplicitGraph.from_edges(3, table).successors(1) == ([2], [2.0])
    with pytest.raises(GraphError, match="rows of 3 numbers"):
        ExplicitGraph.from_edges(3, table[:, :2])


@pytest.mark.parametrize("count", [-1, 0.5, 2**31, 10**400, None])
def test_what_is_no_number_of_vertices_is_refused(count: Any) -> None:
    with pytest.raises(GraphError, match=r"^the number of vertices must be an integer of 0 to 2147483647$"):
        ExplicitGraph.from_edges(count, [])


@pytest.mark.parametrize("edges", [[(0, 1, 10**400)], [(0, 10**400, 1.0)], None, [None], 7])
def test_what_is_no_table_of_edges_is_refused(edges: Any) -> None:
    with pytest.raises(GraphError, match=r"^edges must be rows of 3 numbers"):
        ExplicitGraph.from_edges(3, edges)


def test_codes_of_edges_of_huge_graphs_are_exact() -> None:
    # As numbers of type float64 the first two are equal.
    last = 10**8 - 1
    edges = np.array([(last, last - 1, 1.0), (last, last, 1.0), (last - 1, last, 1.0)])
    codes = edge_codes(edges, 10**8)
    assert codes.tolist() == [last * 10**8 + last - 1, last * 10**8 + last, (last - 1) * 10**8 + last]


def test_larger_costs_than_can_be_summed_are_refused() -> None:
    with pytest.raises(GraphError, match=r"^edge 0 -> 1: its cost must be not negative and at most 1e\+100$"):
        ExplicitGraph.from_edges(2, [(0, 1, 1.7e308)])
    graph = ExplicitGraph.from_edges(3, [(0, 1, 1e100), (1, 2, 1e100)], coordinates=[[0.0], [1e100], [-1e100]])
    result = search(Problem(graph, 0, 2), load_policy("weighted_a_star:1e100"), engine="reference")
    assert (result.cost, result.non_finite_scores) == (2e100, 0)


@given(drawn=st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), unique=True, max_size=20))
def test_edges_are_sorted_by_their_sources_and_keep_their_order(drawn: list[tuple[int, int]]) -> None:
    graph = ExplicitGraph.from_edges(6, [(source, target, 1.0) for source, target in drawn])
    for vertex in range(6):
        assert graph.successors(vertex)[0] == [target for source, target in drawn if source == vertex]
