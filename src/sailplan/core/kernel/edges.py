"""The interface of graphs in kernels: iteration over the edges of a vertex, for any class of arrays.

A kernel calls `locate` once for a vertex and then iterates over its slots. A graph registers an implementation of each
function for its class of arrays; Numba selects it when it compiles the caller. In all functions, `graph` is the record
of arrays, `place` is what `locate` returned, `slot` is below `slot_count`, and `target` is what `successor` returned.
"""

from __future__ import annotations

import math

from numba import uint32

from sailplan.core.kernel.arrays import CLOSED, NO_VERTEX, VALID_EDGE, VALID_TARGET
from sailplan.core.kernel.compile import dispatched, inlined

ZERO, EUCLIDEAN, MANHATTAN, OCTILE = range(4)
"""Kinds of distances."""

PLANE_DIAGONAL = math.sqrt(2.0)
SPACE_DIAGONAL = math.sqrt(3.0) - math.sqrt(2.0)
"""Additional cost of a diagonal in space compared with one in the plane."""


@dispatched("graph")
def locate(graph, vertex):
    """Return the place of the edges of a vertex as a tuple: (x, y) on a grid, (first, end) in sparse rows."""


@dispatched("graph")
def slot_count(graph, place):
    """Return the number of slots at a place."""


@dispatched("graph")
def successor(graph, place, slot):
    """Return the target of the edge in a slot; NO_VERTEX if the slot is empty."""


@dispatched("graph")
def edge_cost(graph, place, slot, target):
    """Return the cost of the edge in a slot, which leads to `target`."""


@dispatched("graph")
def verdict(graph, place, slot, target):
    """Evaluate the edge in a slot: VALID_EDGE, INVALID_EDGE, INVALID_TARGET or VALID_TARGET."""


@dispatched("graph", default=True)
def list_unexpanded(graph, place, vertex, status, targets, slots):
    """Write the slots of a closed vertex whose target is neither closed nor invalid, with the targets.

    Return their number. A graph may register a faster implementation, which lists the same slots in the same order.
    """
    return list_slots(graph, place, vertex, status, targets, slots)


@inlined
def list_slots(graph, place, vertex, status, targets, slots):
    """Do what `list_unexpanded` does, for any graph."""
    listed = 0
    for slot in range(slot_count(graph, place)):
        if listed == len(targets):
            # As many as a vertex has successors: all slots that follow are empty.
            break
        target = successor(graph, place, slot)
        # Without branches, which would often be mispredicted: the next slot overwrites one that is not counted. An
        # empty slot is not counted because the vertex itself is closed. An unsigned index saves the test of its sign.
        target = uint32(vertex if target == NO_VERTEX else target)
        targets[listed], slots[listed] = target, slot
        listed += status[target] < CLOSED
    return listed


@dispatched("graph", default=True)
def edge_number(graph, degree, vertex, place, slot):
    """Return the number of the edge in a slot of a vertex; `degree` is the largest number of slots."""
    return vertex * degree + slot


@dispatched("graph", default=True)
def reverse_number(graph, number):
    """Return the number of the opposite edge if one evaluation gives the result of both; otherwise -1."""
    return -1


@dispatched("graph", default=True)
def evaluates_in_python(graph):
    """Return whether `verdict` is NOT_EVALUATED until Python has evaluated an edge and written the result."""
    return False


@dispatched("graph", default=True)
def lower_bound(graph, vertex, other):
    """Return a lower bound of the cost of any path between two vertices, from which replanning and lazy search start.

    Infinite if there is no path. It must be consistent: at most the cost of an edge plus the bound of its target, as
    computed. If rounding could break this, return slightly less, for example by a factor of 1 - 1e-9. The closer it
    is, the less they have to explore. The default is 0.
    """
    return 0.0


@inlined
def is_valid(status):
    """Return whether the result of an evaluation is that the edge is valid."""
    return status in (VALID_EDGE, VALID_TARGET)


@dispatched("graph")
def distance(graph, kind, vertex, other):
    """Return the EUCLIDEAN, MANHATTAN or OCTILE distance between two vertices; 0 for ZERO."""


@dispatched("graph")
def position(graph, vertex):
    """Return the first two coordinates of a vertex, as floats."""


@inlined
def combine(kind, squares, total, largest, smallest, diagonal_cost):
    """Compute a distance from statistics of the differences along the axes (up to three axes for OCTILE)."""
    if kind == EUCLIDEAN:
        return math.sqrt(squares)
    if kind == MANHATTAN:
        return total
    if kind == OCTILE:
        straight, diagonal = min(1.0, diagonal_cost), min(2.0, diagonal_cost)
        middle = total - largest - smallest
        return straight * largest + (diagonal - straight) * middle + SPACE_DIAGONAL * smallest
    return 0.0
