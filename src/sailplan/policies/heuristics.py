"""Distances to the goal and to what is known to be invalid, and the keys made of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from sailplan.errors import PolicyError
from sailplan.graphs.graph import Graph
from sailplan.graphs.grid import GridGraph
from sailplan.graphs.problem import Problem
from sailplan.kernels import arrays
from sailplan.kernels.best_first import NOTHING_INVALID_KNOWN
from sailplan.kernels.edges import PLANE_DIAGONAL, SPACE_DIAGONAL
from sailplan.search.state import SearchState

Heuristic = Callable[[Problem, SearchState, Sequence[int]], list[float]]

# An open list takes in a handful of vertices at a time, for which plain floats are faster than arrays. The engines
# must agree to the last bit, so terms are added one by one in the order of the axes, as in the kernels.


def zero(problem: Problem, state: SearchState, vertices: Sequence[int]) -> list[float]:
    """Nothing: the heuristic of Dijkstra's algorithm."""
    return [0.0] * len(vertices)


def euclidean(problem: Problem, state: SearchState, vertices: Sequence[int]) -> list[float]:
    """Straight-line distance to the goal."""
    return [math.sqrt(_total([axis * axis for axis in offset])) for offset in _offsets(problem, vertices)]


def manhattan(problem: Problem, state: SearchState, vertices: Sequence[int]) -> list[float]:
    """Sum of the distances to the goal along the axes."""
    return [_total(offset) for offset in _offsets(problem, vertices)]


def octile(problem: Problem, state: SearchState, vertices: Sequence[int]) -> list[float]:
    """Length of the shortest way to the goal on an empty grid with the same moves, in up to three dimensions."""
    diagonal_cost = _diagonal_cost(problem.graph)
    straight, diagonal = min(1.0, diagonal_cost), min(2.0, diagonal_cost)
    lengths = []
    for offset in _offsets(problem, vertices):
        largest = max(offset)
        smallest = min(offset) if len(offset) > 2 else 0.0
        middle = _total(offset) - largest - smallest
        lengths.append(straight * largest + (diagonal - straight) * middle + SPACE_DIAGONAL * smallest)
    return lengths


def obstacle(problem: Problem, state: SearchState, vertices: Sequence[int]) -> list[float]:
    """Straight-line distance to the closest vertex known to be invalid (d_OBS); a huge one before any is."""
    if len(state.invalid) == 0:
        return [NOTHING_INVALID_KNOWN] * len(vertices)
    known = problem.graph.coordinates(state.invalid.tolist())
    here = problem.graph.coordinates(vertices)
    squares = sum((known[None, :, axis] - here[:, None, axis]) ** 2 for axis in range(here.shape[1]))
    closest: list[float] = np.sqrt(np.min(squares, axis=1)).tolist()
    return closest


HEURISTICS: dict[str, tuple[Heuristic, int]] = {
    "zero": (zero, arrays.ZERO),
    "euclidean": (euclidean, arrays.EUCLIDEAN),
    "manhattan": (manhattan, arrays.MANHATTAN),
    "octile": (octile, arrays.OCTILE),
    "obstacle": (obstacle, arrays.OBSTACLE),
}
"""Each heuristic by name, with the code by which the kernels know it."""


@dataclass(frozen=True)
class Key:
    """What a queue is ordered by: cost_weight * g + heuristic_weight * h."""

    heuristic: str = "euclidean"
    """A name in HEURISTICS."""
    cost_weight: float = 0.0
    """Weight of the cost from the start; zero means that a vertex keeps its key when it gets a cheaper path."""
    heuristic_weight: float = 1.0
    """Weight of the heuristic."""

    def __post_init__(self) -> None:
        if self.heuristic not in HEURISTICS:
            raise PolicyError(f"no heuristic {self.heuristic!r}; there are {', '.join(HEURISTICS)}")
        if not (0 <= self.cost_weight < math.inf and 0 <= self.heuristic_weight < math.inf):
            raise PolicyError("the weights of a key must be finite and not negative")

    @property
    def needs_coordinates(self) -> bool:
        """Whether the graph must say where its vertices are."""
        return self.heuristic != "zero" and self.heuristic_weight > 0

    def __call__(self, problem: Problem, state: SearchState, vertices: Sequence[int]) -> list[float]:
        """The key of each vertex."""
        keys = [self.cost_weight * cost for cost in state.cost[vertices].tolist()]
        if not self.needs_coordinates:
            return keys
        estimates = HEURISTICS[self.heuristic][0](problem, state, vertices)
        return [key + self.heuristic_weight * estimate for key, estimate in zip(keys, estimates, strict=True)]


def _offsets(problem: Problem, vertices: Sequence[int]) -> list[list[float]]:
    """How far each vertex is from the goal along each axis."""
    *places, goal = problem.graph.coordinates([*vertices, problem.goal]).tolist()
    return [[abs(here - there) for here, there in zip(place, goal, strict=True)] for place in places]


def _total(terms: Sequence[float]) -> float:
    # Not sum(): from Python 3.12 on it compensates for rounding, which the kernels do not.
    total = 0.0
    for term in terms:
        total += term
    return total


def _diagonal_cost(graph: Graph) -> float:
    return graph.arrays().diagonal_cost if isinstance(graph, GridGraph) else PLANE_DIAGONAL
