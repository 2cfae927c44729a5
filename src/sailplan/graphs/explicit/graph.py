"""Explicit graphs: adjacency as arrays."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sailplan.core.graph import LARGEST_NUMBER, EdgeStatus, FloatArray, as_statuses, range_for
from sailplan.core.kernel.arrays import NOT_EVALUATED
from sailplan.errors import GraphError
from sailplan.graphs.explicit.kernel import CheckedCsrArrays, CsrArrays

Checker = Callable[[list[int], list[int]], Any]

MOST_VERTICES = 2**31 - 1
"""Largest number of vertices; they are stored in 32 bits."""


@dataclass(frozen=True, eq=False)
class ExplicitGraph:
    """A finite graph whose edges are stored in arrays; create one with `ExplicitGraph.from_edges`."""

    rows: CsrArrays
    checker: Checker | None = None
    """Evaluates edges in Python, given their sources and targets; None if the results are in the arrays."""
    undirected: bool = False
    """Whether each edge can be taken both ways, with one result of evaluation."""

    @classmethod
    def from_edges(
        cls,
        vertex_count: int,
        edges: Iterable[tuple[int, int, float]] | FloatArray,
        *,
        undirected: bool = False,
        coordinates: ArrayLike | None = None,
        invalid_edges: Iterable[tuple[int, int]] = (),
        invalid_vertices: Iterable[int] = (),
        evaluate_edges: Checker | None = None,
    ) -> ExplicitGraph:
        """Create a graph from its edges.

        Parameters
        ----------
        vertex_count
            Number of vertices; they are numbered from 0.
        edges
            Triples (source, target, cost), or an array with a row for each edge.
        undirected
            Whether each edge can be taken both ways. It is given once, and evaluated once.
        coordinates
            Array of shape (vertex_count, dimensions). Without it, only policies that need no distance can search
            the graph.
        invalid_edges
            Pairs (source, target) of edges that turn out to be invalid when a search evaluates them.
        invalid_vertices
            Vertices that turn out to be invalid: every edge into them is invalid.
        evaluate_edges
            `evaluate_edges(sources, targets)` evaluates edges, the expensive operation, and returns a bool or an
            `EdgeStatus` for each; both arguments are lists of vertices. The compiled engine calls it once for each
            request of the policy. By default all edges but those given as invalid are valid.

        Returns
        -------
        ExplicitGraph
            The graph; it runs in both engines.

        Raises
        ------
        GraphError
            If an edge names an unknown vertex, is given twice or has a cost that is negative, infinite or above
            `LARGEST_NUMBER`, if there are more vertices than `MOST_VERTICES`, if the coordinates do not have one finite
            row per vertex, or if edges are both given as invalid and evaluated by a function.

        Examples
        --------
        >>> graph = ExplicitGraph.from_edges(3, [(0, 1, 1.0), (1, 2, 1.0), (0, 2, 5.0)], invalid_edges=[(1, 2)])
        >>> graph.successors(0)
        ([1, 2], [1.0, 5.0])
        >>> from sailplan import Problem, load_policy, search
        >>> search(Problem(graph, 0, 2), load_policy("dijkstra")).path
        (0, 2)
        """
        vertex_count = _checked_count(vertex_count)
        table = _numbers(edges, 3, "edges")
        count = len(table)
        if undirected:
            table = np.concatenate([table, table[:, [1, 0, 2]]])
        _check_edges(table, vertex_count)
        sources, targets = table[:, 0].astype(np.int64), table[:, 1].astype(np.int64)
        codes = edge_codes(table, vertex_count)
        _check_repeated(codes)
        verdicts = np.full(len(table), EdgeStatus.VALID, np.uint8)
        forbidden_edges = _numbers(invalid_edges, 2, "invalid_edges")
        if undirected:
            forbidden_edges = np.concatenate([forbidden_edges, forbidden_edges[:, ::-1]])
        forbidden_vertices = _numbers(invalid_vertices, 1, "invalid_vertices")
        _check_vertices(forbidden_edges, vertex_count)
        _check_vertices(forbidden_vertices, vertex_count)
        verdicts[np.isin(codes, edge_codes(forbidden_edges, vertex_count))] = EdgeStatus.INVALID_EDGE
        verdicts[np.isin(targets, forbidden_vertices)] = EdgeStatus.INVALID_TARGET
        places = _checked_coordinates(coordinates, vertex_count)
        given = np.arange(len(table)) % max(count, 1)
        opposite = np.roll(np.arange(len(table)), count) if undirected else np.empty(0, np.int64)
        unsorted = CsrArrays(
            np.empty(0, np.int64), np.empty(0, np.int32), table[:, 2], verdicts, places, given, opposite
        )
        rows = _sort(sources, targets, unsorted)
        if evaluate_edges is None:
            return cls(rows, None, undirected)
        if not callable(evaluate_edges):
            raise GraphError(f"evaluate_edges must be a function, got {type(evaluate_edges).__name__}")
        if len(forbidden_edges) or len(forbidden_vertices):
            raise GraphError("edges are either given as invalid or evaluated by evaluate_edges, not both")
        return cls(rows, evaluate_edges, undirected)

    def with_results(self, valid: NDArray[np.bool_]) -> ExplicitGraph:
        """Return the same graph in another world.

        Parameters
        ----------
        valid
            Whether each edge is valid, in the order in which the edges were given.

        Returns
        -------
        ExplicitGraph
            The graph with these results, which shares all other arrays.

        Raises
        ------
        GraphError
            If there is not one result for each edge.

        Examples
        --------
        >>> graph = ExplicitGraph.from_edges(2, [(0, 1, 1.0)])
        >>> graph.with_results(np.array([False])).evaluate(0, [1]) == [EdgeStatus.INVALID_EDGE]
        True
        """
        if np.shape(valid) != (self.edge_count,):
            raise GraphError(f"results of shape {np.shape(valid)} for {self.edge_count} edges")
        verdicts = np.where(valid, EdgeStatus.VALID, EdgeStatus.INVALID_EDGE).astype(np.uint8)
        graph = ExplicitGraph(self.rows._replace(verdicts=verdicts[self.rows.given]), None, self.undirected)
        # The edges need not be sorted and hashed again.
        graph.__dict__.update(_digests=self._digests)
        if not self.undirected:
            backward = self._backward._replace(verdicts=verdicts[self._backward.given])
            graph.__dict__.update(_backward=backward, reversed_rows=self.reversed_rows)
        return graph

    @property
    def vertex_count(self) -> int:
        """Number of vertices."""
        return len(self.rows.first) - 1

    @property
    def row_count(self) -> int:
        """Number of directed edges; an undirected edge counts twice."""
        return len(self.rows.targets)

    @property
    def edge_count(self) -> int:
        """Number of edges that the graph was created from; an undirected edge counts once."""
        return self.row_count // (2 if self.undirected else 1)

    def edges(self) -> FloatArray:
        """Return the edges as rows (source, target, cost), in the order in which the graph was given them.

        The source of an undirected edge is the smaller vertex.
        """
        sources = np.repeat(np.arange(self.vertex_count), np.diff(self.rows.first))
        table = np.empty((self.edge_count, 3))
        # Rows are ordered by their sources: of two rows of one edge, the first one is written last.
        table[self.rows.given[::-1]] = np.column_stack([sources, self.rows.targets, self.rows.costs])[::-1]
        return table

    @cached_property
    def _digests(self) -> dict[int, str]:
        return {}

    def digest(self, count: int) -> str:
        """Return a hash of the ends of the first `count` edges, which identifies a graph that may be extended."""
        if count not in self._digests:
            ends = self.edges()[:count, :2].astype(np.int32)
            self._digests[count] = hashlib.sha256(ends.tobytes()).hexdigest()[:32]
        return self._digests[count]

    def earlier_results(self) -> NDArray[np.uint8]:
        """Return the status of each edge in earlier searches in the same world; NOT_EVALUATED if it is not known."""
        return np.full(self.edge_count, NOT_EVALUATED, np.uint8)

    @cached_property
    def max_degree(self) -> int:
        """Largest number of edges that leave a vertex."""
        return int(np.diff(self.rows.first).max(initial=0))

    @cached_property
    def max_in_degree(self) -> int:
        """Largest number of edges that lead to a vertex."""
        if self.undirected:
            return self.max_degree
        return int(np.bincount(self.rows.targets, minlength=1).max(initial=0))

    def successors(self, vertex: int) -> tuple[list[int], list[float]]:
        """Return the targets and costs of the edges of a vertex, in the order in which they were given."""
        edges = slice(self.rows.first[vertex], self.rows.first[vertex + 1])
        return self.rows.targets[edges].tolist(), self.rows.costs[edges].tolist()

    def evaluate(self, vertex: int, targets: Sequence[int]) -> list[int]:
        """Return the status of each edge from `vertex` to `targets`."""
        if self.checker:
            return as_statuses(self.checker([vertex] * len(targets), list(targets)), len(targets), "evaluate_edges")
        edges = slice(self.rows.first[vertex], self.rows.first[vertex + 1])
        known = dict(zip(self.rows.targets[edges].tolist(), self.rows.verdicts[edges].tolist(), strict=True))
        return [known[target] for target in targets]

    def coordinates(self, vertices: Sequence[int]) -> FloatArray:
        """Return the coordinates of vertices, one row each; raises GraphError if the graph has none."""
        if self.rows.coordinates.shape[1] == 0:
            raise GraphError("this graph has no coordinates: give it some, or use a policy that needs no distance")
        return self.rows.coordinates[np.asarray(vertices, np.int64)]

    def evaluate_edges(self, sources: Sequence[int], targets: Sequence[int]) -> list[int]:
        """Return the status of each edge from `sources` to `targets`."""
        if self.checker:
            return as_statuses(self.checker(list(sources), list(targets)), len(targets), "evaluate_edges")
        return [self.evaluate(source, [target])[0] for source, target in zip(sources, targets, strict=True)]

    def arrays(self) -> CsrArrays:
        """Return the graph for the compiled engine; if edges are evaluated in Python, without any result yet."""
        if self.checker is None:
            return self.rows
        return CheckedCsrArrays(*self.rows._replace(verdicts=np.full(self.row_count, NOT_EVALUATED, np.uint8)))

    @cached_property
    def _backward(self) -> CsrArrays:
        if self.undirected:
            # The edges into a vertex are those that leave it; an invalid vertex makes only edges into it invalid.
            return self.rows._replace(verdicts=self.rows.verdicts[self.rows.opposite])
        sources = np.repeat(np.arange(self.vertex_count), np.diff(self.rows.first))
        return _sort(self.rows.targets, sources, self.rows)

    @cached_property
    def reversed_rows(self) -> NDArray[np.int64]:
        """The row of the edge whose reverse is each edge of `backward_arrays`."""
        return self.rows.opposite if self.undirected else np.argsort(self.rows.targets, kind="stable")

    def backward_arrays(self) -> CsrArrays:
        """Return the graph with all edges reversed, each with its own verdict; none if evaluated in Python."""
        return self._backward


def _sort(sources: NDArray[np.integer], targets: NDArray[np.integer], edges: CsrArrays) -> CsrArrays:
    """Sort edges by their sources, with the other arrays of `edges`; the edges of one source keep their order."""
    # Sorting numbers is ten times as fast as a stable argsort; both fit, as a vertex and a row have 32 bits at most.
    order = np.sort((sources.astype(np.int64) << 32) | np.arange(len(sources))) & 0xFFFFFFFF
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    return CsrArrays(
        first=_first_rows(sources, len(edges.coordinates)),
        targets=targets[order].astype(np.int32),
        costs=edges.costs[order],
        verdicts=edges.verdicts[order],
        coordinates=edges.coordinates,
        given=edges.given[order],
        opposite=place[edges.opposite[order]] if len(edges.opposite) else edges.opposite,
    )


def _first_rows(sources: NDArray[np.integer], vertex_count: int) -> NDArray[np.int64]:
    """Return where the edges of each vertex begin in edges that are sorted by their sources, and where the last end."""
    first = np.bincount(sources + 1, minlength=vertex_count + 1)
    return np.cumsum(first, out=first)


def _numbers(rows: Iterable[Any], width: int, what: str) -> FloatArray:
    """Return rows of numbers, or single numbers if the width is 1, as a table."""
    try:
        listed = rows if isinstance(rows, np.ndarray) and rows.ndim else list(rows)
        table = np.array(listed, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise GraphError(f"{what} must be rows of {width} numbers: {error}") from error
    if len(listed) and table.shape[1:] != ((width,) if width > 1 else ()):
        raise GraphError(f"{what} must be rows of {width} numbers, got {listed[0]}")
    return table.reshape(-1, width)


def _checked_count(vertex_count: int) -> int:
    if not isinstance(vertex_count, int | np.integer) or not 0 <= vertex_count <= MOST_VERTICES:
        raise GraphError(f"the number of vertices must be an integer of 0 to {MOST_VERTICES}")
    return int(vertex_count)


def _check_vertices(table: FloatArray, vertex_count: int) -> None:
    known = ((table >= 0) & (table < vertex_count) & (table == np.floor(table))).all(axis=1)
    if not known.all():
        raise GraphError(f"{table[known.argmin()].tolist()} names a vertex outside 0 .. {vertex_count - 1}")


def _check_edges(table: FloatArray, vertex_count: int) -> None:
    _check_vertices(table[:, :2], vertex_count)
    bad = np.flatnonzero(~((table[:, 2] >= 0) & (table[:, 2] <= LARGEST_NUMBER)))
    if len(bad):
        source, target, cost = table[bad[0]]
        raise GraphError(f"edge {source:.0f} -> {target:.0f}: its cost must be {range_for(cost)}")


def edge_codes(table: FloatArray, vertex_count: int) -> NDArray[np.int64]:
    """Return a number for each edge of a table whose first columns are vertices; those of different edges differ."""
    # Integers: beyond 2 ** 53 floats are not exact.
    sources, targets = table[:, 0].astype(np.int64), table[:, 1].astype(np.int64)
    return sources * vertex_count + targets


def _check_repeated(codes: NDArray[np.int64]) -> None:
    in_order = np.sort(codes)
    if (in_order[1:] == in_order[:-1]).any():
        raise GraphError("an edge is given twice: a vertex may have one edge to each successor")


def _checked_coordinates(coordinates: ArrayLike | None, vertex_count: int) -> FloatArray:
    if coordinates is None:
        return np.empty((vertex_count, 0))
    try:
        table = np.array(coordinates, dtype=np.float64, order="C")
    except (TypeError, ValueError, OverflowError) as error:
        raise GraphError(f"coordinates must be numbers, a row for each vertex: {error}") from error
    if table.ndim != 2 or len(table) != vertex_count or not (np.abs(table) <= LARGEST_NUMBER).all():
        form = f"at most {LARGEST_NUMBER:g}, of shape ({vertex_count}, dimensions)"
        raise GraphError(f"coordinates must be finite, {form}, got {table.shape}")
    return table
