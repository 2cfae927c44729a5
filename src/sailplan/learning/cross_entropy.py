"""The cross-entropy method, a baseline of the paper: networks drawn from a Gaussian that follows the best of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple, Unpack

import numpy as np
from joblib import Parallel, delayed

from sailplan.features import FeatureSet, Scaling, feature_set
from sailplan.graphs.graph import FloatArray
from sailplan.graphs.problem import Problem
from sailplan.learning.collect import scaling_of
from sailplan.learning.examples import Examples
from sailplan.learning.lessons import Lesson
from sailplan.learning.rounds import Candidate, Options, Progress, Trained, draw_lessons, run_rounds, seed_of
from sailplan.learning.settings import CrossEntropySettings
from sailplan.policies.learned import LearnedPolicy
from sailplan.policies.mixture import OneOfMany
from sailplan.policies.network import DenseNetwork
from sailplan.search import Limits, Policy, search

CROSS_ENTROPY = CrossEntropySettings()
"""The paper's settings."""
LONG_ROLL_OUTS = CROSS_ENTROPY.changed(max_expansions=20_000)
"""What does better: networks that nobody has trained rarely find the goal within the paper's T, and where none does,
all cost the same and there is no best."""


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

    def expansions(policy: Policy, problem: Problem) -> int:
        return search(problem, policy, Limits(expansions=max_expansions)).expansions

    work = (delayed(expansions)(policy, lesson.problem) for policy in policies for lesson in lessons)
    counts = Parallel(n_jobs=jobs, prefer="threads")(work)
    costs: FloatArray = np.reshape(counts, (len(policies), -1)).mean(axis=1)
    return costs


def train_cross_entropy(
    train: Sequence[Problem],
    validation: Sequence[Problem],
    settings: CrossEntropySettings = CROSS_ENTROPY,
    *,
    seed: int,
    **options: Unpack[Options],
) -> Trained | OneOfMany:
    """Find the weights of a network by the expansions that searches with it cost; there is neither oracle nor torch."""
    features, jobs = feature_set(settings.features), options.get("jobs", 1)

    def make_learner(lessons: Sequence[Lesson]) -> CrossEntropy:
        return CrossEntropy(lessons, settings, features, scaling_of(lessons, features, seed, jobs), seed, jobs)

    return run_rounds(make_learner, train, validation, settings, seed=seed, **options)


@dataclass(frozen=True, eq=False)
class CrossEntropy:
    """Draws vectors of weights and follows the best; its examples are vectors, labelled with what they cost."""

    lessons: Sequence[Lesson]
    settings: CrossEntropySettings
    features: FeatureSet
    scaling: Scaling
    seed: int
    jobs: int

    def mixing(self, number: int) -> float:
        """No one else selects."""
        return 0.0

    def collect(self, number: int, progress: Progress[Examples]) -> Examples:
        """Draw vectors and roll out each on the same few worlds; the cost is the mean of its expansions."""
        settings = self.settings
        lessons, _ = draw_lessons(self.lessons, settings.worlds_per_vector, self.seed, number)
        rng = np.random.default_rng(seed_of(self.seed, number))
        vectors = self._gaussian(progress).draw(settings.vectors, rng)
        policies = [self._policy(vector) for vector in vectors]
        return Examples(vectors, costs_of(policies, lessons, settings.max_expansions, self.jobs))

    def fit(self, number: int, progress: Progress[Examples]) -> tuple[list[Candidate], float]:
        """Fit the Gaussian to the elite of this round; its mean and the best vector are what is validated."""
        drawn = progress.examples[-1]
        gaussian, cost = self._refit(drawn)
        best = drawn.rows[int(np.argmin(drawn.labels))]
        return [Candidate(self._policy(gaussian.mean)), Candidate(self._policy(best))], cost

    def _gaussian(self, progress: Progress[Examples]) -> Gaussian:
        if progress.examples:
            return self._refit(progress.examples[-1])[0]
        width = self.settings.row_width()
        return Gaussian(np.zeros(width), np.full(width, self.settings.spread))

    def _refit(self, drawn: Examples) -> tuple[Gaussian, float]:
        return refit(drawn.rows, drawn.labels, self.settings.elite, self.settings.least_spread)

    def _policy(self, vector: FloatArray) -> LearnedPolicy:
        network = network_of(vector, self.scaling, self.settings.hidden)
        return LearnedPolicy(self.features, network, self.settings.rescore)


def network_of(vector: FloatArray, scaling: Scaling, hidden: Sequence[int]) -> DenseNetwork:
    """The network whose weights a vector holds, layer by layer, each in units of one over the root of its inputs."""
    layers, first = [], 0
    for before, after in pairwise([len(scaling.mean), *hidden, 1]):
        weights = vector[first : first + before * after].reshape(before, after) / np.sqrt(before)
        first += before * after
        biases = vector[first : first + after]
        first += after
        layers.append((weights.astype(np.float32), biases.astype(np.float32)))
    return DenseNetwork(tuple(layers), scaling, np.zeros(len(scaling.mean)))
