"""Heuristics: distances to the goal and to known invalid vertices."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from sailplan.core.graph import Problem, is_compiled
from sailplan.core.kernel import edges
from sailplan.core.state import SearchState
from sailplan.graphs.grid.graph import GridGraph
from sailplan.policies.keyed import kernel

Estimate = Callable[[Sequence[int]], list[float]]
"""A function that returns the value of a heuristic for each of some vertices."""
Heuristic = Callable[[Problem, SearchState], Estimate]
"""A function that creates the estimate of one search."""

# A few vertices are estimated at a time, for which Python floats are faster than arrays. The engines must agree to the
# last bit, so terms are added in the order of the axes, as in the kernels.


def zero(problem: Problem, state: SearchState) -> Estimate:
    """Return zero for each vertex, as in Dijkstra's algorithm."""
    return lambda vertices: [0.0] * len(vertices)


def euclidean(problem: Problem, state: SearchState) -> Estimate:
    """Return the straight-line distance to the goal."""

    def length(here: list[float], goal: list[float]) -> float:
        squares = 0.0
        for one, other in zip(here, goal):  # noqa: B905 (`strict` would take a third of the time)
            offset = one - other
            squares += offset * offset
        return math.sqrt(squares)

    return _to_goal(problem, length)


def manhattan(problem: Problem, state: SearchState) -> Estimate:
    """Return the sum of the distances to the goal along the axes."""
    return _to_goal(problem, lambda here, goal: _total(_offset(here, goal)))


def octile(problem: Problem, state: SearchState) -> Estimate:
    """Return the length of the shortest path on an empty grid with the same moves, in up to three dimensions."""
    graph = problem.graph
    diagonal_cost = graph.arrays().diagonal_cost if isinstance(graph, GridGraph) else edges.PLANE_DIAGONAL
    return _to_goal(problem, lambda here, goal: octile_length(_offset(here, goal), diagonal_cost))


def lower_bound(problem: Problem, state: SearchState) -> Estimate:
    """Return the lower bound of the cost that a graph with arrays provides (`core/kernel/edges.py`); 0 if none."""
    graph = problem.graph
    if not is_compiled(graph):
        return zero(problem, state)
    arrays = graph.arrays()

    def estimate(vertices: Sequence[int]) -> list[float]:
        bounds = np.empty(len(vertices))
        kernel.fill_lower_bounds(arrays, np.asarray(vertices, np.int64), problem.goal, bounds)
        values: list[float] = bounds.tolist()
        return values

    return estimate


def obstacle(problem: Problem, state: SearchState) -> Estimate:
    """Return the straight-line distance to the closest known invalid vertex (d_OBS); very large if there is none."""

    def estimate(vertices: Sequence[int]) -> list[float]:
        if len(state.invalid) == 0:
            return [kernel.NOTHING_INVALID_KNOWN] * len(vertices)
        known = problem.graph.coordinates(state.invalid.tolist())
        here = problem.graph.coordinates(vertices)
        squares = sum((known[None, :, axis] - here[:, None, axis]) ** 2 for axis in range(here.shape[1]))
        closest: list[float] = np.sqrt(np.min(squares, axis=1)).tolist()
        return closest

    return estimate


def clearance(problem: Problem, state: SearchState) -> Estimate:
    """Return the negated distance to the closest known invalid vertex: larger distances are better."""
    estimate = obstacle(problem, state)
    return lambda vertices: [-distance for distance in estimate(vertices)]


class HeuristicKind(NamedTuple):
    """A heuristic for both engines."""

    open: Heuristic
    """Creates the estimate of one search."""
    code: int
    """The code of the heuristic in the kernels."""


HEURISTICS: dict[str, HeuristicKind] = {
    "zero": HeuristicKind(zero, edges.ZERO),
    "euclidean": HeuristicKind(euclidean, edges.EUCLIDEAN),
    "manhattan": HeuristicKind(manhattan, edges.MANHATTAN),
    "octile": HeuristicKind(octile, edges.OCTILE),
    "lower_bound": HeuristicKind(lower_bound, kernel.LOWER_BOUND),
    "obstacle": HeuristicKind(obstacle, kernel.OBSTACLE),
    "clearance": HeuristicKind(clearance, kernel.CLEARANCE),
}
"""The heuristics by name."""


def _to_goal(problem: Problem, length: Callable[[list[float], list[float]], float]) -> Estimate:
    coordinates = problem.graph.coordinates
    (goal,) = coordinates([problem.goal]).tolist()
    return lambda vertices: [length(here, goal) for here in coordinates(vertices).tolist()]


def _offset(here: list[float], goal: list[float]) -> list[float]:
    return [abs(one - other) for one, other in zip(here, goal, strict=True)]


def _total(terms: list[float]) -> float:
    # Not sum(), which compensates for rounding from Python 3.12 on, unlike the kernels.
    total = 0.0
    for term in terms:
        total += term
    return total


def octile_length(offset: Sequence[float], diagonal_cost: float) -> float:
    """Return the length of the shortest path with straight and diagonal moves, for offsets along up to three axes.

    The engines must agree to the last bit, so terms are added in the order of the kernels.
    """
    straight, diagonal = min(1.0, diagonal_cost), min(2.0, diagonal_cost)
    largest = max(offset)
    smallest = min(offset) if len(offset) > 2 else 0.0
    total = 0.0
    for term in offset:
        total += term
    return straight * largest + (diagonal - straight) * (total - largest - smallest) + edges.SPACE_DIAGONAL * smallest
