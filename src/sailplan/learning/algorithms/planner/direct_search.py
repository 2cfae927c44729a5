"""Direct search: recall, penalty and extra costs of a belief follow the objective itself (an evolution strategy).

A perturbation and its opposite are rolled out on the same world. The difference of what they spend, times the
perturbation, estimates the gradient of the smoothed objective. Imitation cannot replace this: the oracle knows the
world and has no reason to take a path on which obstacles are met early.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import astuple, dataclass, replace
from itertools import pairwise

import numpy as np

from sailplan.core.graph import FloatArray, Problem
from sailplan.learning.algorithms.planner.rollouts import between_random_cells
from sailplan.learning.algorithms.planner.settings import PlannerSettings
from sailplan.parallel import run_all
from sailplan.policies.replanning.beliefs.learned import LearnedMultipliers
from sailplan.policies.replanning.beliefs.mixture import Recall
from sailplan.policies.replanning.beliefs.pixels import PIXELS, Floats, PixelFrame
from sailplan.policies.replanning.beliefs.prior import Penalty

_UNITS = np.array([1.5, 0.9, 0.8, 0.5, 1.0, 1.0, 0.7, 0.6, 0.8])
"""The change of the logarithm of each number per unit: of the penalty (prior weight, surprise, one minus certainty,
sharpness), then of the recall (of blocked, of free, reach, local, prior)."""
_MOST_LOG = 7.0
_LEAST_LOG = -12.0
_ACROSS = 9
"""Number of control points of the extra costs in each direction; between them the change is linear."""
_DEVIATIONS = 0.4, 0.8
"""Standard deviation of the perturbations of numbers and of control points."""
_RATES = 0.1, 0.25
"""Largest change of numbers and of control points in a step."""
_MOMENTUM, _SCALING = 0.85, 0.97
"""Decay of the running means of the gradient and of its square (Adam)."""
_MOST_DIFFERENCE = 0.5
"""Limit of the difference of a pair, in mean costs of a search: few worlds would outweigh all others."""
ROUTE_ROUNDS = ((12, 48), (36, 12), (120, 1))
"""Candidates are compared on as many worlds, and as many of them are kept."""
_WAYPOINTS = 3
_WIDTHS, _HEIGHTS = (0.1, 0.4), (0.3, 2.0)
"""Ranges of the width of a route, in sides of the map, and of the extra cost beside it."""
_LEAST_EXTRA = 0.03

Spent = Callable[[LearnedMultipliers, Problem], float]
"""What a search with a belief spends on a problem, in mean costs of a search."""


@dataclass(frozen=True, eq=False)
class DirectSearch:
    """Minimises what searches spend on training problems."""

    problems: Sequence[Problem]
    spent: Spent
    settings: PlannerSettings
    jobs: int

    def mean(self, belief: LearnedMultipliers, count: int) -> float:
        """Return the mean of what is spent on the first problems."""
        return float(np.mean(run_all(lambda one: self.spent(belief, one), self.problems[:count], self.jobs)))

    def best_of(self, beliefs: Sequence[LearnedMultipliers]) -> LearnedMultipliers:
        """Return the belief that spends least; those that are clearly worse are dropped after a few problems."""
        left = list(beliefs)
        for count, kept in ROUTE_ROUNDS:
            if len(left) > kept:
                means = [self.mean(belief, count) for belief in left]
                left = [left[index] for index in np.argsort(means, kind="stable")[:kept]]
        return left[0]

    def routes(self, belief: LearnedMultipliers, rng: np.random.Generator) -> list[LearnedMultipliers]:
        """Return the belief with extra costs beside random routes from start to goal, one for each."""
        if belief.frame is None or belief.offsets is None:
            return []
        return [replace(belief, offsets=random_route(belief.frame, rng)) for _ in range(self.settings.routes)]

    def descend(
        self, belief: LearnedMultipliers, rates: tuple[float, float], rng: np.random.Generator
    ) -> LearnedMultipliers:
        """Take steps from a belief; the step size falls from the first to the second of two parts of the largest."""
        numbers, points = len(_UNITS), 0 if belief.offsets is None else _ACROSS**2
        deviations, largest = (np.repeat(pair, (numbers, points)) for pair in (_DEVIATIONS, _RATES))
        vector, mean, square = np.zeros((3, numbers + points))
        kept, steps = vector.copy(), self.settings.search_steps
        for step in range(1, steps + 1):
            gradient = self._gradient(belief, vector, deviations, rng)
            mean = _MOMENTUM * mean + (1.0 - _MOMENTUM) * gradient
            square = _SCALING * square + (1.0 - _SCALING) * gradient**2
            scaled = mean / (1.0 - _MOMENTUM**step) / (np.sqrt(square / (1.0 - _SCALING**step)) + 1e-9)
            rate = rates[0] + (rates[1] - rates[0]) * step / steps
            vector = vector - rate * largest * scaled
            kept = _MOMENTUM * kept + (1.0 - _MOMENTUM) * vector
        return changed(belief, kept)

    def _gradient(
        self, belief: LearnedMultipliers, vector: FloatArray, deviations: FloatArray, rng: np.random.Generator
    ) -> FloatArray:
        """The mean over pairs of perturbations, each on a random problem."""
        seeds = rng.spawn(self.settings.search_pairs)

        def difference(source: np.random.Generator) -> FloatArray:
            problem = self.problems[int(source.integers(len(self.problems)))]
            if source.random() < self.settings.random_endpoints:
                problem = between_random_cells(problem, source)
            drawn = source.standard_normal(len(vector))
            one, other = (self.spent(changed(belief, vector + sign * deviations * drawn), problem) for sign in (1, -1))
            limited: FloatArray = np.clip((one - other) / 2.0, -_MOST_DIFFERENCE, _MOST_DIFFERENCE) * drawn
            return limited

        gradient: FloatArray = np.mean(run_all(difference, seeds, self.jobs), axis=0)
        return gradient


def changed(belief: LearnedMultipliers, vector: FloatArray) -> LearnedMultipliers:
    """Return the belief with other numbers and, if the vector has control points, other extra costs.

    A vector of zeros changes nothing but by rounding.
    """
    penalty, recall = belief.penalty, belief.recall
    numbers = np.array(
        [penalty.prior_weight, penalty.surprise, 1.0 - penalty.certainty, penalty.sharpness, *astuple(recall)]
    )
    logs = np.log(np.maximum(numbers, 1e-9)) + _UNITS * vector[: len(_UNITS)]
    prior_weight, surprise, doubt, sharpness, blocked, free, reach, local, prior = np.exp(
        logs.clip(_LEAST_LOG, _MOST_LOG)
    ).tolist()
    offsets = belief.offsets
    if offsets is not None and len(vector) > len(_UNITS):
        points = vector[len(_UNITS) :].reshape(_ACROSS, _ACROSS)
        offsets = np.asarray(offsets + _BETWEEN @ points @ _BETWEEN.T, np.float32)
    return replace(
        belief,
        penalty=Penalty(prior_weight, surprise, 1.0 - min(doubt, 1.0), sharpness),
        recall=Recall(blocked, free, reach, min(local, 1.0), min(prior, 1.0)),
        offsets=offsets,
    )


def random_route(frame: PixelFrame, rng: np.random.Generator) -> Floats:
    """Return the offsets of extra costs that grow with the distance from a route through up to three points.

    The points are in the order of their progress from start to goal. Many of them are at the border of the map, along
    which there is often a path.
    """
    points = np.clip(1.4 * rng.random((rng.integers(1, _WAYPOINTS + 1), 2)) - 0.2, 0.0, 1.0)
    start, goal = np.array(frame.start), np.array(frame.goal)
    points = np.stack([start, *points[np.argsort((points - start) @ (goal - start), kind="stable")], goal])
    width, height = rng.uniform(*_WIDTHS), rng.uniform(*_HEIGHTS)
    y, x = np.meshgrid(*2 * [(np.arange(PIXELS) + 0.5) / PIXELS], indexing="ij")
    distance = np.full((PIXELS, PIXELS), np.inf)
    for (from_x, from_y), (to_x, to_y) in pairwise(points):
        along_x, along_y = to_x - from_x, to_y - from_y
        length = max(along_x**2 + along_y**2, 1e-9)
        place = np.clip(((x - from_x) * along_x + (y - from_y) * along_y) / length, 0.0, 1.0)
        distance = np.minimum(distance, np.hypot(x - from_x - place * along_x, y - from_y - place * along_y))
    extra = np.maximum(height * np.minimum(distance / width, 1.0), _LEAST_EXTRA)
    return np.asarray(np.log(np.expm1(extra)), np.float32)


def _interpolation() -> FloatArray:
    """The weights of control points in each pixel along one axis, shape (PIXELS, _ACROSS)."""
    places = np.linspace(0.0, _ACROSS - 1.0, PIXELS)
    weights: FloatArray = np.maximum(1.0 - np.abs(places[:, None] - np.arange(_ACROSS)), 0.0)
    return weights


_BETWEEN = _interpolation()
