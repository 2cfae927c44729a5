"""Vectors of numbers that make policies, drawn from a Gaussian that follows the best of them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, NamedTuple, TypeVar

import numpy as np

from sailplan.core import Limits, Policy, search
from sailplan.core.graph import FloatArray
from sailplan.core.problem import Problem
from sailplan.datasets.labelled import Lesson
from sailplan.learning.examples import Examples
from sailplan.learning.rounds import Candidate, Progress, Trained, draw_lessons, seed_of
from sailplan.learning.vector_settings import VectorSettings
from sailplan.parallel import run_all

Settings = TypeVar("Settings", bound=VectorSettings)


class Gaussian(NamedTuple):
    """Where vectors are drawn from, each number by itself."""

    mean: FloatArray
    deviation: FloatArray

    def draw(self, count: int, rng: np.random.Generator) -> FloatArray:
        """So many vectors."""
        return self.mean + self.deviation * rng.standard_normal((count, len(self.mean)))


def refit(vectors: FloatArray, costs: FloatArray, elite: float, least_spread: float) -> tuple[Gaussian, float]:
    """The Gaussian of the best share of the vectors, kept from collapsing, and the mean cost of that share."""
    count = max(1, round(elite * len(vectors)))
    best = np.argsort(costs, kind="stable")[:count]
    deviation = np.maximum(vectors[best].std(axis=0), least_spread)
    return Gaussian(vectors[best].mean(axis=0), deviation), float(costs[best].mean())


def costs_of(policies: Sequence[Policy], lessons: Sequence[Lesson], max_expansions: int, jobs: int) -> FloatArray:
    """The mean expansions of each policy, all on the same lessons."""

    def expansions(pair: tuple[Policy, Problem]) -> int:
        policy, problem = pair
        return search(problem, policy, Limits(expansions=max_expansions)).expansions

    counts = run_all(expansions, ((policy, lesson.problem) for policy in policies for lesson in lessons), jobs)
    costs: FloatArray = np.reshape(counts, (len(policies), -1)).mean(axis=1)
    return costs


@dataclass(frozen=True, eq=False)
class VectorLearner(ABC, Generic[Settings]):
    """Draws vectors and follows the best; its examples are vectors, labelled with what they cost."""

    lessons: Sequence[Lesson]
    settings: Settings
    seed: int
    jobs: int

    @abstractmethod
    def policy(self, vector: FloatArray) -> Trained:
        """The policy that a vector makes."""

    def mixing(self, number: int) -> float:
        """No one else selects."""
        return 0.0

    def collect(self, number: int, progress: Progress[Examples]) -> Examples:
        """Draw vectors and roll out each on the same few worlds; the cost is the mean of its expansions."""
        settings = self.settings
        lessons, _ = draw_lessons(self.lessons, settings.worlds_per_vector, self.seed, number)
        rng = np.random.default_rng(seed_of(self.seed, number))
        vectors = self._gaussian(progress).draw(settings.vectors, rng)
        policies = [self.policy(vector) for vector in vectors]
        return Examples(vectors, costs_of(policies, lessons, settings.max_expansions, self.jobs))

    def fit(self, number: int, progress: Progress[Examples]) -> tuple[list[Candidate], float]:
        """Fit the Gaussian to the elite of this round; its mean and the best vector are what is validated."""
        drawn = progress.examples[-1]
        gaussian, cost = self._refit(drawn)
        best = drawn.rows[int(np.argmin(drawn.labels))]
        return [Candidate(self.policy(gaussian.mean)), Candidate(self.policy(best))], cost

    def _gaussian(self, progress: Progress[Examples]) -> Gaussian:
        if progress.examples:
            return self._refit(progress.examples[-1])[0]
        width = self.settings.row_width()
        return Gaussian(np.zeros(width), np.full(width, self.settings.spread))

    def _refit(self, drawn: Examples) -> tuple[Gaussian, float]:
        return refit(drawn.rows, drawn.labels, self.settings.elite, self.settings.least_spread)
