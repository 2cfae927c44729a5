"""Walls: groups of known invalid cells that touch, and the detour that they force on the straight way to the goal.

A wall is known by its farthest cells in eight directions; of equally far ones, by the one with the smallest number.
Whoever meets a wall on the straight way must go round it on one side or the other, past the farthest cells on that
side. Where a wall reaches the border of the map, that side is closed, and the detour is taken to be the map's longer
side.
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
    """Make the cell a wall of its own, and one with the walls that it touches."""
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
    """The cell that stands for the wall of an invalid cell."""
    while walls.roots[vertex] != vertex:
        walls.roots[vertex] = walls.roots[walls.roots[vertex]]
        vertex = walls.roots[vertex]
    return vertex


@inlined
def _reach(graph, direction, vertex):
    """How far a cell lies left, right, down, up, or along the diagonals between."""
    x, y = grid_cell(graph, np.int64(vertex))
    along = direction >> 1
    value = x if along == 0 else y if along == 1 else x + y if along == 2 else x - y
    return value if direction & 1 else -value


@piece
def fill_walls(walls, graph, start, vertex, goal, values, first, unit):
    """Write five columns from `first` on: the empty-grid distance to the goal; the detours round all walls on the
    straight way there, added up; those round the first one to the left and to the right; the distance to it.
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
        # The world is mirrored so that the goal lies to the upper right of the start.
        first_left, first_right = first_right, first_left
    values[first], values[first + 1] = away * unit, total * unit
    values[first + 2], values[first + 3], values[first + 4] = first_left * unit, first_right * unit, sight * unit


@inlined
def _rounded(offset):
    """To the nearest whole number, halves away from zero: the same way to the left as to the right."""
    return np.int64(offset + 0.5) if offset >= 0.0 else -np.int64(0.5 - offset)


@inlined
def _ways_round(walls, graph, vertex, goal, away, wall):
    """The detours round a wall, to the left and to the right of the straight way."""
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
