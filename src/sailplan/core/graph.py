"""The graph protocol, and problems on graphs."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from operator import index
from typing import Any, ClassVar, Protocol, TypeGuard

import numpy as np
from numpy.typing import NDArray

from sailplan.core.kernel import arrays
from sailplan.errors import GraphError, ProblemError

FloatArray = NDArray[np.float64]

LARGEST_NUMBER = 1e100
"""Largest cost of an edge, weight of a key, and coordinate: sums and products of such numbers are finite. With larger
ones keys could overflow, and 0 times infinity is not a number."""


_LARGEST_VERTEX = np.iinfo(np.int32).max
"""States and traces hold vertices as 32-bit integers."""


def as_real(value: object) -> float:
    """Return a number as one of Python, and NaN for anything else: comparisons with it raise nothing.

    A float32 would overflow if it were compared with `LARGEST_NUMBER`. An integer remains one: it may be too large for
    a float.

    Examples
    --------
    >>> as_real(np.float32(2.0)), as_real(3), as_real("many"), as_real(None)
    (2.0, 3, nan, nan)
    """
    if isinstance(value, np.integer | np.floating):
        return float(value)
    return value if isinstance(value, int | float) else math.nan


def range_for(cost: object) -> str:
    """Say what a cost must be that is not between 0 and `LARGEST_NUMBER`.

    Examples
    --------
    >>> range_for(-1.0), range_for(10**400)
    ('finite and not negative, got -1.0', 'not negative and at most 1e+100')
    """
    # An integer may have more digits than Python converts to text.
    if isinstance(cost, int | float) and LARGEST_NUMBER < abs(cost) < np.inf:
        return f"not negative and at most {LARGEST_NUMBER:g}"
    return f"finite and not negative, got {cost}"


class EdgeStatus(IntEnum):
    """The result of evaluating an edge."""

    VALID = arrays.VALID_EDGE
    """The edge can be taken."""
    INVALID_EDGE = arrays.INVALID_EDGE
    """This edge cannot be taken; other edges to the same target may be valid."""
    INVALID_TARGET = arrays.INVALID_TARGET
    """The target itself is invalid, and so is every edge into it."""
    VALID_TARGET = arrays.VALID_TARGET
    """The edge can be taken, and so can every edge into its target."""

    @property
    def valid(self) -> bool:
        """Whether the edge can be taken."""
        return self in (EdgeStatus.VALID, EdgeStatus.VALID_TARGET)


class Graph(Protocol):
    """A directed graph with vertices 0, 1, 2, ... whose edges are known to be valid or invalid once they are evaluated.

    An optional method `state(vertex)` returns what a vertex represents, for example a cell or a node. An optional
    method `evaluate_edges(sources, targets)` evaluates edges of several vertices in one call, and returns what
    `evaluate` returns. If an optional attribute `undirected` is true, each edge has an opposite one of the same cost,
    and one evaluation gives the result of both. Check your own graphs with `sailplan.testing.check_graph`.

    Examples
    --------
    >>> class Line:
    ...     def successors(self, vertex):
    ...         return [vertex + 1], [1.0]
    ...
    ...     def evaluate(self, vertex, targets):
    ...         return [True for _ in targets]
    ...
    ...     def coordinates(self, vertices):
    ...         return np.array(vertices, float)[:, None]
    >>> from sailplan import load_policy, search
    >>> search(Problem(Line(), 2, 4), load_policy("a_star")).path
    (2, 3, 4)
    """

    def successors(self, vertex: int) -> tuple[Sequence[int], Sequence[float]]:
        """Return the targets of the edges of a vertex (Succ), each once, and their costs.

        This is cheap: no edge is evaluated.

        Parameters
        ----------
        vertex
            A vertex of the graph.

        Returns
        -------
        targets, costs
            Sequences of the same length; costs are finite and not negative.
        """

    def evaluate(self, vertex: int, targets: Sequence[int]) -> Sequence[bool] | Sequence[int]:
        """Evaluate edges (Eval), which is expensive.

        Parameters
        ----------
        vertex
            The source of the edges.
        targets
            Some of its successors.

        Returns
        -------
        sequence
            For each edge, whether it is valid as a bool, or an `EdgeStatus`.
        """

    def coordinates(self, vertices: Sequence[int]) -> FloatArray:
        """Return the coordinates of vertices, shape (vertices, dimensions)."""


class FiniteGraph(Graph, Protocol):
    """A graph with a known number of vertices."""

    @property
    def vertex_count(self) -> int:
        """Number of vertices."""


class CompiledGraph(FiniteGraph, Protocol):
    """A graph that the compiled engine can search.

    An optional method `obstacle_arrays(walls=...)` returns a spatial index of invalid vertices; see
    `core/kernel/obstacles.py`. An optional attribute `max_edge_cost` is an upper limit of the costs of all edges;
    without it, replanning and lazy search read the costs at some of the vertices.
    """

    def arrays(self) -> Any:
        """Return the graph as a NamedTuple of arrays, whose class registers the functions of `core/kernel/edges.py`.

        The arrays contain the results of `evaluate`, so only the engine may read them.
        """

    def backward_arrays(self) -> Any:
        """Return the graph with its edges reversed, as a NamedTuple of arrays."""

    @property
    def max_in_degree(self) -> int:
        """Largest number of edges that lead to a vertex."""

    @property
    def max_degree(self) -> int:
        """Largest number of successors of a vertex."""


def successors_of(graph: Graph, vertex: int) -> tuple[list[int], list[float]]:
    """Return the result of `graph.successors` as lists; raises GraphError if it is not valid. Costs are not checked."""
    found: Any = graph.successors(vertex)
    try:
        targets, costs = found
        if type(targets) is not list:
            targets, costs = np.asarray(targets).tolist(), np.asarray(costs).tolist()
        # Once per expansion, so without a loop in Python. The sum of integers alone is an integer.
        if type(sum(targets)) is not int:
            targets = [index(target) for target in targets]
        is_sound = len(targets) == len(costs) and min(targets, default=0) >= 0
        is_sound = is_sound and max(targets, default=0) <= _LARGEST_VERTEX
    except (TypeError, ValueError):
        is_sound = False
    if not is_sound:
        raise GraphError(f"successors({vertex}) must return vertices and a cost for each, got {str(found)[:200]}")
    return targets, costs


def edge_statuses(graph: Graph, vertex: int, targets: Sequence[int]) -> list[int]:
    """Return the result of `graph.evaluate` as `EdgeStatus` codes; raises GraphError if it is not valid."""
    return as_statuses(graph.evaluate(vertex, targets), len(targets), f"evaluate({vertex})")


def statuses_of_edges(graph: Graph, sources: Sequence[int], targets: Sequence[int]) -> list[int]:
    """Return the results of edges of several vertices, by `graph.evaluate_edges` in one call if there is one."""
    in_one_call = getattr(graph, "evaluate_edges", None)
    if in_one_call:
        return as_statuses(in_one_call(sources, targets), len(targets), "evaluate_edges")
    return [edge_statuses(graph, source, [target])[0] for source, target in zip(sources, targets, strict=True)]


def as_statuses(verdicts: Any, count: int, what: str) -> list[int]:
    """Return results as `EdgeStatus` codes; raises GraphError, naming the function `what`, if they are not valid."""
    if isinstance(verdicts, np.ndarray):
        verdicts = verdicts.tolist()
    if type(verdicts) is not list and not isinstance(verdicts, Sequence):
        raise GraphError(f"{what} must return a list of results, got {type(verdicts).__name__}")
    if len(verdicts) != count:
        raise GraphError(f"{what} returned {len(verdicts)} results for {count} edges")
    # Once per expansion, so without a loop in Python where there are no flags.
    if not _FLAGS.isdisjoint(map(type, verdicts)):
        verdicts = [_STATUS_OF_FLAG[bool(verdict)] if type(verdict) in _FLAGS else verdict for verdict in verdicts]
    try:
        is_sound = _STATUSES.issuperset(verdicts)
    except TypeError:
        # Lists, for example of an array with two dimensions, are no entries of a set.
        is_sound = False
    if not is_sound:
        raise GraphError(f"{what} must return a bool or an EdgeStatus for each edge, got {str(verdicts)[:200]}")
    statuses: list[int] = verdicts
    return statuses


_FLAGS = frozenset((bool, np.bool_))
_STATUSES = frozenset(int(status) for status in EdgeStatus)
_STATUS_OF_FLAG = {True: int(EdgeStatus.VALID), False: int(EdgeStatus.INVALID_EDGE)}


def is_finite(graph: Graph) -> TypeGuard[FiniteGraph]:
    """Return whether the number of vertices is known."""
    return hasattr(graph, "vertex_count")


def is_undirected(graph: Graph) -> bool:
    """Return whether one evaluation gives the results of an edge and of the opposite one."""
    return bool(getattr(graph, "undirected", False))


def is_compiled(graph: Graph) -> TypeGuard[CompiledGraph]:
    """Return whether the compiled engine can search the graph."""
    return hasattr(graph, "arrays")


@dataclass(frozen=True)
class Problem:
    """The problem of finding a path from a start to a goal.

    Raises
    ------
    ProblemError
        If the graph lacks a method, or start or goal is not a vertex of it.

    Examples
    --------
    >>> from sailplan.graphs import ExplicitGraph
    >>> Problem(ExplicitGraph.from_edges(2, [(0, 1, 1.0)]), start=0, goal=1).goal
    1
    """

    graph: Graph
    """The graph to search."""
    start: int
    """The vertex at which the search starts."""
    goal: int
    """The vertex to find a path to."""
    name: str = field(default="problem", kw_only=True)
    """The name of the problem in tables and messages."""
    sent_once: ClassVar[bool] = True
    """A cluster receives a problem once, however many tasks use it."""

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
            # Converted from any integer type of numpy, so that kernels and paths have one type.
            object.__setattr__(self, role, vertex)
            if vertex < 0 or (is_finite(self.graph) and vertex >= self.graph.vertex_count):
                raise ProblemError(f"{self.name}: the {role} {vertex} is not a vertex of the graph")

    def states(self, vertices: Iterable[int]) -> list[Any]:
        """Return what vertices represent: cells of a grid, states of a callback graph, nodes of a networkx graph.

        Parameters
        ----------
        vertices
            Vertices, for example the path of a result.

        Returns
        -------
        list
            The state of each vertex; the vertex itself if the graph has no method `state`.

        Examples
        --------
        >>> from sailplan.graphs import CallbackGraph
        >>> problem = CallbackGraph(lambda town: [("Bonn", 2.0)]).problem("Jena", "Bonn")
        >>> problem.states([0, 1])
        ['Jena', 'Bonn']
        """
        state = getattr(self.graph, "state", None)
        return [state(vertex) if state else int(vertex) for vertex in vertices]
