"""A networkx graph as it is: directed or not, with or without parallel edges."""

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
    """An explicit graph that remembers the nodes its vertices stand for; made by `from_networkx`."""

    nodes: tuple[Hashable, ...] = ()
    """The node of each vertex."""

    @cached_property
    def _vertices(self) -> dict[Hashable, int]:
        return {node: vertex for vertex, node in enumerate(self.nodes)}

    def vertex(self, node: Hashable) -> int:
        """The vertex of a node."""
        if node not in self._vertices:
            raise ProblemError(f"{node!r} is not a node of the graph")
        return self._vertices[node]

    def state(self, vertex: int) -> Hashable:
        """What a vertex stands for: its node."""
        return self.nodes[vertex]

    def problem(self, start: Hashable, goal: Hashable, *, name: str = "networkx graph") -> Problem:
        """Plan from one node to another."""
        return Problem(self, self.vertex(start), self.vertex(goal), name=name)


def from_networkx(graph: Any, *, weight: str = "weight", valid: str = "valid", position: str = "pos") -> NetworkxGraph:
    """Read a networkx graph.

    Edge attribute `weight` is the cost (1 where absent) and `valid` whether the edge holds when it is checked (it does
    where absent); of parallel edges the cheapest that holds counts. Node attribute `position` gives the coordinates;
    without it the nodes themselves do if they are tuples of numbers, else there are none.
    """
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
    return NetworkxGraph(explicit.rows, nodes)


def _cost(attributes: dict[str, Any], weight: str, source: Hashable, target: Hashable) -> float:
    try:
        return float(attributes.get(weight, 1.0))
    except (TypeError, ValueError) as error:
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
