"""The features of the paper, in cells: position, path cost, depth, the goal, and the closest invalid vertices.

The closest of the known invalid vertices are found by straight-line distance, along x and along y; of equally close
ones, the one discovered first. Before any is known, the vertex itself is used, at distance zero, because an outlier
would distort the scaling of the column. Invalid edges between valid vertices are ignored.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sailplan.core.graph import FloatArray, Problem
from sailplan.core.state import SearchState
from sailplan.policies.features.feature import NamedColumns, plane_coordinates


def _position(problem: Problem, state: SearchState, vertices: Sequence[int]) -> FloatArray:
    return plane_coordinates(problem, vertices)


def _cost(problem: Problem, state: SearchState, vertices: Sequence[int]) -> FloatArray:
    return state.cost[np.asarray(vertices, np.int64), None]


def _depth(problem: Problem, state: SearchState, vertices: Sequence[int]) -> FloatArray:
    return state.depth[np.asarray(vertices, np.int64), None].astype(np.float64)


POSITION = NamedColumns(("x", "y"), _position)
"""The coordinates of the vertex."""
COST = NamedColumns(("g",), _cost)
"""The cost of the best path found to the vertex."""
DEPTH = NamedColumns(("depth",), _depth)
"""The number of edges on that path."""


def _euclidean(problem: Problem, state: SearchState, vertices: Sequence[int]) -> FloatArray:
    dx, dy = _offsets(problem, vertices)
    return np.asarray(np.sqrt(dx * dx + dy * dy)[:, None])


def _manhattan(problem: Problem, state: SearchState, vertices: Sequence[int]) -> FloatArray:
    dx, dy = _offsets(problem, vertices)
    return np.asarray((dx + dy)[:, None])


def _goal(problem: Problem, state: SearchState, vertices: Sequence[int]) -> FloatArray:
    return np.repeat(plane_coordinates(problem, [problem.goal]), len(vertices), axis=0)


def _offsets(problem: Problem, vertices: Sequence[int]) -> FloatArray:
    away = plane_coordinates(problem, vertices) - plane_coordinates(problem, [problem.goal])
    return np.abs(away.T)


EUCLIDEAN = NamedColumns(("h_euc",), _euclidean)
"""The straight-line distance to the goal."""
MANHATTAN = NamedColumns(("h_man",), _manhattan)
"""The distance to the goal along the axes. (The list of the paper calls it Euclidean, which is an error.)"""
GOAL = NamedColumns(("goal_x", "goal_y"), _goal)
"""The coordinates of the goal."""


_OBSTACLE_COLUMNS = tuple(
    f"obstacle{by}_{what}" for by in ("", "_by_x", "_by_y") for what in ("x", "y", "distance")
)  # (The paper prints the first distance as d_OBSX, which is an error.)


def _closest(problem: Problem, state: SearchState, vertices: Sequence[int]) -> FloatArray:
    here = plane_coordinates(problem, vertices)
    if len(state.invalid) == 0:
        return np.tile(np.hstack([here, np.zeros((len(here), 1))]), 3)
    known = plane_coordinates(problem, state.invalid.tolist())
    dx, dy = np.abs(known[None, :, :] - here[:, None, :]).transpose(2, 0, 1)
    parts = []
    for distances in (np.sqrt(dx * dx + dy * dy), dx, dy):
        closest = distances.argmin(axis=1)
        parts += [known[closest], np.take_along_axis(distances, closest[:, None], axis=1)]
    return np.hstack(parts)


OBSTACLES = NamedColumns(_OBSTACLE_COLUMNS, _closest)
"""Position and distance of each of the three closest invalid vertices."""
