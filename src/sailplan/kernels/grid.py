"""The implicit grid: where its edges lead, what they cost and whether they hold."""

from __future__ import annotations

import numpy as np
from numba import uint32, uint64

from sailplan.kernels.arrays import INVALID_EDGE, INVALID_TARGET, NO_VERTEX, VALID_EDGE
from sailplan.kernels.compile import inlined

STEPS_X = (1, 0, -1, 0, 1, -1, -1, 1)
STEPS_Y = (0, 1, 0, -1, 1, 1, -1, -1)
"""The four straight moves, then the four diagonals; the order of successors is part of the contract."""


@inlined
def grid_cell(grid, vertex):
    """The cell (x, y) of a vertex."""
    # Dividing 32-bit unsigned numbers takes a fraction of the time of the default.
    y = np.int64(uint32(vertex) // uint32(grid.width))
    return vertex - y * grid.width, y


@inlined
def grid_step(grid, x, y, slot):
    """The vertex that the slot-th move leads to, NO_VERTEX outside the grid."""
    to_x = x + STEPS_X[slot]
    to_y = y + STEPS_Y[slot]
    # A negative number is a huge one when read as unsigned.
    if slot >= grid.directions or uint64(to_x) >= uint64(grid.width) or uint64(to_y) >= uint64(grid.height):
        return NO_VERTEX
    # Read as unsigned, so that an index into an array need not be tested for being a negative one.
    return np.int64(uint32(to_y * grid.width + to_x))


@inlined
def grid_verdict(grid, x, y, slot, target):
    """What a check of the slot-th move says."""
    if grid.blocked[target]:
        return INVALID_TARGET
    if slot < 4 or grid.corner_cutting:
        return VALID_EDGE
    beside = grid.blocked[y * grid.width + x + STEPS_X[slot]]
    above = grid.blocked[(y + STEPS_Y[slot]) * grid.width + x]
    return INVALID_EDGE if beside or above else VALID_EDGE
