"""Invalid cells of a grid by place: the closest is found by looking at a few of them, however many there are."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sailplan.core.kernel.arrays import INVALID_VERTICES, NONE
from sailplan.core.kernel.compile import piece
from sailplan.core.kernel.obstacles import ALONG_X, closest_along, closest_invalid, note_invalid
from sailplan.graphs.grid.kernel.edges import grid_cell
from sailplan.graphs.grid.kernel.walls import join_wall

_SIDE_BITS = 4
BUCKET_SIDE = 1 << _SIDE_BITS
"""Cells along the side of a bucket."""


class GridObstacles(NamedTuple):
    """Invalid cells in square buckets, and by column and row; a cell goes by its number in the order of discovery."""

    cells: NDArray[np.int32]
    """Shape (vertices, 2): the x and y of each."""
    heads: NDArray[np.int32]
    """Shape (bucket rows, bucket columns): the last one discovered in each bucket, or NONE."""
    links: NDArray[np.int32]
    """The one discovered before it in the same bucket, or NONE."""
    columns: NDArray[np.int32]
    """The first one discovered in each column, or NONE."""
    rows: NDArray[np.int32]
    """The first one discovered in each row, or NONE."""
    roots: NDArray[np.int32]
    """A step from each invalid cell towards the one that stands for its wall, NONE for other cells; see `walls.py`.
    Empty where no policy asks for walls, and so are the next two."""
    sizes: NDArray[np.int32]
    """How many cells the wall has, at the cell that stands for it."""
    extremes: NDArray[np.int32]
    """Shape (vertices, 8), at the cell that stands for a wall: its farthest cells in eight directions."""


@note_invalid.register(GridObstacles)
def _note_cell(obstacles, graph, number, vertex):
    x, y = grid_cell(graph, np.int64(vertex))
    obstacles.cells[number, 0], obstacles.cells[number, 1] = x, y
    across, up = x >> _SIDE_BITS, y >> _SIDE_BITS
    obstacles.links[number] = obstacles.heads[up, across]
    obstacles.heads[up, across] = number
    if obstacles.columns[x] == NONE:
        obstacles.columns[x] = number
    if obstacles.rows[y] == NONE:
        obstacles.rows[y] = number
    if len(obstacles.roots) > 0:
        join_wall(obstacles, graph, vertex)


@closest_invalid.register(GridObstacles)
def _closest_cell(obstacles, graph, state, vertex):
    return _search_buckets(obstacles, graph, state, vertex)


@closest_along.register(GridObstacles)
def _closest_line(obstacles, graph, state, vertex, axis):
    return _search_lines(obstacles, graph, state, vertex, axis)


@piece
def _search_buckets(obstacles, graph, state, vertex):
    """Look through rings of buckets around the cell until no farther one can hold a closer one."""
    if state.counts[INVALID_VERTICES] == 0:
        return NONE
    x, y = grid_cell(graph, np.int64(vertex))
    across, up = x >> _SIDE_BITS, y >> _SIDE_BITS
    bucket_rows, bucket_columns = obstacles.heads.shape
    closest, least = NONE, np.int64(1) << 62
    for ring in range(max(bucket_rows, bucket_columns)):
        if closest != NONE:
            # How far it is to the nearest cell outside the rings already seen.
            left, below = x - ((across - ring + 1) << _SIDE_BITS), y - ((up - ring + 1) << _SIDE_BITS)
            right, above = ((across + ring) << _SIDE_BITS) - 1 - x, ((up + ring) << _SIDE_BITS) - 1 - y
            margin = min(min(left, right), min(below, above)) + 1
            if margin * margin > least:
                break
        for row in range(max(up - ring, 0), min(up + ring + 1, bucket_rows)):
            # Whole rows at the top and the bottom of the ring, both ends of the others.
            stride = 1 if abs(row - up) == ring else 2 * ring
            for column in range(across - ring, across + ring + 1, stride):
                if column < 0 or column >= bucket_columns:
                    continue
                number = obstacles.heads[row, column]
                while number != NONE:
                    dx, dy = obstacles.cells[number, 0] - x, obstacles.cells[number, 1] - y
                    squares = dx * dx + dy * dy
                    if squares < least or (squares == least and number < closest):
                        closest, least = number, squares
                    number = obstacles.links[number]
    return closest


@piece
def _search_lines(obstacles, graph, state, vertex, axis):
    """Look at the columns (or rows) on both sides, the nearest first."""
    if state.counts[INVALID_VERTICES] == 0:
        return NONE
    here = grid_cell(graph, np.int64(vertex))[axis]
    firsts = obstacles.columns if axis == ALONG_X else obstacles.rows
    for offset in range(len(firsts)):
        before = firsts[here - offset] if here >= offset else NONE
        after = firsts[here + offset] if here + offset < len(firsts) else NONE
        if before != NONE and after != NONE:
            return min(before, after)
        if before != NONE or after != NONE:
            return max(before, after)
    return NONE
