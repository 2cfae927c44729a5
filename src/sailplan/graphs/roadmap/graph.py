"""The graph of a roadmap: explicit topology, edges evaluated by a checker in Python."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sailplan.core.graph import EdgeStatus, FloatArray
from sailplan.errors import GraphError
from sailplan.graphs.explicit.graph import ExplicitGraph
from sailplan.graphs.explicit.kernel import CsrArrays
from sailplan.graphs.roadmap.checking import EdgeChecker
from sailplan.graphs.roadmap.kernel import MetricCsrArrays, extend_rows, fill_rows

if TYPE_CHECKING:
    from sailplan.graphs.roadmap.roadmap import Roadmap


@dataclass(frozen=True, eq=False)
class RoadmapGraph(ExplicitGraph):
    """The graph of a roadmap; create one with `Roadmap.graph` or `Roadmap.problem`.

    `problem.states(path)` returns the configurations of a path.

    Examples
    --------
    >>> from sailplan.graphs import Roadmap
    >>> graph = Roadmap.sample([0.0, 0.0], [1.0, 1.0], 20).graph(lambda starts, ends: starts[:, 0] > 0.5)
    >>> graph.vertex_count, graph.edges_checked
    (20, 0)
    """

    roadmap: Roadmap = field(kw_only=True)
    """The roadmap that the graph was created from."""

    @classmethod
    def of(cls, roadmap: Roadmap, checker: EdgeChecker | None = None) -> RoadmapGraph:
        """Return the graph; without a checker all edges are valid. Raises GraphError if an edge is given twice."""
        return cls(roadmap.rows, checker, undirected=True, roadmap=roadmap)

    def state(self, vertex: int) -> FloatArray:
        """Return the configuration of a vertex."""
        configuration: FloatArray = self.roadmap.coordinates[vertex]
        return configuration

    def edges(self) -> FloatArray:
        """Return the edges as rows (source, target, cost), in the order of the roadmap."""
        one, other = self.roadmap.sources, self.roadmap.targets
        return np.column_stack([np.minimum(one, other), np.maximum(one, other), self.roadmap.lengths])

    @cached_property
    def _digests(self) -> dict[int, str]:
        return self.roadmap.digests

    def digest(self, count: int) -> str:
        """Return a hash of the ends of the first `count` edges; that of the base is computed once."""
        base = self.roadmap.base
        return super().digest(count) if base is None or count > base.edge_count else base.topology.digest(count)

    def arrays(self) -> CsrArrays:
        """Return the graph for the compiled engine, with a lower bound of path costs if the edges are long enough."""
        rows = super().arrays()
        return rows if self.checker is None or not self.roadmap.is_metric else MetricCsrArrays(*rows)

    def earlier_results(self) -> NDArray[np.uint8]:
        """Return the status of each edge that `KnownEdges` has the result of; NOT_EVALUATED for others."""
        results = super().earlier_results()
        known = self.checker.known if isinstance(self.checker, EdgeChecker) else None
        if known is not None:
            results[known.valid], results[known.invalid] = EdgeStatus.VALID, EdgeStatus.INVALID_EDGE
        return results

    @property
    def max_edge_cost(self) -> float:
        """The largest cost of an edge."""
        return self.roadmap.max_length

    @cached_property
    def _backward(self) -> CsrArrays:
        return self.rows

    @property
    def edges_checked(self) -> int:
        """Number of edges that were given to the checker; edges with a known result are not."""
        return self._counting.edges_checked

    @property
    def configurations_checked(self) -> int:
        """Number of configurations checked; 0 if the checker checks edges and has no `counts.configurations`."""
        return self._counting.configurations_checked

    @property
    def _counting(self) -> EdgeChecker:
        if not isinstance(self.checker, EdgeChecker):
            raise GraphError("a roadmap without a checker counts nothing")
        return self.checker


def rows_of(roadmap: Roadmap) -> CsrArrays:
    """Return the edges of a roadmap, all valid, as compressed sparse rows; raises GraphError if one is given twice."""
    rows, cursors = _allocate_rows(roadmap), np.empty(roadmap.vertex_count, np.int64)
    edges = roadmap.sources, roadmap.targets
    if not fill_rows(*edges, rows.first, cursors, rows.targets, rows.given, rows.opposite):
        raise GraphError("an edge is given twice")
    np.take(roadmap.lengths, rows.given, out=rows.costs)
    return rows._replace(coordinates=roadmap.space.embed(roadmap.coordinates))


def extended_rows(roadmap: Roadmap, old: CsrArrays) -> CsrArrays:
    """Return the same as `rows_of`, given the rows of the vertices and edges that a roadmap begins with.

    Each further edge must have a further vertex as its target.
    """
    rows, known, old_edges = _allocate_rows(roadmap), len(old.coordinates), len(old.given) // 2
    cursors, shifts = np.zeros(roadmap.vertex_count, np.int64), np.empty(known, np.int64)
    entries = np.full(roadmap.edge_count - old_edges, -1)
    before = old.first, old.targets, old.costs, old.given, old.opposite
    edges = roadmap.sources, roadmap.targets, roadmap.lengths
    filled = rows.first, cursors, shifts, rows.targets, rows.costs, rows.given, rows.opposite
    if not extend_rows(before, *edges, *filled, entries):
        raise GraphError("an edge is given twice")
    added = roadmap.space.embed(roadmap.coordinates[known:])
    return rows._replace(coordinates=np.concatenate([old.coordinates, added]))


def _allocate_rows(roadmap: Roadmap) -> CsrArrays:
    """Allocate the rows of a roadmap, without coordinates; `first` is 0, and all edges are valid."""
    entries = 2 * roadmap.edge_count
    # In one block, which the allocator keeps for the next roadmap; several blocks would be returned to the system.
    block = np.empty((3, entries), np.int64)
    return CsrArrays(
        first=np.zeros(roadmap.vertex_count + 1, np.int64),
        targets=np.empty(entries, np.int32),
        costs=block[0].view(np.float64),
        verdicts=np.full(entries, EdgeStatus.VALID, np.uint8),
        coordinates=np.empty((0, 0)),
        given=block[1],
        opposite=block[2],
    )
