"""The graph of a roadmap: explicit topology, edges evaluated by a checker in Python."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from sailplan.core.graph import EdgeStatus, FloatArray
from sailplan.errors import GraphError
from sailplan.graphs.explicit.graph import ExplicitGraph
from sailplan.graphs.explicit.kernel import CsrArrays
from sailplan.graphs.roadmap.checking import EdgeChecker
from sailplan.graphs.roadmap.kernel import fill_rows

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
    def of(cls, roadmap: Roadmap) -> RoadmapGraph:
        """Return the graph without a checker; raises GraphError if an edge is given twice."""
        count, entries = roadmap.vertex_count, 2 * roadmap.edge_count
        first, neighbours = np.zeros(count + 1, np.int64), np.empty(entries, np.int32)
        given, opposite = np.empty(entries, np.int64), np.empty(entries, np.int64)
        sources, targets = roadmap.sources, roadmap.targets
        if not fill_rows(sources, targets, first, np.empty(count, np.int64), neighbours, given, opposite):
            raise GraphError("an edge is given twice")
        rows = CsrArrays(
            first=first,
            targets=neighbours,
            costs=roadmap.lengths[given],
            verdicts=np.full(entries, EdgeStatus.VALID, np.uint8),
            coordinates=roadmap.space.embed(roadmap.coordinates),
            given=given,
            opposite=opposite,
        )
        return cls(rows, None, undirected=True, roadmap=roadmap)

    def state(self, vertex: int) -> FloatArray:
        """Return the configuration of a vertex."""
        configuration: FloatArray = self.roadmap.coordinates[vertex]
        return configuration

    def edges(self) -> FloatArray:
        """Return the edges as rows (source, target, cost), in the order of the roadmap."""
        one, other = self.roadmap.sources, self.roadmap.targets
        return np.column_stack([np.minimum(one, other), np.maximum(one, other), self.roadmap.lengths])

    def digest(self, count: int) -> str:
        """Return a hash of the ends of the first `count` edges; that of the base is computed once."""
        base = self.roadmap.base
        return super().digest(count) if base is None or count > base.edge_count else base.topology.digest(count)

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
