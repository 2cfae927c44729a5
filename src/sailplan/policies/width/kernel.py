"""A queue of novel vertices and one of the others, both ordered by the distance to the goal."""

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
    """The atoms of vertices, and how close to the goal each was met."""

    heuristic: int
    """ZERO, EUCLIDEAN, MANHATTAN or OCTILE."""
    atoms: NDArray[np.int64]
    """Shape (vertices, axes): the number of each atom of each vertex; empty on a grid: there it is x or width + y."""
    least: NDArray[np.float64]
    """The least distance to the goal at which each atom was met; infinity before it was."""


@choose.register(WidthArrays)
def _pop_novel(search, policy, row):
    """Take out the closest novel vertex, or the closest other one where none is left."""
    vertex = pop(search.queue, row + _NOVEL, search.state.status, OPEN)
    return vertex if vertex != NO_VERTEX else pop(search.queue, row + _FAMILIAR, search.state.status, OPEN)


@on_open.register(WidthArrays)
def _offer_by_novelty(search, policy, row, vertex, change):
    """Settle the novelty of a vertex that enters and put it in."""
    if change == ENTERED:
        here = distance(search.graph, policy.heuristic, vertex, search.goal)
        part = _NOVEL if _is_novel(search.graph, policy, vertex, here) else _FAMILIAR
        offer(search.queue, row + part, vertex, counted(search.state, here))


@dispatched("graph", default=True)
def _is_novel(graph, width, vertex, here):
    """Whether an atom of the vertex was never met so close to the goal; from now on it was."""
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
    # Not true of what is not a number, nor of infinity.
    if here < least[atom]:
        least[atom] = here
        return True
    return False
