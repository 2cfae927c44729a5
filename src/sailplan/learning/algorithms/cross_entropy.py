"""The cross-entropy method: vectors that make policies, drawn from a Gaussian that follows the best of them.

Here the vectors are the weights of a network (a baseline of the paper); `belief_training` draws the parameters of a
belief in the same way.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar, Generic, NamedTuple, TypeVar, Unpack

import numpy as np

from sailplan.core import Policy, search
from sailplan.core.graph import FloatArray, Problem
from sailplan.datasets.labelled import LabelledProblem
from sailplan.learning.algorithms.sail import scaling_of
from sailplan.learning.regressors import Examples
from sailplan.learning.rounds import (
    Candidate,
    Counts,
    Options,
    Progress,
    Trained,
    Training,
    draw_problems,
    limits_of,
    run_rounds,
    seed_of,
)
from sailplan.learning.settings import ScoreSettings, TrainingSettings, check, check_hidden, setting
from sailplan.parallel import run_all
from sailplan.policies.features import FeatureSet, feature_set
from sailplan.policies.learned.network import DenseNetwork, Scaling
from sailplan.policies.learned.policy import LearnedPolicy


@dataclass(frozen=True)
class VectorSettings(TrainingSettings):
    """Settings of every training that draws vectors."""

    vectors: int = setting(40, "Parameter vectors drawn in each round.")
    worlds_per_vector: int = setting(5, "Worlds on which each of them is rolled out.")
    elite: float = setting(0.2, "Share of the vectors, the best, to which the Gaussian is fitted again.")
    spread: float = setting(1.0, "Standard deviation of the first Gaussian, in units of each parameter.")
    least_spread: float = setting(0.05, "Lower limit of the standard deviation.")
    most_spread: ClassVar[int] = 1000
    collects = Examples

    def __post_init__(self) -> None:
        super().__post_init__()
        check(self.vectors > 1, "vectors", self.vectors, "at least 2")
        check(self.worlds_per_vector > 0, "worlds_per_vector", self.worlds_per_vector, "positive")
        check(0 < self.elite <= 1, "elite", self.elite, "above 0 and at most 1")
        expected = f"at least least_spread, below {self.most_spread}"
        check(0 < self.least_spread <= self.spread < self.most_spread, "spread", self.spread, expected)


@dataclass(frozen=True)
class CrossEntropySettings(VectorSettings, ScoreSettings):
    """The cross-entropy method (the paper's baseline); a weight's unit is one over the root of a unit's inputs."""

    hidden: tuple[int, ...] = setting((100,), "Units of each hidden layer.")

    def __post_init__(self) -> None:
        super().__post_init__()
        check_hidden(self.hidden)

    def row_width(self) -> int:
        """The number of parameters of a network: these are the columns of an example."""
        widths = [super().row_width(), *self.hidden, 1]
        return sum((before + 1) * after for before, after in pairwise(widths))


CROSS_ENTROPY = CrossEntropySettings()
"""The paper's settings."""
LONG_ROLL_OUTS = CROSS_ENTROPY.changed(max_expansions=20_000)
"""What does better: untrained networks rarely find the goal within the paper's T, and if none does, all cost the same
and there is no best."""

Settings = TypeVar("Settings", bound=VectorSettings)


def train_cross_entropy(
    train: Sequence[Problem],
    validation: Sequence[Problem],
    settings: CrossEntropySettings = CROSS_ENTROPY,
    *,
    seed: int,
    **options: Unpack[Options],
) -> Training:
    """Find the weights of a network by the expansions of searches with it; needs neither the oracle nor torch.

    Parameters, results and errors are those of `train_sail`, without features and regressors of your own.
    """
    features = feature_set(settings.features)

    def make_learner(problems: Sequence[LabelledProblem], jobs: int) -> CrossEntropy:
        return CrossEntropy(problems, settings, seed, jobs, features, scaling_of(problems, features, seed, jobs))

    return run_rounds(make_learner, train, validation, settings, seed=seed, **options)


class Gaussian(NamedTuple):
    """The distribution of vectors; their numbers are independent."""

    mean: FloatArray
    deviation: FloatArray

    def draw(self, count: int, rng: np.random.Generator) -> FloatArray:
        """Draw vectors, one a row."""
        return self.mean + self.deviation * rng.standard_normal((count, len(self.mean)))


def refit(vectors: FloatArray, costs: FloatArray, elite: float, least_spread: float) -> tuple[Gaussian, float]:
    """The Gaussian of the best share of the vectors, kept from collapsing, and the mean cost of that share."""
    count = max(1, round(elite * len(vectors)))
    best = np.argsort(costs, kind="stable")[:count]
    deviation = np.maximum(vectors[best].std(axis=0), least_spread)
    return Gaussian(vectors[best].mean(axis=0), deviation), float(costs[best].mean())


@dataclass(frozen=True, eq=False)
class VectorLearner(ABC, Generic[Settings]):
    """Draws vectors and follows the best; its examples are vectors, labelled with their cost."""

    problems: Sequence[LabelledProblem]
    settings: Settings
    seed: int
    jobs: int

    @abstractmethod
    def policy(self, vector: FloatArray) -> Trained:
        """The policy that a vector makes."""

    def mixing(self, number: int) -> float:
        """Zero: the learner selects every step."""
        return 0.0

    def collect(self, number: int, progress: Progress[Examples]) -> Examples:
        """Draw vectors and roll out each on the same few worlds; the cost is the mean of what is minimised."""
        settings = self.settings
        problems, _ = draw_problems(self.problems, settings.worlds_per_vector, self.seed, number)
        rng = np.random.default_rng(seed_of(self.seed, number))
        vectors = self._gaussian(progress).draw(settings.vectors, rng)
        limits = limits_of(settings.minimised, settings.max_expansions)

        def cost(pair: tuple[Policy, Problem]) -> float:
            policy, problem = pair
            return Counts.by(search(problem, policy, limits)).of(settings.minimised)

        policies = [self.policy(vector) for vector in vectors]
        pairs = [(policy, labelled.problem) for policy in policies for labelled in problems]
        counts = np.reshape(run_all(cost, pairs, self.jobs), (len(policies), -1))
        return Examples(vectors, counts.mean(axis=1))

    def fit(self, number: int, progress: Progress[Examples]) -> tuple[list[Candidate], float]:
        """Fit the Gaussian to the elite of this round; its mean and the best vector are validated."""
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


@dataclass(frozen=True, eq=False)
class CrossEntropy(VectorLearner[CrossEntropySettings]):
    """Draws the weights of networks."""

    features: FeatureSet
    scaling: Scaling

    def policy(self, vector: FloatArray) -> LearnedPolicy:
        """The score of the network with these weights."""
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
