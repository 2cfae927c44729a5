"""Recording of edge worlds: every edge of a graph is evaluated in each of many worlds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sailplan.core.graph import EdgeStatus, FloatArray, statuses_of_edges
from sailplan.datasets.edge_worlds import EdgeWorlds
from sailplan.errors import WorldError
from sailplan.graphs.explicit.graph import ExplicitGraph
from sailplan.graphs.grid.world import World
from sailplan.parallel import run_all

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
    jobs: int = 1,
    on_world: Callable[[], None] = lambda: None,
) -> EdgeWorlds:
    """Evaluate every edge of a graph in each world.

    Parameters
    ----------
    graphs
        The same graph in each world, for example `Roadmap.graph(checker)` with the checker of that world. They are
        read as threads become free.
    starts, goals
        A vertex, or one for each world.
    name
        The name in tables and messages.
    sizes
        Number of training and of validation worlds; by default three quarters and the rest.
    jobs
        Number of threads, in which checkers are called.
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
    ahead = iter(graphs)
    first = next(ahead, None)
    if first is None:
        raise WorldError(f"{name}: no world to record")
    recorded = run_all(_record, chain([first], ahead), jobs, on_done=on_world)
    for world, one in enumerate(recorded):
        if (one.edges, one.digest) != (recorded[0].edges, recorded[0].digest):
            raise WorldError(f"{name}: world {world} has another graph than the first one")
    table = [one.valid for one in recorded]
    if sizes is None:
        validation = round(VALIDATION_SHARE * len(table))
        sizes = (len(table) - validation, validation)
    topology = ExplicitGraph(first.rows, None, first.undirected)
    return EdgeWorlds.of(topology, table, starts, goals, name=name, sizes=sizes)


class _Recorded(NamedTuple):
    """The edges of a graph, and whether each is valid."""

    edges: int
    digest: str
    valid: NDArray[np.bool_]


def _record(graph: ExplicitGraph) -> _Recorded:
    """Evaluate every edge of a graph."""
    ends = graph.edges()[:, :2].astype(np.int64)
    results = np.empty(len(ends), np.bool_)
    for begin in range(0, len(ends), _AT_ONCE):
        part = ends[begin : begin + _AT_ONCE]
        statuses = statuses_of_edges(graph, part[:, 0].tolist(), part[:, 1].tolist())
        results[begin : begin + len(part)] = [EdgeStatus(status).valid for status in statuses]
    return _Recorded(graph.edge_count, graph.digest(graph.edge_count), results)


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
