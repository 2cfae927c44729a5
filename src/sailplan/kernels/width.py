"""A queue of novel vertices and one of the others, both ordered by the distance to the goal."""

from __future__ import annotations

from sailplan.kernels.arrays import ENTERED, NO_VERTEX, OPEN, GridArrays
from sailplan.kernels.compile import inlined, inlined_overload
from sailplan.kernels.edges import distance
from sailplan.kernels.grid import grid_cell
from sailplan.kernels.heap import offer, pop
from sailplan.kernels.keyed import counted

_NOVEL, _FAMILIAR = 0, 1


@inlined
def pop_novel(queue, state):
    """Take out the closest novel vertex, or the closest other one where none is left."""
    vertex = pop(queue, _NOVEL, state.status, OPEN)
    return vertex if vertex != NO_VERTEX else pop(queue, _FAMILIAR, state.status, OPEN)


@inlined
def offer_by_novelty(graph, width, queue, state, goal, vertex, change):
    """Settle the novelty of a vertex that enters and put it in."""
    if change == ENTERED:
        here = distance(graph, width.heuristic, vertex, goal)
        row = _NOVEL if is_novel(graph, width, vertex, here) else _FAMILIAR
        offer(queue, row, vertex, counted(state, here))


def is_novel(graph, width, vertex, here):
    """Whether an atom of the vertex was never met so close to the goal; from now on it was."""


@inlined_overload(is_novel)
def _is_novel(graph, width, vertex, here):
    return _is_novel_cell if graph.instance_class is GridArrays else _is_novel_row


def _is_novel_cell(graph, width, vertex, here):
    x, y = grid_cell(graph, vertex)
    new_column = _lower(width.least, x, here)
    new_row = _lower(width.least, graph.width + y, here)
    return new_column or new_row


def _is_novel_row(graph, width, vertex, here):
    new = False
    for axis in range(width.atoms.shape[1]):
        if _lower(width.least, width.atoms[vertex, axis], here):
            new = True
    return new


@inlined
def _lower(least, atom, here):
    # Not true of what is not a number, nor of infinity.
    if here < least[atom]:
        least[atom] = here
        return True
    return False
