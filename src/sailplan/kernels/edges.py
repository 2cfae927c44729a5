"""One way to walk the edges of a vertex, whatever arrays hold the graph.

A kernel calls `locate` once for a vertex and then goes through its slots. Numba picks the body by the class of the
graph's arrays when it compiles the caller, so that every loop is written once for all formats.
"""

from __future__ import annotations

import math

from numba.extending import overload

from sailplan.kernels.arrays import EUCLIDEAN, MANHATTAN, OCTILE, CsrArrays, GridArrays
from sailplan.kernels.compile import inlined
from sailplan.kernels.grid import grid_cell, grid_step, grid_verdict

PLANE_DIAGONAL = math.sqrt(2.0)
SPACE_DIAGONAL = math.sqrt(3.0) - math.sqrt(2.0)
"""What a diagonal through space costs more than one in the plane."""


def locate(graph, vertex):
    """Where the vertex's edges are: (x, y) on a grid, (first edge, end) in sparse rows."""


def slot_count(graph, place):
    """Number of slots to go through at a place."""


def successor(graph, place, slot):
    """The vertex that a slot leads to, NO_VERTEX where it leads nowhere."""


def edge_cost(graph, place, slot):
    """Cost of the edge in a slot."""


def verdict(graph, place, slot, target):
    """What a check of the edge in a slot says."""


def distance(graph, kind, vertex, other):
    """EUCLIDEAN, MANHATTAN or OCTILE distance between the coordinates of two vertices."""


def position(graph, vertex):
    """Where a vertex is in the plane: the first two of its coordinates."""


def _pick(graph, grid_body, csr_body):
    return {GridArrays: grid_body, CsrArrays: csr_body}.get(getattr(graph, "instance_class", None))


@overload(locate)
def _locate(graph, vertex):
    return _pick(
        graph,
        lambda graph, vertex: grid_cell(graph, vertex),
        lambda graph, vertex: (graph.first[vertex], graph.first[vertex + 1]),
    )


@overload(slot_count)
def _slot_count(graph, place):
    return _pick(graph, lambda graph, place: 8, lambda graph, place: place[1] - place[0])


@overload(successor)
def _successor(graph, place, slot):
    return _pick(
        graph,
        lambda graph, place, slot: grid_step(graph, place[0], place[1], slot),
        lambda graph, place, slot: graph.targets[place[0] + slot],
    )


@overload(edge_cost)
def _edge_cost(graph, place, slot):
    return _pick(
        graph,
        lambda graph, place, slot: 1.0 if slot < 4 else graph.diagonal_cost,
        lambda graph, place, slot: graph.costs[place[0] + slot],
    )


@overload(verdict)
def _verdict(graph, place, slot, target):
    return _pick(
        graph,
        lambda graph, place, slot, target: grid_verdict(graph, place[0], place[1], slot, target),
        lambda graph, place, slot, target: graph.verdicts[place[0] + slot],
    )


@overload(distance)
def _distance(graph, kind, vertex, other):
    return _pick(graph, _grid_distance, _csr_distance)


@overload(position)
def _position(graph, vertex):
    return _pick(graph, _grid_position, _csr_position)


def _grid_position(graph, vertex):
    x, y = grid_cell(graph, vertex)
    return float(x), float(y)


def _csr_position(graph, vertex):
    return graph.coordinates[vertex, 0], graph.coordinates[vertex, 1]


def _grid_distance(graph, kind, vertex, other):
    x, y = grid_cell(graph, vertex)
    other_x, other_y = grid_cell(graph, other)
    dx, dy = float(abs(x - other_x)), float(abs(y - other_y))
    return combine(kind, dx * dx + dy * dy, dx + dy, max(dx, dy), 0.0, graph.diagonal_cost)


def _csr_distance(graph, kind, vertex, other):
    squares, total, largest, smallest = 0.0, 0.0, 0.0, math.inf
    for axis in range(graph.coordinates.shape[1]):
        offset = abs(graph.coordinates[vertex, axis] - graph.coordinates[other, axis])
        squares += offset * offset
        total += offset
        largest = max(largest, offset)
        smallest = min(smallest, offset)
    if graph.coordinates.shape[1] < 3:
        smallest = 0.0
    return combine(kind, squares, total, largest, smallest, PLANE_DIAGONAL)


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
