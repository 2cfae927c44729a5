"""What a search knows and believes of the edges of a roadmap, and the distances to the goal that follow."""

from __future__ import annotations

from itertools import islice

import numpy as np
from numpy.typing import NDArray

from sailplan.core.graph import EdgeStatus, FloatArray, Problem
from sailplan.core.kernel.arrays import INVALID as INVALID_VERTEX
from sailplan.core.state import SearchState
from sailplan.graphs.explicit.graph import ExplicitGraph
from sailplan.oracle.cost_to_go import distances_to
from sailplan.policies.features.roadmap.kernel import INVALID, UNKNOWN, VALID, fill_edges
from sailplan.policies.replanning.beliefs.edge_posterior import EdgePosterior, EdgePosteriorFollower

_UNREACHABLE = 2.0
"""Vertices from which the goal cannot be reached are this many times as far away as the farthest of the others."""


def free_distances(graph: ExplicitGraph, goal: int) -> FloatArray:
    """Return the distance from each vertex to the goal if all edges are valid."""
    verdicts = np.full(graph.row_count, EdgeStatus.VALID, np.uint8)
    return _distances(graph, goal, graph.backward_arrays().costs, verdicts)


def _distances(graph: ExplicitGraph, goal: int, costs: FloatArray, verdicts: NDArray[np.uint8]) -> FloatArray:
    """Return the distances through edges with these costs and verdicts, given for the rows of the reversed graph."""
    backward = graph.backward_arrays()._replace(costs=costs, verdicts=verdicts)
    return distances_to(backward, goal, vertices=graph.vertex_count, in_degree=graph.max_in_degree)


class Knowledge:
    """The results of edges in one search, and the posterior given them.

    The results are read from the state of the search, never from the graph.
    """

    def __init__(self, belief: EdgePosterior, problem: Problem, graph: ExplicitGraph) -> None:
        self._posterior = EdgePosteriorFollower(belief, problem)
        self._graph, self._goal = graph, problem.goal
        self._per_log = belief.weights.surprise * self.step
        self._known = np.full(graph.edge_count, UNKNOWN, np.uint8)
        self._seen = (-1, -1, -1)
        backward = graph.backward_arrays()
        self._given = backward.given
        self._ends = np.repeat(np.arange(graph.vertex_count), np.diff(backward.first))
        """The target of each edge of the reversed graph, before it was reversed."""
        free = free_distances(graph, problem.goal)
        self.span = path_span(free, problem.start)
        """The unit of lengths."""
        self.free = self._finite(free)
        """The distance of each vertex to the goal if all edges are valid."""
        self.prior = self._through(self._costs(self._posterior.probabilities()))
        """The distances through the costs before anything is known."""
        self.optimistic, self.believed = self.free, self.prior

    @property
    def step(self) -> float:
        """The mean length of an edge."""
        return float(self._posterior.lengths.mean())

    def learn(self, state: SearchState) -> None:
        """Update the distances, if the state has changed since the last call."""
        seen = state.expansions, len(state.evaluated), len(state.invalid_edges)
        if seen == self._seen:
            return
        self._seen = seen
        before, invalid_before = len(self._posterior.known), np.count_nonzero(self._known == INVALID)
        self._posterior.learn(state)
        for edge, invalid in islice(self._posterior.known.items(), before, None):
            self._known[edge] = INVALID if invalid else VALID
        self._known[self._given[state.status[self._ends] == INVALID_VERTEX]] = INVALID
        invalid_chances = self._posterior.probabilities()
        invalid_chances[self._known == VALID] = 0.0
        self._chances = 1.0 - invalid_chances
        self._edge_costs = self._costs(invalid_chances)
        if np.count_nonzero(self._known == INVALID) > invalid_before:
            self.optimistic = self._through(self._posterior.lengths)
        self.believed = self._through(self._edge_costs)

    def fill_edges(self, vertices: NDArray[np.int64], rows: FloatArray) -> None:
        """Compute the columns about the edges of vertices."""
        forward, backward = self._graph.rows, self._graph.backward_arrays()
        fill_edges(
            (forward.first, forward.targets, forward.given),
            (backward.first, backward.given),
            self._known,
            self._edge_costs,
            self._chances,
            self.believed,
            vertices,
            self._goal,
            rows,
        )

    def _costs(self, invalid: FloatArray) -> FloatArray:
        """Return the cost of each edge, given the probability that it is invalid."""
        costs: FloatArray = self._posterior.lengths - self._per_log * np.log1p(-invalid)
        return costs

    def _through(self, costs: FloatArray) -> FloatArray:
        """Return the distance of each vertex through edges with these costs that are not known to be invalid."""
        blocked = self._known[self._given] == INVALID
        verdicts = np.where(blocked, EdgeStatus.INVALID_EDGE, EdgeStatus.VALID).astype(np.uint8)
        return self._finite(_distances(self._graph, self._goal, costs[self._given], verdicts))

    def _finite(self, distances: FloatArray) -> FloatArray:
        reached = np.isfinite(distances)
        distances[~reached] = _UNREACHABLE * max(float(distances[reached].max()), self.span)
        return distances


def path_span(free: FloatArray, start: int) -> float:
    """Return the unit of lengths, given the distances if all edges are valid: that of the start; 1 if it has none."""
    distance = float(free[start])
    return distance if 0.0 < distance < np.inf else 1.0


def coordinate_columns(coordinates: FloatArray, problem: Problem) -> FloatArray:
    """Return the place of each vertex relative to start and goal: distance, along, aside, and the offset by axis."""
    if coordinates.shape[1] == 0:
        return coordinates
    start, goal = coordinates[problem.start], coordinates[problem.goal]
    to_goal, done, line = goal - coordinates, coordinates - start, goal - start
    length = float(np.sqrt((line * line).sum()))
    direction = line / length if length else line
    along = (done * direction).sum(axis=1)
    aside = done - along[:, None] * direction
    distances = [np.sqrt((offset * offset).sum(axis=1)) for offset in (to_goal, aside)]
    return np.column_stack([distances[0], along, distances[1], to_goal])
