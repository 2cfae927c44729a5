"""The closest invalid vertices known so far: by straight-line distance, along x and along y.

Among equally close ones the first discovered counts. On a grid they are kept in square buckets and by column and row,
so that a query looks at a few of them, however many there are; elsewhere it looks at all.
"""

from __future__ import annotations

import math

import numpy as np

from sailplan.kernels.arrays import (
    EUCLIDEAN,
    INVALID_VERTICES,
    NONE,
    CsrArrays,
    GridArrays,
    GridObstacles,
    ListedObstacles,
    NoObstacles,
)
from sailplan.kernels.compile import inlined, inlined_overload, piece
from sailplan.kernels.edges import distance, position
from sailplan.kernels.grid import grid_cell
from sailplan.kernels.walls import DIRECTIONS, join_wall

_SIDE_BITS = 4
_SIDE = 1 << _SIDE_BITS
"""Cells along the side of a bucket."""

ALONG_X, ALONG_Y = 0, 1


def allocate_obstacles(
    graph: GridArrays | CsrArrays, closest: bool, walls: bool
) -> NoObstacles | ListedObstacles | GridObstacles:
    """What a search keeps of the invalid vertices it finds, to tell the closest ones, or walls."""
    if not closest and not walls:
        return NoObstacles()
    if not isinstance(graph, GridArrays):
        return ListedObstacles()
    vertices = graph.width * graph.height
    in_walls = vertices if walls else 0
    return GridObstacles(
        cells=np.empty((vertices, 2), np.int32),
        heads=np.full((-(-graph.height // _SIDE), -(-graph.width // _SIDE)), NONE, np.int32),
        links=np.empty(vertices, np.int32),
        columns=np.full(graph.width, NONE, np.int32),
        rows=np.full(graph.height, NONE, np.int32),
        roots=np.full(in_walls, NONE, np.int32),
        sizes=np.empty(in_walls, np.int32),
        extremes=np.empty((in_walls, DIRECTIONS), np.int32),
    )


def note_invalid(obstacles, graph, number, vertex):
    """Keep the vertex that was discovered as the `number`-th."""


@inlined_overload(note_invalid)
def _note_invalid(obstacles, graph, number, vertex):
    return {
        NoObstacles: lambda obstacles, graph, number, vertex: None,
        ListedObstacles: lambda obstacles, graph, number, vertex: None,
        GridObstacles: lambda obstacles, graph, number, vertex: _note_cell(obstacles, graph, number, vertex),
    }[obstacles.instance_class]


def closest_invalid(obstacles, graph, state, vertex):
    """Number of the closest one by straight-line distance, NONE where none is known."""


@inlined_overload(closest_invalid)
def _closest_invalid(obstacles, graph, state, vertex):
    return {
        NoObstacles: lambda obstacles, graph, state, vertex: NONE,
        ListedObstacles: lambda obstacles, graph, state, vertex: _closest_listed(graph, state, vertex),
        GridObstacles: lambda obstacles, graph, state, vertex: _closest_cell(obstacles, graph, state, vertex),
    }[obstacles.instance_class]


def closest_along(obstacles, graph, state, vertex, axis):
    """Number of the closest one by the distance along an axis alone, NONE where none is known."""


@inlined_overload(closest_along)
def _closest_along(obstacles, graph, state, vertex, axis):
    return {
        NoObstacles: lambda obstacles, graph, state, vertex, axis: NONE,
        ListedObstacles: lambda obstacles, graph, state, vertex, axis: _closest_listed_along(
            graph, state, vertex, axis
        ),
        GridObstacles: lambda obstacles, graph, state, vertex, axis: _closest_line(
            obstacles, graph, state, vertex, axis
        ),
    }[obstacles.instance_class]


@inlined
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


@piece
def _closest_cell(obstacles, graph, state, vertex):
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
def _closest_line(obstacles, graph, state, vertex, axis):
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


@piece
def _closest_listed(graph, state, vertex):
    closest, least = NONE, math.inf
    for number in range(state.counts[INVALID_VERTICES]):
        away = distance(graph, EUCLIDEAN, vertex, state.invalid[number])
        if away < least:
            closest, least = number, away
    return closest


@piece
def _closest_listed_along(graph, state, vertex, axis):
    closest, least = NONE, math.inf
    here = position(graph, vertex)[axis]
    for number in range(state.counts[INVALID_VERTICES]):
        offset = abs(position(graph, state.invalid[number])[axis] - here)
        if offset < least:
            closest, least = number, offset
    return closest
