"""SaIL: search as imitation learning (the paper's Algorithm 3)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from time import perf_counter
from typing import Protocol

import numpy as np

from sailplan.errors import TrainingError
from sailplan.features import FeatureSet, feature_set
from sailplan.graphs.problem import Problem
from sailplan.learning.collect import collect
from sailplan.learning.examples import Examples
from sailplan.learning.lessons import Lesson, Lessons, make_lessons
from sailplan.learning.regressors import MakeRegressor, ScaledModel, fit_model, network_maker
from sailplan.learning.settings import SailSettings
from sailplan.learning.validate import mean_expansions
from sailplan.policies.classic import greedy
from sailplan.policies.learned import LearnedPolicy
from sailplan.policies.mixture import OneOfMany
from sailplan.policies.network import DenseNetwork
from sailplan.search import Policy


@dataclass(frozen=True)
class Round:
    """What a round did."""

    number: int
    oracle_probability: float
    """The share of steps that the oracle selected (β)."""
    examples: int
    """All that have been collected so far."""
    loss: float
    """Mean squared error on them, in squared deviations of the labels."""
    trust: float
    """The weight of what was learned that did best on the validation worlds."""
    validation_expansions: float
    """Mean expansions on the validation worlds."""
    seconds_rolling_out: float
    seconds_fitting: float
    seconds_validating: float


@dataclass
class Progress:
    """How far a training has come: all that it needs to go on."""

    rounds: list[Round] = field(default_factory=list)
    policies: list[LearnedPolicy] = field(default_factory=list)
    """The policy of each round."""
    examples: list[Examples] = field(default_factory=list)
    """What each round collected."""

    @property
    def best(self) -> int:
        """Index of the round with the fewest expansions on the validation worlds; the first of equals."""
        return int(np.argmin([one.validation_expansions for one in self.rounds]))

    def result(self, kind: str, seed: int) -> LearnedPolicy | OneOfMany:
        """The best policy, or the mixture of all of them."""
        return self.policies[self.best] if kind == "best" else OneOfMany(tuple(self.policies), seed)


class Keeper(Protocol):
    """What keeps each round, so that a training that is stopped can go on."""

    def load(self) -> Progress:
        """The rounds kept so far."""

    def save(self, progress: Progress) -> None:
        """Keep the last round."""


def train_sail(
    train: Sequence[Problem],
    validation: Sequence[Problem],
    settings: SailSettings,
    *,
    seed: int,
    jobs: int = 1,
    keeper: Keeper | None = None,
    features: FeatureSet | None = None,
    make_regressor: MakeRegressor | None = None,
    on_begin: Callable[[Lessons, Lessons], None] = lambda train, validation: None,
    on_round: Callable[[Round], None] = lambda done: None,
) -> LearnedPolicy | OneOfMany:
    """Learn a policy from problems whose worlds are known.

    The result depends on the problems, the settings and the seed alone, not on the number of jobs (threads) nor on
    where the training was stopped and taken up again. Features of your own may take the place of those that the
    settings name, and a regressor of your own that of the network. `on_begin` hears which worlds are trained and
    validated on and how many had no path, `on_round` what each round did.
    """
    features = features or feature_set(settings.features)
    make_regressor = make_regressor or network_maker(settings.network, features)
    lessons, unseen = training_lessons(train, validation, jobs)
    on_begin(lessons, unseen)
    progress = keeper.load() if keeper else Progress()
    for number in range(len(progress.rounds) + 1, settings.rounds + 1):
        probability = settings.oracle_probability ** (number - 1)
        learner = progress.policies[-1] if progress.policies else greedy("euclidean")
        began = perf_counter()
        rolled_out = _roll_out(lessons.solvable, learner, features, probability, settings, seed, number, jobs)
        progress.examples.append(rolled_out)
        collected = perf_counter()
        examples = Examples.concatenate(progress.examples)
        if len(examples) == 0:
            raise TrainingError("nothing to learn from: every search ends where it starts")
        model, loss = fit_model(make_regressor(_seed(seed, number)), examples, features, settings.target)
        fitted = perf_counter()
        policy, trust, expansions = _most_trusted(model, features, unseen.solvable, settings, jobs)
        times = collected - began, fitted - collected, perf_counter() - fitted
        progress.policies.append(policy)
        progress.rounds.append(Round(number, probability, len(examples), loss, trust, expansions, *times))
        if keeper:
            keeper.save(progress)
        on_round(progress.rounds[-1])
    return progress.result(settings.result, seed)


def _most_trusted(
    model: DenseNetwork | ScaledModel,
    features: FeatureSet,
    unseen: Sequence[Lesson],
    settings: SailSettings,
    jobs: int,
) -> tuple[LearnedPolicy, float, float]:
    """The policy, weight and mean expansions that do best on the validation worlds; the first of equals."""
    best: tuple[LearnedPolicy, float, float] | None = None
    for trust in settings.trust:
        weighted = replace(model, unit=model.unit * trust, offset=model.offset * trust)
        policy = LearnedPolicy(features, weighted, settings.rescore)
        expansions = mean_expansions(policy, unseen, settings.validation_expansions, jobs=jobs)
        if best is None or expansions < best[2]:
            best = policy, trust, expansions
    assert best is not None
    return best


def training_lessons(train: Sequence[Problem], validation: Sequence[Problem], jobs: int) -> tuple[Lessons, Lessons]:
    """The problems to train on and to validate on."""
    if len(train) == 0 or len(validation) == 0:
        raise TrainingError("a training needs at least one world to train on and another to validate on")
    return make_lessons(train, jobs=jobs), make_lessons(validation, jobs=jobs)


def _roll_out(
    lessons: Sequence[Lesson],
    learner: Policy,
    features: FeatureSet,
    probability: float,
    settings: SailSettings,
    seed: int,
    number: int,
    jobs: int,
) -> Examples:
    """Roll out on as many worlds as a round has, each drawn once if there are enough."""
    draw, *worlds = np.random.SeedSequence([seed, number]).spawn(settings.worlds_per_round + 1)
    count = min(settings.worlds_per_round, len(lessons))
    drawn = np.random.default_rng(draw).permutation(len(lessons))[:count]
    return collect(
        [lessons[index] for index in drawn],
        learner,
        features,
        oracle_probability=probability,
        samples=settings.samples_per_world,
        max_expansions=settings.max_expansions,
        seeds=worlds[:count],
        jobs=jobs,
    )


def _seed(seed: int, number: int) -> int:
    return int(np.random.SeedSequence([seed, number, 1]).generate_state(1)[0])
