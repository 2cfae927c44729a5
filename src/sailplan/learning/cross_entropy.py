"""The cross-entropy method, a baseline of the paper: networks drawn from a Gaussian that follows the best of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Unpack

import numpy as np

from sailplan.core.graph import FloatArray
from sailplan.core.problem import Problem
from sailplan.datasets.labelled import Lesson
from sailplan.learning.collect import scaling_of
from sailplan.learning.rounds import Options, Trained, run_rounds
from sailplan.learning.vector_settings import CrossEntropySettings
from sailplan.learning.vectors import VectorLearner
from sailplan.policies.features import FeatureSet, Scaling, feature_set
from sailplan.policies.learned.network import DenseNetwork
from sailplan.policies.learned.policy import LearnedPolicy
from sailplan.policies.mixture.policy import OneOfMany

CROSS_ENTROPY = CrossEntropySettings()
"""The paper's settings."""
LONG_ROLL_OUTS = CROSS_ENTROPY.changed(max_expansions=20_000)
"""What does better: networks that nobody has trained rarely find the goal within the paper's T, and where none does,
all cost the same and there is no best."""


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
        return CrossEntropy(lessons, settings, seed, jobs, features, scaling_of(lessons, features, seed, jobs))

    return run_rounds(make_learner, train, validation, settings, seed=seed, **options)


@dataclass(frozen=True, eq=False)
class CrossEntropy(VectorLearner[CrossEntropySettings]):
    """Draws vectors of weights and follows the best."""

    features: FeatureSet
    scaling: Scaling

    def policy(self, vector: FloatArray) -> LearnedPolicy:
        """The score of the network whose weights these are."""
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
