"""Graphs read from networkx: directed or undirected, with or without parallel edges."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from sailplan.core.graph import Problem
from sailplan.errors import GraphError, ProblemError
from sailplan.graphs.explicit.graph import ExplicitGraph


@dataclass(frozen=True, eq=False)
class NetworkxGraph(ExplicitGraph):
    """An explicit graph that keeps the nodes of its vertices; create one with `from_networkx`."""

    nodes: tuple[Hashable, ...] = ()
    """The node of each vertex."""

    @cached_property
    def _vertices(self) -> dict[Hashable, int]:
        return {node: vertex for vertex, node in enumerate(self.nodes)}

    def vertex(self, node: Hashable) -> int:
        """Return the vertex of a node; raises ProblemError if there is no such node."""
        if node not in self._vertices:
            raise ProblemError(f"{node!r} is not a node of the graph")
        return self._vertices[node]

    def state(self, vertex: int) -> Hashable:
        """Return the node of a vertex."""
        return self.nodes[vertex]

    def problem(self, start: Hashable, goal: Hashable, *, name: str = "networkx graph") -> Problem:
        """Pose the problem of finding a path from one node to another.

        Parameters
        ----------
        start, goal
            Nodes of the networkx graph.
        name
            The name of the problem in results and messages.

        Returns
        -------
        Problem
            `problem.states(path)` converts the vertices of a path to nodes.

        Raises
        ------
        ProblemError
            If the start or the goal is not a node of the graph.
        """
        return Problem(self, self.vertex(start), self.vertex(goal), name=name)


def from_networkx(graph: Any, *, weight: str = "weight", valid: str = "valid", position: str = "pos") -> NetworkxGraph:
    """Convert a networkx graph.

    Parameters
    ----------
    graph
        A `networkx.Graph`, `DiGraph`, `MultiGraph` or `MultiDiGraph`. Of parallel edges, the cheapest valid one is
        used.
    weight
        Edge attribute with the cost; 1 if an edge does not have it.
    valid
        Edge attribute that states whether the edge is valid when it is evaluated; true if an edge does not have it.
    position
        Node attribute with the coordinates. Nodes without it are their own coordinates if they are tuples of numbers;
        otherwise the graph has no coordinates, and only policies that need no distance can search it.

    Returns
    -------
    NetworkxGraph
        An explicit graph that runs in both engines.

    Raises
    ------
    GraphError
        If a cost is not a number, is negative or is infinite.

    Examples
    --------
    >>> import networkx
    >>> from sailplan import load_policy, search
    >>> roads = networkx.Graph()
    >>> roads.add_weighted_edges_from([("a", "b", 1.0), ("b", "d", 2.0), ("a", "c", 1.0), ("c", "d", 1.0)])
    >>> roads.edges["c", "d"]["valid"] = False
    >>> problem = from_networkx(roads).problem("a", "d")
    >>> problem.states(search(problem, load_policy("dijkstra")).path)
    ['a', 'b', 'd']
    """
    if not (hasattr(graph, "nodes") and hasattr(graph, "edges") and hasattr(graph, "is_directed")):
        raise GraphError(f"from_networkx needs a networkx graph, got {type(graph).__name__}")
    nodes = tuple(graph.nodes)
    vertices = {node: vertex for vertex, node in enumerate(nodes)}
    cheapest: dict[tuple[int, int], tuple[bool, float]] = {}
    for source, target, attributes in graph.edges(data=True):
        edge = not attributes.get(valid, True), _cost(attributes, weight, source, target)
        ends = [(vertices[source], vertices[target])]
        ends += [] if graph.is_directed() else [ends[0][::-1]]
        for pair in ends:
            cheapest[pair] = min(edge, cheapest.get(pair, edge))
    explicit = ExplicitGraph.from_edges(
        len(nodes),
        ((source, target, cost) for (source, target), (_, cost) in cheapest.items()),
        coordinates=_positions(graph, position),
        invalid_edges=[pair for pair, (fails, _) in cheapest.items() if fails],
    )
    return NetworkxGraph(explicit.rows, nodes=nodes)


def _cost(attributes: dict[str, Any], weight: str, source: Hashable, target: Hashable) -> float:
    try:
        return float(attributes.get(weight, 1.0))
    except (TypeError, ValueError, OverflowError) as error:
        raise GraphError(f"edge {source!r} -> {target!r}: its {weight} is not a number") from error


def _positions(graph: Any, position: str) -> list[list[float]] | None:
    given = graph.nodes(data=position)
    rows = [node if place is None else place for node, place in given]
    if any(isinstance(row, str) for row in rows):
        return None
    try:
        table = [[float(number) for number in row] for row in rows]
    except (TypeError, ValueError):
        return None
    return table if table and len({len(row) for row in table}) == 1 else None
