"""One way to walk the edges of a vertex, whatever arrays hold the graph.

A kernel calls `locate` once for a vertex and then goes through its slots. A kind of graph registers a body of each
function for its class of arrays; Numba picks them when it compiles the caller, so that every loop is written once.
"""

from __future__ import annotations

import math

from sailplan.core.kernel.compile import dispatched, inlined

ZERO, EUCLIDEAN, MANHATTAN, OCTILE = range(4)
"""Kinds of distances."""

PLANE_DIAGONAL = math.sqrt(2.0)
SPACE_DIAGONAL = math.sqrt(3.0) - math.sqrt(2.0)
"""What a diagonal through space costs more than one in the plane."""


@dispatched("graph")
def locate(graph, vertex):
    """Where the vertex's edges are, as a tuple of numbers: (x, y) on a grid, (first edge, end) in sparse rows."""


@dispatched("graph")
def slot_count(graph, place):
    """Number of slots to go through at a place."""


@dispatched("graph")
def successor(graph, place, slot):
    """The vertex that a slot leads to, NO_VERTEX where it leads nowhere."""


@dispatched("graph")
def edge_cost(graph, place, slot, target):
    """Cost of the edge in a slot, which leads to the target."""


@dispatched("graph")
def verdict(graph, place, slot, target):
    """What the evaluation of the edge in a slot says."""


@dispatched("graph")
def distance(graph, kind, vertex, other):
    """EUCLIDEAN, MANHATTAN or OCTILE distance between the coordinates of two vertices; 0 for ZERO."""


@dispatched("graph")
def position(graph, vertex):
    """Where a vertex is in the plane: the first two of its coordinates, as floats."""


@inlined
def combine(kind, squares, total, largest, smallest, diagonal_cost):
    """Turn what is known of the differences along the axes, up to three for OCTILE, into a distance."""
    if kind == EUCLIDEAN:
        return math.sqrt(squares)
    if kind == MANHATTAN:
        return total
    if kind == OCTILE:
        straight, diagonal = min(1.0, diagonal_cost), min(2.0, diagonal_cost)
        middle = total - largest - smallest
        return straight * largest + (diagonal - straight) * middle + SPACE_DIAGONAL * smallest
    return 0.0
