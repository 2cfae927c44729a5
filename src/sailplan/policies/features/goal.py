"""Where the goal is, and how far."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sailplan.core.graph import FloatArray
from sailplan.core.problem import Problem
from sailplan.core.state import SearchState
from sailplan.policies.features.feature import NamedColumns, plane_coordinates


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
"""Straight-line distance to the goal."""
MANHATTAN = NamedColumns(("h_man",), _manhattan)
"""Distance to the goal along the axes. (The paper's list calls it Euclidean: a slip.)"""
GOAL = NamedColumns(("goal_x", "goal_y"), _goal)
"""The coordinates of the goal."""
