"""A problem: a graph, where to start and where to go."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from operator import index
from typing import Any

from sailplan.core.graph import Graph, is_finite
from sailplan.errors import ProblemError


@dataclass(frozen=True)
class Problem:
    """Find a path from the start to the goal."""

    graph: Graph
    start: int
    """The vertex that the search starts from."""
    goal: int
    """The vertex that it looks for."""
    name: str = field(default="problem", kw_only=True)
    """For tables and messages."""

    def __post_init__(self) -> None:
        if not (callable(getattr(self.graph, "successors", None)) and callable(getattr(self.graph, "evaluate", None))):
            raise ProblemError(
                f"{self.name}: a graph needs the methods successors, evaluate and coordinates, which "
                f"{type(self.graph).__name__} lacks"
            )
        for role in ("start", "goal"):
            try:
                vertex = index(getattr(self, role))
            except TypeError as error:
                raise ProblemError(f"{self.name}: the {role} {getattr(self, role)!r} is not a vertex number") from error
            # Whatever integer it came as (numpy has many), the kernels and the path see one type.
            object.__setattr__(self, role, vertex)
            if vertex < 0 or (is_finite(self.graph) and vertex >= self.graph.vertex_count):
                raise ProblemError(f"{self.name}: the {role} {vertex} is not a vertex of the graph")

    def states(self, vertices: Iterable[int]) -> list[Any]:
        """What vertices stand for: cells of a grid, states of a callback graph, nodes of a networkx graph.

        Examples
        --------
        >>> from sailplan.graphs import CallbackGraph
        >>> problem = CallbackGraph(lambda town: [("Bonn", 2.0)]).problem("Jena", "Bonn")
        >>> problem.states([0, 1])
        ['Jena', 'Bonn']
        """
        state = getattr(self.graph, "state", None)
        return [state(vertex) if state else int(vertex) for vertex in vertices]
