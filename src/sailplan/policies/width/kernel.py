"""A queue of novel vertices and one of other vertices, both ordered by the distance to the goal."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sailplan.core.kernel.arrays import ENTERED, NO_VERTEX, OPEN
from sailplan.core.kernel.compile import dispatched, inlined
from sailplan.core.kernel.edges import distance
from sailplan.core.kernel.heap import offer, pop
from sailplan.core.kernel.policy import choose, counted, on_open
from sailplan.graphs.grid.kernel.edges import GridArrays, TerrainArrays, grid_cell

_NOVEL, _FAMILIAR = 0, 1


class WidthArrays(NamedTuple):
    """The atoms of vertices, and the smallest distance to the goal at which each was seen."""

    heuristic: int
    """ZERO, EUCLIDEAN, MANHATTAN or OCTILE."""
    atoms: NDArray[np.int64]
    """Shape (vertices, axes): the numbers of the atoms of vertices; empty on grids, where they are x and width + y."""
    least: NDArray[np.float64]
    """The smallest distance to the goal at which each atom was seen; infinity before that."""


@choose.register(WidthArrays)
def _pop_novel(search, policy, row):
    """Remove and return the closest novel vertex, or the closest other one if there is none."""
    vertex = pop(search.queue, row + _NOVEL, search.state.status, OPEN)
    return vertex if vertex != NO_VERTEX else pop(search.queue, row + _FAMILIAR, search.state.status, OPEN)


@on_open.register(WidthArrays)
def _offer_by_novelty(search, policy, row, vertex, change):
    """Determine the novelty of a vertex that enters the open list, and insert it."""
    if change == ENTERED:
        here = distance(search.graph, policy.heuristic, vertex, search.goal)
        part = _NOVEL if _is_novel(search.graph, policy, vertex, here) else _FAMILIAR
        offer(search.queue, row + part, vertex, counted(search.state, here))


@dispatched("graph", default=True)
def _is_novel(graph, width, vertex, here):
    """Return whether an atom of the vertex was never seen this close to the goal, and record its distance."""
    novel = False
    for axis in range(width.atoms.shape[1]):
        if _lower(width.least, width.atoms[vertex, axis], here):
            novel = True
    return novel


@_is_novel.register(GridArrays, TerrainArrays)
def _is_novel_cell(graph, width, vertex, here):
    x, y = grid_cell(graph, vertex)
    new_column = _lower(width.least, x, here)
    new_row = _lower(width.least, graph.width + y, here)
    return new_column or new_row


@inlined
def _lower(least, atom, here):
    # False if the distance is NaN or infinite.
    if here < least[atom]:
        least[atom] = here
        return True
    return False
