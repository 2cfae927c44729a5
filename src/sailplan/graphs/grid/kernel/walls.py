"""Walls: connected groups of known invalid cells, and the detours they force on the straight line to the goal.

A wall is represented by its farthest cells in eight directions; of equally far cells, by the one with the smallest
number. A path that meets a wall on the straight line must pass the farthest cells on its left or on its right. If a
wall reaches the border of the map, that side is closed, and its detour is set to the longer side of the map.
"""

from __future__ import annotations

import numpy as np

from sailplan.core.kernel.arrays import NONE
from sailplan.core.kernel.compile import inlined, piece
from sailplan.core.kernel.edges import OCTILE, distance
from sailplan.graphs.grid.kernel.edges import STEPS_X, STEPS_Y, grid_cell

DIRECTIONS = 8


@piece
def join_wall(walls, graph, vertex):
    """Add an invalid cell as a new wall, and merge it with the walls that it touches."""
    walls.roots[vertex], walls.sizes[vertex] = vertex, 1
    for direction in range(DIRECTIONS):
        walls.extremes[vertex, direction] = vertex
    x, y = grid_cell(graph, np.int64(vertex))
    for slot in range(8):
        to_x, to_y = x + STEPS_X[slot], y + STEPS_Y[slot]
        if 0 <= to_x < graph.width and 0 <= to_y < graph.height:
            other = to_y * graph.width + to_x
            if walls.roots[other] != NONE:
                _unite(walls, graph, _wall_of(walls, vertex), _wall_of(walls, other))


@inlined
def _unite(walls, graph, one, other):
    if one == other:
        return
    if walls.sizes[one] < walls.sizes[other]:
        one, other = other, one
    walls.roots[other] = one
    walls.sizes[one] += walls.sizes[other]
    for direction in range(DIRECTIONS):
        ours, theirs = walls.extremes[one, direction], walls.extremes[other, direction]
        reach, theirs_reach = _reach(graph, direction, ours), _reach(graph, direction, theirs)
        if theirs_reach > reach or (theirs_reach == reach and theirs < ours):
            walls.extremes[one, direction] = theirs


@inlined
def _wall_of(walls, vertex):
    """Return the root of the wall of an invalid cell (union-find with path halving)."""
    while walls.roots[vertex] != vertex:
        walls.roots[vertex] = walls.roots[walls.roots[vertex]]
        vertex = walls.roots[vertex]
    return vertex


@inlined
def _reach(graph, direction, vertex):
    """Return how far a cell lies to the left, right, bottom, top, or along the diagonals between."""
    x, y = grid_cell(graph, np.int64(vertex))
    along = direction >> 1
    value = x if along == 0 else y if along == 1 else x + y if along == 2 else x - y
    return value if direction & 1 else -value


@piece
def fill_walls(walls, graph, start, vertex, goal, values, first, unit):
    """Write five columns, beginning at `first`.

    They are the distance to the goal on an empty grid, the sum of the detours around all walls on the straight line to
    the goal, the detours around the first wall to its left and to its right, and the distance to the first wall.
    """
    x, y = grid_cell(graph, np.int64(vertex))
    goal_x, goal_y = grid_cell(graph, goal)
    away = distance(graph, OCTILE, vertex, goal)
    total, first_left, first_right, sight = 0.0, 0.0, 0.0, away
    steps, last = max(abs(goal_x - x), abs(goal_y - y)), NONE
    for step in range(1, steps):
        on_x = x + _rounded(step * ((goal_x - x) / steps))
        on_y = y + _rounded(step * ((goal_y - y) / steps))
        cell = on_y * graph.width + on_x
        if walls.roots[cell] == NONE:
            continue
        wall = _wall_of(walls, cell)
        if wall == last:
            continue
        left, right = _ways_round(walls, graph, vertex, goal, away, wall)
        total += min(left, right)
        if last == NONE:
            first_left, first_right, sight = left, right, distance(graph, OCTILE, vertex, cell)
        last = wall
    start_x, start_y = grid_cell(graph, start)
    if (goal_x >= start_x) != (goal_y >= start_y):
        # Mirror the world so that the goal lies to the upper right of the start.
        first_left, first_right = first_right, first_left
    values[first], values[first + 1] = away * unit, total * unit
    values[first + 2], values[first + 3], values[first + 4] = first_left * unit, first_right * unit, sight * unit


@inlined
def _rounded(offset):
    """Round to the nearest integer, halves away from zero, which is symmetric in left and right."""
    return np.int64(offset + 0.5) if offset >= 0.0 else -np.int64(0.5 - offset)


@inlined
def _ways_round(walls, graph, vertex, goal, away, wall):
    """Return the detours around a wall, to the left and to the right of the straight line."""
    x, y = grid_cell(graph, np.int64(vertex))
    goal_x, goal_y = grid_cell(graph, goal)
    left, right = 0.0, 0.0
    for direction in range(DIRECTIONS):
        corner = walls.extremes[wall, direction]
        corner_x, corner_y = grid_cell(graph, np.int64(corner))
        closed = (
            (direction == 0 and corner_x == 0)
            or (direction == 1 and corner_x == graph.width - 1)
            or (direction == 2 and corner_y == 0)
            or (direction == 3 and corner_y == graph.height - 1)
        )
        if closed:
            detour = float(max(graph.width, graph.height))
        else:
            detour = distance(graph, OCTILE, vertex, corner) + distance(graph, OCTILE, corner, goal) - away
        side = (goal_x - x) * (corner_y - y) - (goal_y - y) * (corner_x - x)
        if side >= 0:
            left = max(left, detour)
        if side <= 0:
            right = max(right, detour)
    return left, right
