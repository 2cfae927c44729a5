"""Episodic Q-learning, a baseline of the paper: no oracle, only the expansions that a search has cost."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Unpack

import numpy as np

from sailplan.core import Limits, search
from sailplan.core.problem import Problem
from sailplan.datasets.labelled import Lesson
from sailplan.learning.collect import scaling_of
from sailplan.learning.regressors import Differences, network_maker
from sailplan.learning.rounds import Candidate, Options, Progress, Trained, draw_lessons, run_rounds, seed_of
from sailplan.learning.settings import NetworkSettings, QLearningSettings
from sailplan.parallel import run_all
from sailplan.policies.features import FeatureSet, Scaling, feature_set
from sailplan.policies.learned.network import DenseNetwork, Layer
from sailplan.policies.learned.policy import LearnedPolicy
from sailplan.policies.mixture.policy import OneOfMany
from sailplan.policies.random_order.policy import epsilon_greedy
from sailplan.policies.replay.samples import draw_steps
from sailplan.policies.replay.transitions import Transitions, look_at_steps

if TYPE_CHECKING:
    from sailplan.learning.regressors.torch_network import TorchNetwork

_EXPANSIONS_IN_A_UNIT = 100.0
"""What an output of one stands for: the network's numbers stay small."""
Q_LEARNING = QLearningSettings(network=NetworkSettings(epochs=1))
"""The paper's settings; a pass over all transitions a round, as each goes on from the network of the round before.
As in SaIL's, the network adds to the first guess."""


def train_q_learning(
    train: Sequence[Problem],
    validation: Sequence[Problem],
    settings: QLearningSettings = Q_LEARNING,
    *,
    seed: int,
    **options: Unpack[Options],
) -> Trained | OneOfMany:
    """Learn the expansions that are still to come after expanding a vertex, from searches with random steps."""
    features = feature_set(settings.features)
    make_network = network_maker(settings.network, features)

    def make_learner(lessons: Sequence[Lesson]) -> QLearner:
        scaling = scaling_of(lessons, features, seed, options.get("jobs", 1))
        return QLearner(lessons, settings, features, scaling, make_network, seed, options.get("jobs", 1))

    return run_rounds(make_learner, train, validation, settings, seed=seed, **options)


@dataclass(frozen=True, eq=False)
class QLearner:
    """Learns what its own choices cost."""

    lessons: Sequence[Lesson]
    settings: QLearningSettings
    features: FeatureSet
    scaling: Scaling
    make_network: Callable[[int], TorchNetwork]
    seed: int
    jobs: int

    def mixing(self, number: int) -> float:
        """The share of random steps (ε)."""
        return self.settings.exploration**number

    def collect(self, number: int, progress: Progress[Transitions]) -> Transitions:
        """Roll out the last policy with random steps between."""
        lessons, seeds = draw_lessons(self.lessons, self.settings.worlds_per_round, self.seed, number)
        policy, exploration = self._policy(self._layers(progress)), self.mixing(number)

        def roll_out(pair: tuple[Lesson, np.random.SeedSequence]) -> Transitions:
            lesson, chance = pair
            return self._roll_out(lesson.problem, policy, exploration, np.random.default_rng(chance))

        return Transitions.concatenate(run_all(roll_out, zip(lessons, seeds, strict=True), self.jobs))

    def fit(self, number: int, progress: Progress[Transitions]) -> tuple[list[Candidate], float]:
        """Go on from the last network, over all transitions so far."""
        seen = Transitions.concatenate(progress.examples)
        network = self.make_network(seed_of(self.seed, number))
        loss = network.fit_differences(self.differences(seen), self._layers(progress))
        return [Candidate(self._policy(network.dense_layers()))], loss

    def differences(self, seen: Transitions) -> Differences:
        """The transitions as the network sees them."""
        guess = self.features.guess_weights
        return Differences(
            rows=self.scaling(seen.rows),
            guesses=seen.rows @ guess / self.unit,
            costs=seen.costs / self.unit,
            next_rows=self.scaling(seen.next_rows),
            next_guesses=seen.next_rows @ guess / self.unit,
            largest=self.settings.max_expansions * seen.costs / self.unit,
            goes_on=seen.goes_on,
        )

    @cached_property
    def unit(self) -> float:
        """What an output of the network is multiplied by."""
        costs = [1.0 / self.features.span(lesson.problem) for lesson in self.lessons]
        return _EXPANSIONS_IN_A_UNIT * sum(costs) / len(costs)

    def _roll_out(
        self, problem: Problem, policy: LearnedPolicy, exploration: float, rng: np.random.Generator
    ) -> Transitions:
        explorer = epsilon_greedy(policy, exploration, int(rng.integers(1 << 62)))
        longest = self.settings.max_expansions
        # A step more than is looked at: where T cuts the search short, the last step has led somewhere, too.
        result = search(problem, explorer, Limits(expansions=longest + 1))
        length = min(result.expansions, longest)
        # A step drawn twice would tell nothing new, so a short roll-out gives each of its steps once.
        steps = draw_steps(length, min(self.settings.samples_per_world, length), rng)
        return look_at_steps(problem, result.trace, policy, steps)

    def _layers(self, progress: Progress[Transitions]) -> Sequence[Layer]:
        """What the last round has learned; an untrained network before the first."""
        if not progress.policies:
            return self.make_network(seed_of(self.seed, 0)).untrained(len(self.features.columns))
        network = progress.policies[-1].model
        assert isinstance(network, DenseNetwork)
        return network.layers

    def _policy(self, layers: Sequence[Layer]) -> LearnedPolicy:
        network = DenseNetwork(tuple(layers), self.scaling, self.features.guess_weights, self.unit)
        return LearnedPolicy(self.features, network, self.settings.rescore)
