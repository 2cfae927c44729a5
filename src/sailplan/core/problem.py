"""A problem: a graph, where to start and where to go."""

from __future__ import annotations

from dataclasses import dataclass, field
from operator import index

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
        for role in ("start", "goal"):
            try:
                vertex = index(getattr(self, role))
            except TypeError as error:
                raise ProblemError(f"{self.name}: the {role} {getattr(self, role)!r} is not a vertex number") from error
            # Whatever integer it came as (numpy has many), the kernels and the path see one type.
            object.__setattr__(self, role, vertex)
            if vertex < 0 or (is_finite(self.graph) and vertex >= self.graph.vertex_count):
                raise ProblemError(f"{self.name}: the {role} {vertex} is not a vertex of the graph")
