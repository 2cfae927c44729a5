"""Recording of edge worlds: every edge of a graph is evaluated in each of many worlds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from sailplan.core.graph import EdgeStatus, FloatArray, statuses_of_edges
from sailplan.datasets.edge_worlds import EdgeWorlds
from sailplan.errors import WorldError
from sailplan.graphs.explicit.graph import ExplicitGraph
from sailplan.graphs.grid.world import World

_AT_ONCE = 4096
"""Edges that are evaluated in one call."""
VALIDATION_SHARE = 0.25


def record_worlds(
    graphs: Iterable[ExplicitGraph],
    starts: int | Sequence[int],
    goals: int | Sequence[int],
    *,
    name: str = "edge worlds",
    sizes: tuple[int, int] | None = None,
    on_world: Callable[[], None] = lambda: None,
) -> EdgeWorlds:
    """Evaluate every edge of a graph in each world.

    Parameters
    ----------
    graphs
        The same graph in each world, for example `Roadmap.graph(checker)` with the checker of that world. They are
        used one at a time.
    starts, goals
        A vertex, or one for each world.
    name
        The name in tables and messages.
    sizes
        Number of training and of validation worlds; by default three quarters and the rest.
    on_world
        Called after each world.

    Returns
    -------
    EdgeWorlds
        The results.

    Raises
    ------
    WorldError
        If there is no world, or the graphs differ.

    Examples
    --------
    >>> edges = [(0, 1, 1.0), (1, 2, 1.0), (0, 2, 3.0)]
    >>> worlds = [ExplicitGraph.from_edges(3, edges, invalid_edges=[edges[k][:2]]) for k in range(3)]
    >>> record_worlds(worlds, 0, 2).valid(1)
    array([ True, False,  True])
    """
    first: ExplicitGraph | None = None
    table: list[NDArray[np.bool_]] = []
    for graph in graphs:
        first = first or graph
        if (graph.edge_count, graph.digest(graph.edge_count)) != (first.edge_count, first.digest(first.edge_count)):
            raise WorldError(f"{name}: world {len(table)} has another graph than the first one")
        table.append(_results(graph))
        on_world()
    if first is None:
        raise WorldError(f"{name}: no world to record")
    if sizes is None:
        validation = round(VALIDATION_SHARE * len(table))
        sizes = (len(table) - validation, validation)
    topology = ExplicitGraph(first.rows, None, first.undirected)
    return EdgeWorlds.of(topology, table, starts, goals, name=name, sizes=sizes)


def _results(graph: ExplicitGraph) -> NDArray[np.bool_]:
    """Return whether each edge is valid."""
    ends = graph.edges()[:, :2].astype(np.int64)
    results = np.empty(len(ends), np.bool_)
    for begin in range(0, len(ends), _AT_ONCE):
        part = ends[begin : begin + _AT_ONCE]
        statuses = statuses_of_edges(graph, part[:, 0].tolist(), part[:, 1].tolist())
        results[begin : begin + len(part)] = [EdgeStatus(status).valid for status in statuses]
    return results


class MapChecker:
    """Checks points in the cells of a map: the configurations of a robot that is a point, or of which it is inflated.

    Parameters
    ----------
    world
        The map; coordinates are those of cells, (x, y) is the centre of the cell (x, y).

    Examples
    --------
    >>> from sailplan.testing import draw_world
    >>> MapChecker(draw_world(".#.")).valid(np.array([[0.2, 0.0], [0.9, 0.1], [3.0, 0.0]]))
    array([ True, False, False])
    """

    def __init__(self, world: World) -> None:
        # A frame of blocked cells, so that everything outside is blocked.
        self._blocked = np.pad(world.blocked, 1, constant_values=True)

    def valid(self, configurations: FloatArray) -> NDArray[np.bool_]:
        """Return whether each point is in a free cell."""
        height, width = self._blocked.shape
        cells = np.rint(configurations).astype(np.int64) + 1
        x, y = np.clip(cells[:, 0], 0, width - 1), np.clip(cells[:, 1], 0, height - 1)
        free: NDArray[np.bool_] = ~self._blocked[y, x]
        return free
