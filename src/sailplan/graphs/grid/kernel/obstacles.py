"""A spatial index of the invalid cells of a grid; a query for the closest one visits a few cells only."""

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
"""Side length of a bucket in cells."""


class GridObstacles(NamedTuple):
    """Invalid cells in square buckets, and by column and row; cells are numbered in the order of discovery."""

    cells: NDArray[np.int32]
    """Shape (vertices, 2): x and y of each invalid cell."""
    heads: NDArray[np.int32]
    """Shape (bucket rows, bucket columns): the last cell discovered in each bucket, or NONE."""
    links: NDArray[np.int32]
    """The cell discovered before each cell in the same bucket, or NONE."""
    columns: NDArray[np.int32]
    """The first cell discovered in each column, or NONE."""
    rows: NDArray[np.int32]
    """The first cell discovered in each row, or NONE."""
    roots: NDArray[np.int32]
    """Union-find parent of each invalid cell, NONE for other cells; see `walls.py`. The arrays of walls have length 0
    if no policy needs walls."""
    sizes: NDArray[np.int32]
    """Number of cells of a wall, at its root."""
    extremes: NDArray[np.int32]
    """Shape (vertices, 8), at the root of a wall: its farthest cells in eight directions."""


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
    """Visit rings of buckets around the cell until no bucket outside them can contain a closer cell."""
    if state.counts[INVALID_VERTICES] == 0:
        return NONE
    x, y = grid_cell(graph, np.int64(vertex))
    across, up = x >> _SIDE_BITS, y >> _SIDE_BITS
    bucket_rows, bucket_columns = obstacles.heads.shape
    closest, least = NONE, np.int64(1) << 62
    for ring in range(max(bucket_rows, bucket_columns)):
        if closest != NONE:
            # Distance to the nearest cell outside the rings visited so far.
            left, below = x - ((across - ring + 1) << _SIDE_BITS), y - ((up - ring + 1) << _SIDE_BITS)
            right, above = ((across + ring) << _SIDE_BITS) - 1 - x, ((up + ring) << _SIDE_BITS) - 1 - y
            margin = min(min(left, right), min(below, above)) + 1
            if margin * margin > least:
                break
        for row in range(max(up - ring, 0), min(up + ring + 1, bucket_rows)):
            # All buckets of the top and bottom rows of the ring, both ends of the other rows.
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
    """Visit the columns (or rows) on both sides, the nearest first."""
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
