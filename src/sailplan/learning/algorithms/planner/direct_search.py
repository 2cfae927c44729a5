"""Direct search: recall, penalty and extra costs of a belief follow the objective itself (an evolution strategy).

A belief is changed by a vector: the numbers of penalty and recall, the weight of regrets, the numbers elsewhere, and
control points of the extra costs. Each part is missing if the belief has no such thing.

A perturbation and its opposite are rolled out on the same world. The difference of what they spend, times the
perturbation, estimates the gradient of the smoothed objective. Imitation cannot replace this: the oracle knows the
world and has no reason to take a path on which obstacles are met early.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import astuple, dataclass, replace
from functools import partial
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from sailplan.core.graph import FloatArray, Problem
from sailplan.learning.adam import Adam
from sailplan.learning.algorithms.planner.rollouts import between_random_cells
from sailplan.learning.algorithms.planner.settings import PlannerSettings
from sailplan.parallel import run_all
from sailplan.policies.replanning.beliefs.learned import Elsewhere, LearnedMultipliers
from sailplan.policies.replanning.beliefs.mixture import Recall
from sailplan.policies.replanning.beliefs.pixels import PIXELS, Floats, PixelFrame
from sailplan.policies.replanning.beliefs.prior import Penalty

_UNITS = np.array([1.5, 0.9, 0.8, 0.5, 1.0, 1.0, 0.7, 0.6, 0.8])
"""The change of the logarithm of each number per unit: of the penalty (prior weight, surprise, one minus certainty,
sharpness), then of the recall (of blocked, of free, reach, local, prior)."""
_REGRET_UNIT = 0.8
"""The same for the weight of regrets."""
_MOST_LOG = 7.0
_LEAST_LOG = -12.0
_ACROSS = 9
"""Number of control points of the extra costs in each direction; between them the change is linear."""
_DEVIATIONS = 0.4, 0.8
"""Standard deviation of the perturbations of numbers and of control points."""
_RATES = 0.1, 0.25
"""Largest change of numbers and of control points in a step."""
_MOMENTUM, _SCALING = 0.85, 0.97
"""Decay of the running means of the gradient, which is also that of the average that is kept, and of its square."""
_MOST_DIFFERENCE = 0.5
"""Limit of the difference of a pair, in mean costs of a search: few worlds would outweigh all others."""
ROUTE_ROUNDS = ((12, 48), (36, 12), (120, 1))
"""Candidates are compared on as many worlds, and as many of them are kept."""
_FIRST_WEIGHTS = (1.0, 2.0, 4.0, 8.0, 16.0)
_LEAST_WEIGHT = 0.01
"""Weights of regrets with which direct search may start, and that with which it starts from a route."""
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
        return float(np.mean(run_all(partial(self.spent, belief), self.problems[:count], self.jobs)))

    def best_of(self, beliefs: Sequence[LearnedMultipliers]) -> LearnedMultipliers:
        """Return the belief that spends least; those that are clearly worse are dropped after a few problems."""
        left = list(beliefs)
        for count, kept in ROUTE_ROUNDS:
            if len(left) > kept:
                means = [self.mean(belief, count) for belief in left]
                left = [left[index] for index in np.argsort(means, kind="stable")[:kept]]
        return left[0]

    def routes(self, belief: LearnedMultipliers, rng: np.random.Generator) -> list[LearnedMultipliers]:
        """Return the belief with extra costs beside random routes from start to goal, one for each.

        Regrets count almost nothing: a route is another way around the places that they tell of.
        """
        frame = belief.frame
        if frame is None or belief.offsets is None:
            return []
        belief = replace(belief, regret_weight=_LEAST_WEIGHT)
        return [replace(belief, offsets=random_route(frame, rng)) for _ in range(self.settings.routes)]

    def weighted(self, belief: LearnedMultipliers) -> list[LearnedMultipliers]:
        """Return the belief with several weights of regrets."""
        return [replace(belief, regret_weight=weight) for weight in _FIRST_WEIGHTS]

    def descend(
        self, belief: LearnedMultipliers, rates: tuple[float, float], rng: np.random.Generator
    ) -> LearnedMultipliers:
        """Take steps from a belief; the step size falls from the first to the second of two parts of the largest."""
        parts = parts_of(belief)
        repeats = sum(parts[:-1]), parts.points
        deviations, largest = (np.repeat(pair, repeats) for pair in (_DEVIATIONS, _RATES))
        vector, kept = np.zeros((2, sum(parts)))
        adam, steps = Adam(vector.shape, _MOMENTUM, _SCALING), self.settings.search_steps
        for step in range(1, steps + 1):
            rate = rates[0] + (rates[1] - rates[0]) * step / steps
            vector = vector - rate * largest * adam.direction(self._gradient(belief, vector, deviations, rng))
            kept = _MOMENTUM * kept + (1.0 - _MOMENTUM) * vector
        return changed(belief, kept)

    def _gradient(
        self, belief: LearnedMultipliers, vector: FloatArray, deviations: FloatArray, rng: np.random.Generator
    ) -> FloatArray:
        """The mean over pairs of perturbations, each on a random problem; of what counts in this problem only."""
        parts, spent, share = parts_of(belief), self.spent, self.settings.random_endpoints
        sources = rng.spawn(self.settings.search_pairs)
        # Drawn here, so that a task gets its problem and not all of them.
        problems = [self.problems[int(source.integers(len(self.problems)))] for source in sources]
        counts = {inside: np.repeat(parts.count_if(inside), parts) for inside in (False, True)}

        def difference(pair: tuple[Problem, np.random.Generator]) -> FloatArray:
            problem, source = pair
            if source.random() < share:
                problem = between_random_cells(problem, source)
            inside = belief.frame is None or belief.frame.fits(problem)
            drawn = source.standard_normal(len(vector)) * counts[inside]
            one, other = (spent(changed(belief, vector + sign * deviations * drawn), problem) for sign in (1, -1))
            limited: FloatArray = np.clip((one - other) / 2.0, -_MOST_DIFFERENCE, _MOST_DIFFERENCE) * drawn
            return limited

        pairs = list(zip(problems, sources, strict=True))
        gradient: FloatArray = np.mean(run_all(difference, pairs, self.jobs), axis=0)
        return gradient


class Parts(NamedTuple):
    """The lengths of the parts of a vector."""

    numbers: int
    regret_weight: int
    elsewhere: int
    points: int

    def count_if(self, inside: bool) -> tuple[bool, bool, bool, bool]:
        """Return whether each part counts in a problem; `inside` if its start and goal are those of the frame."""
        return inside or not self.elsewhere, inside, not inside, inside


def parts_of(belief: LearnedMultipliers) -> Parts:
    """Return the lengths of the parts of a vector that changes a belief."""
    has = belief.regrets is not None, belief.elsewhere is not None, belief.offsets is not None
    return Parts(len(_UNITS), *(length * one for length, one in zip((1, len(_UNITS), _ACROSS**2), has, strict=True)))


def changed(belief: LearnedMultipliers, vector: FloatArray) -> LearnedMultipliers:
    """Return the belief with other numbers and other extra costs.

    A vector of zeros changes nothing but by rounding.
    """
    numbers, weight, elsewhere, points = np.split(vector, np.cumsum(parts_of(belief))[:-1])
    penalty, recall = _changed_numbers(belief.penalty, belief.recall, numbers)
    belief = replace(belief, penalty=penalty, recall=recall)
    if belief.regrets is not None:
        (regret_weight,) = _scaled(np.array([belief.regret_weight]), _REGRET_UNIT * weight)
        belief = replace(belief, regret_weight=regret_weight)
    if belief.elsewhere is not None:
        recall, penalty = belief.elsewhere
        penalty, recall = _changed_numbers(penalty, recall, elsewhere)
        belief = replace(belief, elsewhere=Elsewhere(recall, penalty))
    if belief.offsets is not None:
        offsets = belief.offsets + _BETWEEN @ points.reshape(_ACROSS, _ACROSS) @ _BETWEEN.T
        belief = replace(belief, offsets=np.asarray(offsets, np.float32))
    return belief


def _changed_numbers(penalty: Penalty, recall: Recall, vector: FloatArray) -> tuple[Penalty, Recall]:
    numbers = np.array(
        [penalty.prior_weight, penalty.surprise, 1.0 - penalty.certainty, penalty.sharpness, *astuple(recall)]
    )
    prior_weight, surprise, doubt, sharpness, blocked, free, reach, local, prior = _scaled(numbers, _UNITS * vector)
    return (
        Penalty(prior_weight, surprise, 1.0 - min(doubt, 1.0), sharpness),
        Recall(blocked, free, reach, min(local, 1.0), min(prior, 1.0)),
    )


def _scaled(numbers: FloatArray, changes: FloatArray) -> list[float]:
    """The numbers with other logarithms."""
    logs = np.log(np.maximum(numbers, 1e-9)) + changes
    scaled: list[float] = np.exp(logs.clip(_LEAST_LOG, _MOST_LOG)).tolist()
    return scaled


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
