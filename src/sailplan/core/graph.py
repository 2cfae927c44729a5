"""The graph protocol, what a search needs to know of a graph and no more, and problems posed on graphs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from operator import index
from typing import Any, Protocol, TypeGuard

import numpy as np
from numpy.typing import NDArray

from sailplan.core.kernel import arrays
from sailplan.errors import GraphError, ProblemError

FloatArray = NDArray[np.float64]


class EdgeStatus(IntEnum):
    """What the evaluation of an edge says."""

    VALID = arrays.VALID_EDGE
    """The edge can be taken."""
    INVALID_EDGE = arrays.INVALID_EDGE
    """This edge cannot be taken; others to the same target may be."""
    INVALID_TARGET = arrays.INVALID_TARGET
    """The target itself is invalid, and so is every edge into it."""


class Graph(Protocol):
    """A directed graph with vertices 0, 1, 2, ... of whose edges nobody knows whether they are valid until asked.

    A graph may have a method `state(vertex)`, which says what a vertex stands for: a cell, a node.
    """

    def successors(self, vertex: int) -> tuple[Sequence[int], Sequence[float]]:
        """Vertices that edges lead to (Succ), each once, and the costs of these edges; cheap, evaluates nothing."""

    def evaluate(self, vertex: int, targets: Sequence[int]) -> Sequence[bool] | Sequence[int]:
        """Evaluate the edges from the vertex to these successors (Eval), which is expensive.

        For each either true where it is valid and false where it is not, or an `EdgeStatus`.
        """

    def coordinates(self, vertices: Sequence[int]) -> FloatArray:
        """Where the vertices are, shape (vertices, dimensions)."""


class FiniteGraph(Graph, Protocol):
    """A graph whose vertices are known beforehand."""

    @property
    def vertex_count(self) -> int:
        """Number of vertices."""


class CompiledGraph(FiniteGraph, Protocol):
    """A graph that the compiled engine can search.

    A method `obstacle_arrays(walls=...)` may return a record that keeps invalid vertices by place; see
    `core/kernel/obstacles.py`.
    """

    def arrays(self) -> Any:
        """The graph as a NamedTuple of arrays, whose class registers bodies for `core/kernel/edges.py`.

        They hold what `evaluate` would say, so only the engine may look at them.
        """

    def backward_arrays(self) -> Any:
        """The graph with its edges reversed."""

    @property
    def max_in_degree(self) -> int:
        """The most edges that lead to a vertex."""

    @property
    def max_degree(self) -> int:
        """The most successors that a vertex has."""


def edge_statuses(graph: Graph, vertex: int, targets: Sequence[int]) -> list[int]:
    """What `graph.evaluate` says, as a code of `EdgeStatus` for each edge; raises GraphError where it says nonsense."""
    verdicts: Any = graph.evaluate(vertex, targets)
    if isinstance(verdicts, np.ndarray):
        verdicts = verdicts.tolist()
    if len(verdicts) != len(targets):
        raise GraphError(f"evaluate({vertex}) answered for {len(verdicts)} edges out of {len(targets)}")
    statuses = [
        _STATUS_OF_FLAG[bool(verdict)] if isinstance(verdict, bool | np.bool_) else verdict for verdict in verdicts
    ]
    if not _STATUSES.issuperset(statuses):
        raise GraphError(f"evaluate({vertex}) must say true, false or an EdgeStatus for each edge, got {statuses}")
    return statuses


_STATUSES = frozenset(int(status) for status in EdgeStatus)
_STATUS_OF_FLAG = {True: int(EdgeStatus.VALID), False: int(EdgeStatus.INVALID_EDGE)}


def is_finite(graph: Graph) -> TypeGuard[FiniteGraph]:
    """Whether the graph knows its vertices beforehand."""
    return hasattr(graph, "vertex_count")


def is_compiled(graph: Graph) -> TypeGuard[CompiledGraph]:
    """Whether the compiled engine can search the graph."""
    return hasattr(graph, "arrays")


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
