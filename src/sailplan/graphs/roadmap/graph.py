"""The graph of a roadmap: explicit topology, edges evaluated by a checker in Python."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sailplan.core.graph import FloatArray
from sailplan.errors import GraphError
from sailplan.graphs.explicit.graph import ExplicitGraph
from sailplan.graphs.roadmap.checking import EdgeChecker

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

    def state(self, vertex: int) -> FloatArray:
        """Return the configuration of a vertex."""
        configuration: FloatArray = self.roadmap.coordinates[vertex]
        return configuration

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
