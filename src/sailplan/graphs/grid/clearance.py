"""Clearance: the exact Euclidean distance of every cell to the nearest blocked cell, and what fits through a map.

Distances are measured between the centres of cells, in cells. The outside of the map is not an obstacle.
"""

from __future__ import annotations

import math
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from sailplan.graphs.grid.kernel.clearance import measure_columns, measure_rows, reaches

BoolGrid: TypeAlias = NDArray[np.bool_]
IntGrid: TypeAlias = NDArray[np.int64]

NO_OBSTACLE = np.iinfo(np.int64).max
"""The squared clearance of every cell of a map without obstacles."""

ROUNDING = 1e-9
"""Relative amount by which a radius is enlarged, so that 0.3 m in cells of 0.05 m is 6 cells and not 5.999..."""


def squared_clearance(blocked: BoolGrid) -> IntGrid:
    """Return the squared distance of each cell to the nearest blocked cell, as exact integers.

    The two passes of Meijster, Roerdink and Hesselink (2000): distances along the columns, then the lower envelope
    of parabolas along each row. Both are linear in the number of cells.
    """
    height, width = blocked.shape
    if not blocked.any():
        return np.full(blocked.shape, NO_OBSTACLE)
    along_column = np.empty(blocked.shape, np.int64)
    measure_columns(blocked, along_column, height + width)
    squares = np.empty(blocked.shape, np.int64)
    measure_rows(along_column, squares, np.empty(width, np.int64), np.empty(width, np.int64))
    return squares


def inflate(blocked: BoolGrid, radius: float) -> BoolGrid:
    """Block every cell whose distance to a blocked cell is at most `radius` cells."""
    # No cell is farther away. The square of a huge radius would overflow, or block cells without any obstacle.
    radius = min(radius, math.hypot(*(size - 1 for size in blocked.shape)))
    inflated: BoolGrid = squared_clearance(blocked) <= (radius * (1.0 + ROUNDING)) ** 2
    return inflated


def widest_passage(
    blocked: BoolGrid, start: tuple[int, int], goal: tuple[int, int], *, diagonal: bool, corner_cutting: bool
) -> float:
    """Return the clearance of the path that keeps the largest distance to obstacles (a maximin path).

    A path exists after `inflate` with every radius below this number, and with no other. The result is 0 if there
    is no path at all and infinite if there is no obstacle. Exact: a binary search over the clearances that occur.
    """
    squares = squared_clearance(blocked)
    levels = np.unique(squares[~blocked])
    waiting = np.empty(blocked.size, np.int64)
    passable, impassable = -1, len(levels)
    while impassable - passable > 1:
        middle = (passable + impassable) // 2
        closed = squares < levels[middle]
        if reaches(closed, closed.copy(), waiting, *start, *goal, 8 if diagonal else 4, corner_cutting):
            passable = middle
        else:
            impassable = middle
    if passable < 0:
        return 0.0
    return math.inf if levels[passable] == NO_OBSTACLE else math.sqrt(levels[passable])
