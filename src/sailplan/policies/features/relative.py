"""The features of the paper relative to the vertex, which generalise to other starts, goals and sizes.

The world is mirrored so that the goal lies to the upper right of the start, and lengths are in units of the
straight-line distance between the two.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sailplan.core.graph import FloatArray, Problem
from sailplan.core.state import SearchState
from sailplan.policies.features.absolute import COST, DEPTH, EUCLIDEAN, MANHATTAN, OBSTACLES
from sailplan.policies.features.feature import NamedColumns, plane_coordinates, span_of


def _done(problem: Problem, state: SearchState, vertices: Sequence[int]) -> FloatArray:
    return (plane_coordinates(problem, vertices) - plane_coordinates(problem, [problem.start])) * _axes(problem)


def _left(problem: Problem, state: SearchState, vertices: Sequence[int]) -> FloatArray:
    return (plane_coordinates(problem, [problem.goal]) - plane_coordinates(problem, vertices)) * _axes(problem)


def _obstacles(problem: Problem, state: SearchState, vertices: Sequence[int]) -> FloatArray:
    rows = OBSTACLES(problem, state, vertices)
    here, axes = plane_coordinates(problem, vertices), _axes(problem)
    for first in range(0, rows.shape[1], 3):
        rows[:, first : first + 2] = (rows[:, first : first + 2] - here) * axes
        rows[:, first + 2] *= unit_of(problem)
    return rows


@dataclass(frozen=True)
class _InSpans:
    """A feature in units of the distance between start and goal; a class, because a closure cannot be pickled."""

    feature: NamedColumns

    def __call__(self, problem: Problem, state: SearchState, vertices: Sequence[int]) -> FloatArray:
        return self.feature(problem, state, vertices) * unit_of(problem)


def _in_spans(feature: NamedColumns) -> NamedColumns:
    return NamedColumns(tuple(f"relative_{name}" for name in feature.columns), _InSpans(feature))


def unit_of(problem: Problem) -> float:
    """Return the factor by which lengths are multiplied."""
    return 1.0 / span_of(problem)


def direction(problem: Problem) -> FloatArray:
    """Return the direction of the goal along each axis: 1 or -1."""
    start, goal = plane_coordinates(problem, [problem.start, problem.goal])
    return np.where(goal >= start, 1.0, -1.0)


def _axes(problem: Problem) -> FloatArray:
    return unit_of(problem) * direction(problem)


DONE = NamedColumns(("done_x", "done_y"), _done)
"""The offset from the start to the vertex."""
LEFT = NamedColumns(("left_x", "left_y"), _left)
"""The offset from the vertex to the goal."""
RELATIVE_COST = _in_spans(COST)
RELATIVE_DEPTH = _in_spans(DEPTH)
RELATIVE_EUCLIDEAN = _in_spans(EUCLIDEAN)
RELATIVE_MANHATTAN = _in_spans(MANHATTAN)
RELATIVE_OBSTACLES = NamedColumns(tuple(f"relative_{name}" for name in OBSTACLES.columns), _obstacles)
"""The offset from the vertex to each of the closest invalid vertices, and its length."""
