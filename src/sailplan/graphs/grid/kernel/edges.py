"""Edges of a grid, computed from its cells: targets, costs and verdicts."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import uint32
from numpy.typing import NDArray

from sailplan.core.kernel.arrays import CLOSED, INVALID_EDGE, INVALID_TARGET, NO_VERTEX, VALID_EDGE, VALID_TARGET
from sailplan.core.kernel.compile import inlined
from sailplan.core.kernel.edges import (
    combine,
    distance,
    edge_cost,
    list_slots,
    list_unexpanded,
    locate,
    position,
    slot_count,
    successor,
    verdict,
)

STEPS_X = (1, 0, -1, 0, 1, -1, -1, 1)
STEPS_Y = (0, 1, 0, -1, 1, 1, -1, -1)
"""The four straight moves, then the four diagonal ones; the order of successors is part of the contract."""


class GridArrays(NamedTuple):
    """A grid whose edges are implied by its cells; vertex = y * width + x."""

    blocked: NDArray[np.bool_]
    """Shape (height * width,)."""
    width: int
    height: int
    directions: int
    """4 or 8."""
    corner_cutting: bool
    diagonal_cost: float
    """2, the cost of two straight moves, if there are no diagonal moves."""


class TerrainArrays(NamedTuple):
    """A grid with terrain costs; a separate class, so that plain grids have no overhead."""

    blocked: NDArray[np.bool_]
    width: int
    height: int
    directions: int
    corner_cutting: bool
    diagonal_cost: float
    terrain: NDArray[np.float64]
    """Shape (height * width,), at least 1: a move costs its length times the mean cost of both cells."""


@inlined
def grid_cell(grid, vertex):
    """Return the cell (x, y) of a vertex."""
    # Division of unsigned 32-bit integers takes a fraction of the time of signed 64-bit ones.
    # A divisor that cannot be zero lets the compiler move the division of the same vertex out of a loop.
    y = np.int64(uint32(vertex) // max(uint32(grid.width), uint32(1)))
    return vertex - y * grid.width, y


@inlined
def outside(number, size):
    """Return whether `number` is outside 0 .. size - 1, in one unsigned comparison."""
    return np.int64(number).view(np.uint64) >= np.int64(size).view(np.uint64)


@locate.register(GridArrays, TerrainArrays)
def _locate(graph, vertex):
    return grid_cell(graph, vertex)


@slot_count.register(GridArrays, TerrainArrays)
def _slot_count(graph, place):
    return 8


@successor.register(GridArrays, TerrainArrays)
def _successor(graph, place, slot):
    to_x = place[0] + STEPS_X[slot]
    to_y = place[1] + STEPS_Y[slot]
    # Without branches: tests of one edge after the other would take longer.
    is_empty = (slot >= graph.directions) | outside(to_x, graph.width) | outside(to_y, graph.height)
    # An unsigned index saves the test for negative indices in each array access.
    return NO_VERTEX if is_empty else np.int64(uint32(to_y * graph.width + to_x))


@list_unexpanded.register(GridArrays, TerrainArrays)
def _list_unexpanded(graph, place, vertex, status, targets, slots):
    inside = not (outside(place[0] - 1, graph.width - 2) | outside(place[1] - 1, graph.height - 2))
    if graph.directions < 8 or not inside:
        return list_slots(graph, place, vertex, status, targets, slots)
    # Without the tests of each neighbour, which only vertices at the border need, this takes half of the time.
    listed = 0
    for slot in range(8):
        target = uint32(vertex + STEPS_Y[slot] * graph.width + STEPS_X[slot])
        targets[listed], slots[listed] = target, slot
        listed += status[target] < CLOSED
    return listed


@inlined
def _length(grid, slot):
    """Return the length of a move."""
    # Without a branch, which would often be mispredicted. A product with 0 or 1 is exact.
    diagonal = np.float64(slot >> 2)
    return (1.0 - diagonal) + diagonal * grid.diagonal_cost


@edge_cost.register(GridArrays)
def _edge_cost(graph, place, slot, target):
    return _length(graph, slot)


@edge_cost.register(TerrainArrays)
def _terrain_cost(graph, place, slot, target):
    return _length(graph, slot) * (0.5 * (graph.terrain[place[1] * graph.width + place[0]] + graph.terrain[target]))


@verdict.register(GridArrays, TerrainArrays)
def _verdict(graph, place, slot, target):
    if graph.blocked[target]:
        return INVALID_TARGET
    if graph.corner_cutting:
        return VALID_TARGET
    if slot < 4:
        return VALID_EDGE
    x, y = place
    beside = graph.blocked[y * graph.width + x + STEPS_X[slot]]
    above = graph.blocked[(y + STEPS_Y[slot]) * graph.width + x]
    return INVALID_EDGE if beside or above else VALID_EDGE


@position.register(GridArrays, TerrainArrays)
def _position(graph, vertex):
    x, y = grid_cell(graph, vertex)
    return float(x), float(y)


@distance.register(GridArrays, TerrainArrays)
def _distance(graph, kind, vertex, other):
    x, y = grid_cell(graph, vertex)
    other_x, other_y = grid_cell(graph, other)
    dx, dy = float(abs(x - other_x)), float(abs(y - other_y))
    return combine(kind, dx * dx + dy * dy, dx + dy, max(dx, dy), 0.0, graph.diagonal_cost)
