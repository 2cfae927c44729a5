"""Kernels that compute the features of an open vertex.

Every named column has a code, its index in COLUMNS; so has every cell of a patch around the vertex. Before any invalid
vertex is known, the vertex itself is used as the closest one, at distance zero.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sailplan.core.kernel.arrays import INVALID, INVALID_VERTICES, NONE, UNSEEN
from sailplan.core.kernel.compile import dispatched, inlined, kernel, piece
from sailplan.core.kernel.edges import EUCLIDEAN, MANHATTAN, distance, position
from sailplan.core.kernel.obstacles import ALONG_X, ALONG_Y, closest_along, closest_invalid, note_invalid
from sailplan.graphs.grid.kernel.edges import GridArrays, TerrainArrays, grid_cell
from sailplan.graphs.grid.kernel.obstacles import GridObstacles
from sailplan.graphs.grid.kernel.walls import fill_walls

ABSOLUTE_COLUMNS = (
    "x",
    "y",
    "g",
    "h_euc",
    "h_man",
    "depth",
    "goal_x",
    "goal_y",
    "obstacle_x",
    "obstacle_y",
    "obstacle_distance",
    "obstacle_by_x_x",
    "obstacle_by_x_y",
    "obstacle_by_x_distance",
    "obstacle_by_y_x",
    "obstacle_by_y_y",
    "obstacle_by_y_distance",
)
"""The features of the paper, in cells."""
RELATIVE_COLUMNS = (
    "done_x",
    "done_y",
    "relative_g",
    "relative_h_euc",
    "relative_h_man",
    "relative_depth",
    "left_x",
    "left_y",
    "relative_obstacle_x",
    "relative_obstacle_y",
    "relative_obstacle_distance",
    "relative_obstacle_by_x_x",
    "relative_obstacle_by_x_y",
    "relative_obstacle_by_x_distance",
    "relative_obstacle_by_y_x",
    "relative_obstacle_by_y_y",
    "relative_obstacle_by_y_distance",
)
"""The same features relative to the vertex, mirrored so that the goal lies to the upper right of the start, in units of
the distance between the two."""
WALL_COLUMNS = ("relative_h_oct", "wall_detour", "wall_detour_left", "wall_detour_right", "wall_sight")
"""The features of `walls.py`, in the same unit."""
COLUMNS = ABSOLUTE_COLUMNS + RELATIVE_COLUMNS + WALL_COLUMNS

_X, _Y, _G, _H_EUC, _H_MAN, _DEPTH, _GOAL_X, _GOAL_Y = range(8)
CLOSEST, _CLOSEST_BY_X, _CLOSEST_BY_Y = 8, 11, 14
"""Indices of the absolute columns; each of the closest invalid vertices has x, y and distance."""
FIRST_RELATIVE = len(ABSOLUTE_COLUMNS)
FIRST_WALL = FIRST_RELATIVE + len(RELATIVE_COLUMNS)
PATCH = 1 << 20
_PATCH_ROW = 1 << 8
LARGEST_RADIUS = _PATCH_ROW // 2 - 1
"""The largest radius of a patch."""

KNOWN_FREE, UNKNOWN, KNOWN_INVALID = -1.0, 0.0, 1.0
"""Values of the cells of a patch; cells outside the map are known to be invalid."""


class FeatureArrays(NamedTuple):
    """The columns to compute, and scratch arrays."""

    columns: NDArray[np.int64]
    """Codes of the columns."""
    needs_obstacles: bool
    """Whether a column needs the closest invalid vertices."""
    needs_walls: bool
    """Whether a column needs the walls that invalid cells form."""
    values: NDArray[np.float64]
    """Scratch: the values of all named columns."""
    row: NDArray[np.float64]
    """Scratch: the values of `columns`, in their order."""


def patch_code(dx: int, dy: int) -> int:
    """Return the code of the cell at an offset, which is mirrored as the relative columns are."""
    return PATCH + (dy + LARGEST_RADIUS) * _PATCH_ROW + dx + LARGEST_RADIUS


@piece
def fill_row(search, features, vertex):
    """Compute the columns of a vertex into `features.row`."""
    _fill_values(search, features, vertex)
    for index in range(len(features.columns)):
        code = features.columns[index]
        if code < PATCH:
            features.row[index] = features.values[code]
        else:
            dx, dy = code % _PATCH_ROW - LARGEST_RADIUS, (code - PATCH) // _PATCH_ROW - LARGEST_RADIUS
            features.row[index] = _known_cell(search.graph, search.state, search.start, search.goal, vertex, dx, dy)


@inlined
def _fill_values(search, features, vertex):
    graph, state, values = search.graph, search.state, features.values
    x, y = position(graph, vertex)
    start_x, start_y = position(graph, search.start)
    goal_x, goal_y = position(graph, search.goal)
    values[_X], values[_Y] = x, y
    values[_G] = state.cost[vertex]
    values[_H_EUC] = distance(graph, EUCLIDEAN, vertex, search.goal)
    values[_H_MAN] = distance(graph, MANHATTAN, vertex, search.goal)
    values[_DEPTH] = state.depth[vertex]
    values[_GOAL_X], values[_GOAL_Y] = goal_x, goal_y
    if features.needs_obstacles:
        _fill_closest(search, values, vertex, x, y)
    relative = values[FIRST_RELATIVE:]
    away = distance(graph, EUCLIDEAN, search.start, search.goal)
    unit = 1.0 / away if away > 0.0 else 1.0
    right, up = unit * direction(start_x, goal_x), unit * direction(start_y, goal_y)
    relative[_X], relative[_Y] = (x - start_x) * right, (y - start_y) * up
    relative[_GOAL_X], relative[_GOAL_Y] = (goal_x - x) * right, (goal_y - y) * up
    for index in range(_G, _GOAL_X):
        relative[index] = values[index] * unit
    if features.needs_obstacles:
        for index in range(CLOSEST, FIRST_RELATIVE, 3):
            relative[index] = (values[index] - x) * right
            relative[index + 1] = (values[index + 1] - y) * up
            relative[index + 2] = values[index + 2] * unit
    if features.needs_walls:
        _fill_walls(search.obstacles, graph, search.start, vertex, search.goal, values, unit)


@inlined
def _fill_closest(search, values, vertex, x, y):
    graph, state, obstacles = search.graph, search.state, search.obstacles
    other = _invalid_or(vertex, state, closest_invalid(obstacles, graph, state, vertex))
    values[CLOSEST], values[CLOSEST + 1] = position(graph, other)
    values[CLOSEST + 2] = distance(graph, EUCLIDEAN, vertex, other)
    other = _invalid_or(vertex, state, closest_along(obstacles, graph, state, vertex, ALONG_X))
    values[_CLOSEST_BY_X], values[_CLOSEST_BY_X + 1] = position(graph, other)
    values[_CLOSEST_BY_X + 2] = abs(values[_CLOSEST_BY_X] - x)
    other = _invalid_or(vertex, state, closest_along(obstacles, graph, state, vertex, ALONG_Y))
    values[_CLOSEST_BY_Y], values[_CLOSEST_BY_Y + 1] = position(graph, other)
    values[_CLOSEST_BY_Y + 2] = abs(values[_CLOSEST_BY_Y + 1] - y)


@inlined
def _invalid_or(vertex, state, number):
    """Return the invalid vertex of a number, or the vertex itself if there is none."""
    return np.int64(vertex) if number == NONE else np.int64(state.invalid[number])


@inlined
def direction(start, goal):
    """Return the direction of the goal along an axis: 1 or -1."""
    return 1.0 if goal >= start else -1.0


@dispatched("obstacles", default=True)
def _fill_walls(obstacles, graph, start, vertex, goal, values, unit):
    """Write the wall columns; only invalid cells of a grid form walls."""


@_fill_walls.register(GridObstacles)
def _fill_walls_of_cells(obstacles, graph, start, vertex, goal, values, unit):
    fill_walls(obstacles, graph, start, vertex, goal, values, FIRST_WALL, unit)


@dispatched("graph", default=True)
def _known_cell(graph, state, start, goal, vertex, dx, dy):
    """Return what is known of the cell at an offset from the vertex; only grids have cells."""
    return math.nan


@_known_cell.register(GridArrays, TerrainArrays)
def _known_grid_cell(graph, state, start, goal, vertex, dx, dy):
    x, y = grid_cell(graph, np.int64(vertex))
    start_x, start_y = grid_cell(graph, start)
    goal_x, goal_y = grid_cell(graph, goal)
    x += dx if goal_x >= start_x else -dx
    y += dy if goal_y >= start_y else -dy
    if x < 0 or y < 0 or x >= graph.width or y >= graph.height:
        return KNOWN_INVALID
    status = state.status[y * graph.width + x]
    if status == INVALID:
        return KNOWN_INVALID
    return UNKNOWN if status == UNSEEN else KNOWN_FREE


@kernel
def fill_rows(search, features, vertices, rows):
    """Compute the columns of some vertices, one per row."""
    for index in range(len(vertices)):
        fill_row(search, features, vertices[index])
        for column in range(len(features.row)):
            rows[index, column] = features.row[column]


@kernel
def note_all_invalid(search):
    """Add all invalid vertices of a state to the index, which the search loop does one by one."""
    for number in range(search.state.counts[INVALID_VERTICES]):
        note_invalid(search.obstacles, search.graph, number, np.int64(search.state.invalid[number]))
