"""Episodic Q-learning, a baseline of the paper: it uses no oracle, only the expansions that a search has cost."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Unpack

import numpy as np

from sailplan.core import Limits, search
from sailplan.core.graph import Problem
from sailplan.datasets.labelled import LabelledProblem
from sailplan.learning.algorithms.sail import scaling_of
from sailplan.learning.regressors import Differences, network_maker
from sailplan.learning.rounds import Candidate, Options, Progress, Training, draw_problems, run_rounds, seed_of
from sailplan.learning.settings import NetworkSettings, ScoreSettings, check, check_roll_outs, setting
from sailplan.parallel import run_all
from sailplan.policies.features import FeatureSet, feature_set
from sailplan.policies.learned.network import DenseNetwork, Layer, Scaling
from sailplan.policies.learned.policy import LearnedPolicy
from sailplan.policies.random_order.policy import epsilon_greedy
from sailplan.policies.replay.samples import draw_steps
from sailplan.policies.replay.transitions import Transitions, look_at_steps

if TYPE_CHECKING:
    from sailplan.learning.regressors.torch_network import TorchNetwork

_EXPANSIONS_IN_A_UNIT = 100.0
"""Scale of the network's output, so that its numbers stay small."""


@dataclass(frozen=True)
class QLearningSettings(ScoreSettings):
    """Episodic Q-learning (the paper's baseline)."""

    worlds_per_round: int = setting(200, "Worlds rolled out in each round (m).")
    samples_per_world: int = setting(100, "Random steps of each roll-out that give an example (k); 0: every step.")
    exploration: float = setting(0.9, "Base ε of the share of random steps, ε^round.")
    network: NetworkSettings = field(default_factory=NetworkSettings)
    collects = Transitions

    def __post_init__(self) -> None:
        super().__post_init__()
        check_roll_outs(self.worlds_per_round, self.samples_per_world)
        check(0 <= self.exploration <= 1, "exploration", self.exploration, "between 0 and 1")
        check(self.rescore == "frozen", "rescore", self.rescore, "frozen in Q-learning")
        dense = feature_set(self.features).patch_columns == 0
        check(dense, "features", self.features, "a set without a patch in Q-learning, which needs dense layers")


Q_LEARNING = QLearningSettings(network=NetworkSettings(epochs=1))
"""The paper's settings; one pass over all transitions per round, as each round continues with the network of the one
before. As in SaIL, the network is added to the initial estimate."""


def train_q_learning(
    train: Sequence[Problem],
    validation: Sequence[Problem],
    settings: QLearningSettings = Q_LEARNING,
    *,
    seed: int,
    **options: Unpack[Options],
) -> Training:
    """Learn the number of expansions that follow the expansion of a vertex, from searches with random steps.

    Parameters, results and errors are those of `train_sail`, without features and regressors of your own.
    """
    features = feature_set(settings.features)
    make_network = network_maker(settings.network, features)

    def make_learner(problems: Sequence[LabelledProblem], jobs: int) -> QLearner:
        scaling = scaling_of(problems, features, seed, jobs)
        return QLearner(problems, settings, features, scaling, make_network, seed, jobs)

    return run_rounds(make_learner, train, validation, settings, seed=seed, **options)


@dataclass(frozen=True, eq=False)
class QLearner:
    """Learns the cost of its own choices."""

    problems: Sequence[LabelledProblem]
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
        """Roll out the last policy, with random steps in between."""
        problems, seeds = draw_problems(self.problems, self.settings.worlds_per_round, self.seed, number)
        policy, exploration, settings = self._policy(self._layers(progress)), self.mixing(number), self.settings

        def transitions(pair: tuple[LabelledProblem, np.random.SeedSequence]) -> Transitions:
            labelled, chance = pair
            return roll_out(labelled.problem, policy, exploration, settings, np.random.default_rng(chance))

        return Transitions.concatenate(run_all(transitions, list(zip(problems, seeds, strict=True)), self.jobs))

    def fit(self, number: int, progress: Progress[Transitions]) -> tuple[list[Candidate], float]:
        """Continue with the last network, on all transitions so far."""
        seen = Transitions.concatenate(progress.examples)
        network = self.make_network(seed_of(self.seed, number))
        loss = network.fit_differences(self.differences(seen), self._layers(progress))
        return [Candidate(self._policy(network.dense_layers()))], loss

    def differences(self, seen: Transitions) -> Differences:
        """The transitions in the units of the network."""
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
        """The factor of the network's output."""
        costs = [1.0 / self.features.span(labelled.problem) for labelled in self.problems]
        return _EXPANSIONS_IN_A_UNIT * sum(costs) / len(costs)

    def _layers(self, progress: Progress[Transitions]) -> Sequence[Layer]:
        """The layers of the last round; an untrained network before the first."""
        if not progress.policies:
            return self.make_network(seed_of(self.seed, 0)).untrained(len(self.features.columns))
        network = progress.policies[-1].model
        assert isinstance(network, DenseNetwork)
        return network.layers

    def _policy(self, layers: Sequence[Layer]) -> LearnedPolicy:
        network = DenseNetwork(tuple(layers), self.scaling, self.features.guess_weights, self.unit)
        return LearnedPolicy(self.features, network, self.settings.rescore)


def roll_out(
    problem: Problem, policy: LearnedPolicy, exploration: float, settings: QLearningSettings, rng: np.random.Generator
) -> Transitions:
    """Search with random steps in between, and return some of the steps with their costs."""
    explorer = epsilon_greedy(policy, exploration, int(rng.integers(1 << 62)))
    longest = settings.max_expansions
    # One step more than is sampled, so that the last sampled step has a successor if T cuts the search short.
    result = search(problem, explorer, Limits(expansions=longest + 1))
    length = min(result.expansions, longest)
    # A step drawn twice would add nothing, so a short roll-out gives each of its steps once.
    steps = draw_steps(length, min(settings.samples_per_world, length), rng)
    return look_at_steps(problem, result.trace, policy, steps)
