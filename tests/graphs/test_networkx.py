from __future__ import annotations

import math
from typing import Any

import networkx as nx
import pytest

from sailplan.core import search
from sailplan.errors import GraphError, ProblemError
from sailplan.graphs import EdgeStatus, from_networkx
from sailplan.graphs.networkx import NetworkxGraph
from sailplan.policies import a_star, dijkstra
from sailplan.testing import check_graph


def _edges(graph: NetworkxGraph) -> dict[tuple[Any, Any], tuple[float, int]]:
    """Return cost and status of every edge, by the nodes at its ends."""
    found = {}
    for vertex, node in enumerate(graph.nodes):
        targets, costs = graph.successors(vertex)
        statuses = graph.evaluate(vertex, targets)
        for target, cost, status in zip(targets, costs, statuses, strict=True):
            found[node, graph.nodes[target]] = cost, status
    return found


def test_a_directed_graph_keeps_its_directions() -> None:
    source = nx.DiGraph()
    source.add_edge("a", "b", weight=2)
    source.add_edge("b", "c", weight=3.5, valid=False)
    assert _edges(from_networkx(source)) == {("a", "b"): (2.0, 0), ("b", "c"): (3.5, EdgeStatus.INVALID_EDGE)}


def test_an_undirected_graph_goes_both_ways() -> None:
    source = nx.Graph()
    source.add_edge(0, 1)
    source.add_edge(1, 1, weight=4)
    assert _edges(from_networkx(source)) == {(0, 1): (1.0, 0), (1, 0): (1.0, 0), (1, 1): (4.0, 0)}


@pytest.mark.parametrize("kind", [nx.MultiGraph, nx.MultiDiGraph])
def test_of_parallel_edges_the_cheapest_that_holds_counts(kind: Any) -> None:
    source = kind()
    source.add_edge(0, 1, weight=3)
    source.add_edge(0, 1, weight=2)
    source.add_edge(0, 1, weight=1, valid=False)
    source.add_edge(1, 2, weight=1, valid=True)
    source.add_edge(1, 2, weight=1, valid=False)
    source.add_edge(2, 3, weight=1, valid=False)
    edges = _edges(from_networkx(source))
    assert edges[0, 1] == (2.0, EdgeStatus.VALID)
    assert edges[1, 2] == (1.0, EdgeStatus.VALID)
    assert edges[2, 3] == (1.0, EdgeStatus.INVALID_EDGE)


def test_attributes_can_have_other_names() -> None:
    source = nx.DiGraph()
    source.add_edge(0, 1, length=7, open=False)
    source.add_node(0, at=(1, 2))
    source.add_node(1, at=(3, 4))
    graph = from_networkx(source, weight="length", valid="open", position="at")
    assert _edges(graph) == {(0, 1): (7.0, EdgeStatus.INVALID_EDGE)}
    assert graph.coordinates([0, 1]).tolist() == [[1, 2], [3, 4]]


@pytest.mark.parametrize(
    ("weight", "message"),
    [
        ("dear", "edge 0 -> 1: its weight is not a number"),
        (None, "edge 0 -> 1: its weight is not a number"),
        (-1, "edge 0 -> 1: its cost must be finite and not negative, got -1.0"),
        (math.nan, "edge 0 -> 1: its cost must be finite and not negative, got nan"),
    ],
)
def test_a_bad_weight_is_refused(weight: Any, message: str) -> None:
    source = nx.DiGraph()
    source.add_edge(0, 1, weight=weight)
    with pytest.raises(GraphError, match=f"^{message}$"):
        from_networkx(source)


def test_tuples_of_numbers_are_places_of_their_own() -> None:
    source = nx.grid_2d_graph(4, 3)
    graph = from_networkx(source)
    assert graph.coordinates([graph.vertex((3, 2))]).tolist() == [[3, 2]]
    result = search(graph.problem((0, 0), (3, 2)), a_star())
    assert (result.cost, result.engine) == (5.0, "compiled")
    check_graph(graph, range(graph.vertex_count))


def test_positions_go_before_nodes() -> None:
    source = nx.path_graph(3)
    nx.set_node_attributes(source, {0: (0, 0), 1: (5, 5), 2: (9, 9)}, "pos")
    assert from_networkx(source).coordinates([1]).tolist() == [[5, 5]]


@pytest.mark.parametrize("nodes", [["10", "20"], [1, 2], [(1, 2), (1, 2, 3)], [("a", 1), ("b", 2)], ["a", (1.0,)]])
def test_other_nodes_have_no_places(nodes: list[Any]) -> None:
    source = nx.Graph()
    source.add_edge(*nodes)
    graph = from_networkx(source)
    with pytest.raises(GraphError, match="this graph has no coordinates"):
        graph.coordinates([0])
    assert search(graph.problem(*nodes), dijkstra()).cost == 1.0


def test_a_node_that_is_not_there_is_refused() -> None:
    with pytest.raises(ProblemError, match=r"^'z' is not a node of the graph$"):
        from_networkx(nx.path_graph(2)).problem(0, "z")


def test_a_real_graph_as_networkx_solves_it() -> None:
    source = nx.karate_club_graph()
    graph = from_networkx(source)
    for goal in source:
        expected = nx.dijkstra_path_length(source, 16, goal, weight="weight")
        assert search(graph.problem(16, goal), dijkstra()).cost == expected


@pytest.mark.parametrize("given", [3, None, [(0, 1)]])
def test_what_is_no_networkx_graph_is_refused(given: object) -> None:
    with pytest.raises(GraphError, match=r"^from_networkx needs a networkx graph, got (int|NoneType|list)$"):
        from_networkx(given)
