"""The loop that every training is: collect, fit, validate, keep the best round."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any, Generic, NamedTuple, Protocol, TypedDict, TypeVar

import numpy as np

from sailplan.core.problem import Problem
from sailplan.datasets.labelled import Lesson, Lessons, make_lessons
from sailplan.errors import TrainingError
from sailplan.learning.settings import TrainingSettings
from sailplan.learning.validate import mean_expansions
from sailplan.policies.learned.policy import LearnedPolicy
from sailplan.policies.mixture.policy import OneOfMany
from sailplan.policies.replanning.policy import ReplanningPolicy

Trained = LearnedPolicy | ReplanningPolicy
"""What a round makes."""
Collected = TypeVar("Collected")
"""What a round collects: examples, transitions."""


@dataclass(frozen=True)
class Round:
    """What a round did."""

    number: int
    mixing: float
    """The share of steps that the learner did not select: β of SaIL's oracle, ε of chance in Q-learning."""
    examples: int
    """All that have been collected so far."""
    loss: float
    """What was made small: squared error on the examples, in squared deviations of the labels; mean expansions of the
    elite in the cross-entropy method."""
    trust: float
    """The weight of what was learned that did best on the validation worlds."""
    validation_expansions: float
    """Mean expansions on the validation worlds."""
    seconds_rolling_out: float
    seconds_fitting: float
    seconds_validating: float

    @property
    def seconds(self) -> float:
        """How long it took."""
        return self.seconds_rolling_out + self.seconds_fitting + self.seconds_validating


@dataclass
class Progress(Generic[Collected]):
    """How far a training has come: all that it needs to go on."""

    rounds: list[Round] = field(default_factory=list)
    policies: list[Any] = field(default_factory=list)
    """The policy of each round, as the learner makes them."""
    examples: list[Collected] = field(default_factory=list)
    """What each round collected."""

    @property
    def best(self) -> int:
        """Index of the round with the fewest expansions on the validation worlds; the first of equals."""
        return int(np.argmin([one.validation_expansions for one in self.rounds]))

    def result(self, kind: str, seed: int) -> Trained | OneOfMany:
        """The best policy, or the mixture of all of them."""
        best: Trained = self.policies[self.best]
        return best if kind == "best" else OneOfMany(tuple(self.policies), seed)


class Candidate(NamedTuple):
    """A policy that a round proposes."""

    policy: Trained
    trust: float = 1.0


class Learner(Protocol[Collected]):
    """An algorithm at work on some lessons; a round depends on its number and on the rounds before alone."""

    def mixing(self, number: int) -> float:
        """The share of steps in this round that the learner does not select."""

    def collect(self, number: int, progress: Progress[Collected]) -> Collected:
        """Roll out."""

    def fit(self, number: int, progress: Progress[Collected]) -> tuple[Sequence[Candidate], float]:
        """Learn from all that was collected: policies, of which the best is kept, and the loss."""


class Keeper(Protocol):
    """What keeps each round, so that a training that is stopped can go on."""

    def load(self) -> Progress[Any]:
        """The rounds kept so far."""

    def save(self, progress: Progress[Any]) -> None:
        """Keep the last round."""


class Options(TypedDict, total=False):
    """What every training takes besides problems, settings and a seed."""

    jobs: int
    """Threads; the result does not depend on them."""
    keeper: Keeper | None
    on_begin: Callable[[Lessons, Lessons], None]
    """Hears which worlds are trained and validated on, and how many had no path."""
    on_round: Callable[[Round], None]
    """Hears what each round did."""


def run_rounds(
    make_learner: Callable[[Sequence[Lesson]], Learner[Any]],
    train: Sequence[Problem],
    validation: Sequence[Problem],
    settings: TrainingSettings,
    *,
    seed: int,
    jobs: int = 1,
    keeper: Keeper | None = None,
    on_begin: Callable[[Lessons, Lessons], None] = lambda train, validation: None,
    on_round: Callable[[Round], None] = lambda done: None,
) -> Trained | OneOfMany:
    """Train for as many rounds as the settings say, going on where the keeper has some."""
    if len(train) == 0 or len(validation) == 0:
        raise TrainingError("a training needs at least one world to train on and another to validate on")
    lessons, unseen = make_lessons(train, jobs=jobs), make_lessons(validation, jobs=jobs)
    on_begin(lessons, unseen)
    learner = make_learner(lessons.solvable)
    progress: Progress[Any] = keeper.load() if keeper else Progress()
    for number in range(len(progress.rounds) + 1, settings.rounds + 1):
        began = perf_counter()
        progress.examples.append(learner.collect(number, progress))
        count = sum(len(one) for one in progress.examples)
        if count == 0:
            raise TrainingError("nothing to learn from: every search ends where it starts")
        collected = perf_counter()
        candidates, loss = learner.fit(number, progress)
        fitted = perf_counter()
        chosen, expansions = _best_of(candidates, unseen.solvable, settings, jobs)
        times = collected - began, fitted - collected, perf_counter() - fitted
        progress.policies.append(chosen.policy)
        progress.rounds.append(Round(number, learner.mixing(number), count, loss, chosen.trust, expansions, *times))
        if keeper:
            keeper.save(progress)
        on_round(progress.rounds[-1])
    return progress.result(settings.result, seed)


def _best_of(
    candidates: Sequence[Candidate], unseen: Sequence[Lesson], settings: TrainingSettings, jobs: int
) -> tuple[Candidate, float]:
    """The candidate with the fewest expansions on the validation worlds, the first of equals, and these."""
    scores = [mean_expansions(one.policy, unseen, settings.validation_expansions, jobs=jobs) for one in candidates]
    best = int(np.argmin(scores))
    return candidates[best], scores[best]


def draw_lessons(
    lessons: Sequence[Lesson], count: int, seed: int, number: int
) -> tuple[list[Lesson], list[np.random.SeedSequence]]:
    """The lessons that a round rolls out, each drawn once, as many as there are at most, and a seed for each."""
    draw, *seeds = np.random.SeedSequence([seed, number]).spawn(count + 1)
    count = min(count, len(lessons))
    drawn = np.random.default_rng(draw).permutation(len(lessons))[:count]
    return [lessons[index] for index in drawn], seeds[:count]


def seed_of(seed: int, number: int) -> int:
    """The seed of what a round fits."""
    return int(np.random.SeedSequence([seed, number, 1]).generate_state(1)[0])
