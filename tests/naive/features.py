"""Features vertex by vertex, straight from their description, with lists and plain floats."""

from __future__ import annotations

import math
from collections.abc import Callable

from sailplan.core import SearchState
from sailplan.core.kernel.arrays import INVALID, UNSEEN
from sailplan.graphs import GridGraph, Problem

Place = tuple[float, float]


def closest(here: Place, known: list[Place], distance: Callable[[Place, Place], float]) -> tuple[Place, float]:
    """Return the first discovered of the closest places, and how far it is; `here` where none is known."""
    if not known:
        return here, 0.0
    least = min(distance(here, place) for place in known)
    return next(place for place in known if distance(here, place) == least), least


def straight(one: Place, other: Place) -> float:
    return math.sqrt((one[0] - other[0]) * (one[0] - other[0]) + (one[1] - other[1]) * (one[1] - other[1]))


def along_x(one: Place, other: Place) -> float:
    return abs(one[0] - other[0])


def along_y(one: Place, other: Place) -> float:
    return abs(one[1] - other[1])


def paper17(problem: Problem, state: SearchState, vertex: int) -> list[float]:
    """Return the seventeen numbers of the paper."""
    here, goal = _place(problem, vertex), _place(problem, problem.goal)
    known = [_place(problem, other) for other in state.invalid.tolist()]
    row = [*here, float(state.cost[vertex]), straight(here, goal), along_x(here, goal) + along_y(here, goal)]
    row += [float(state.depth[vertex]), *goal]
    for distance in (straight, along_x, along_y):
        place, away = closest(here, known, distance)
        row += [*place, away]
    return row


def relative(problem: Problem, state: SearchState, vertex: int) -> list[float]:
    """Return the same as seen from the vertex, mirrored and in units of the distance from start to goal."""
    x, y, cost, euclidean, manhattan, depth, goal_x, goal_y, *obstacles = paper17(problem, state, vertex)
    start_x, start_y = _place(problem, problem.start)
    span = straight((start_x, start_y), (goal_x, goal_y))
    unit = 1.0 / span if span > 0.0 else 1.0
    right, up = (unit if goal_x >= start_x else -unit), (unit if goal_y >= start_y else -unit)
    row = [(x - start_x) * right, (y - start_y) * up]
    row += [cost * unit, euclidean * unit, manhattan * unit, depth * unit]
    row += [(goal_x - x) * right, (goal_y - y) * up]
    for first in (0, 3, 6):
        place_x, place_y, away = obstacles[first : first + 3]
        row += [(place_x - x) * right, (place_y - y) * up, away * unit]
    return row


def patch(problem: Problem, state: SearchState, vertex: int, radius: int = 5) -> list[float]:
    """Return what is known of the cells around, rows from below, each from the left, mirrored like the others."""
    graph = problem.graph
    assert isinstance(graph, GridGraph)
    (x, y), (start_x, start_y), (goal_x, goal_y) = map(graph.cell, (vertex, problem.start, problem.goal))
    row = []
    for up in range(-radius, radius + 1):
        for right in range(-radius, radius + 1):
            at_x = x + right if goal_x >= start_x else x - right
            at_y = y + up if goal_y >= start_y else y - up
            if not graph.world.contains((at_x, at_y)):
                row.append(1.0)
                continue
            status = state.status[graph.vertex((at_x, at_y))]
            row.append(1.0 if status == INVALID else 0.0 if status == UNSEEN else -1.0)
    return row


def relative_and_patch(problem: Problem, state: SearchState, vertex: int) -> list[float]:
    """Return both."""
    return relative(problem, state, vertex) + patch(problem, state, vertex)


NAIVE: dict[str, Callable[[Problem, SearchState, int], list[float]]] = {
    "paper17": paper17,
    "relative": relative,
    "patch": relative_and_patch,
}


def _place(problem: Problem, vertex: int) -> Place:
    x, y = problem.graph.coordinates([vertex])[0].tolist()
    return x, y
