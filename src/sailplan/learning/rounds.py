"""The loop of every training: collect, fit, validate, keep the best round."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any, Generic, NamedTuple, Protocol, TypedDict, TypeVar

import numpy as np

from sailplan.core import Limits, Note, Policy, SearchResult, search
from sailplan.core.graph import Problem
from sailplan.datasets.labelled import LabelledProblem, label_problems
from sailplan.errors import TrainingError
from sailplan.learning.settings import Objective, TrainingSettings
from sailplan.parallel import run_all
from sailplan.policies.lazy.policy import LazyPolicy
from sailplan.policies.learned.policy import LearnedPolicy
from sailplan.policies.mixture.policy import OneOfMany
from sailplan.policies.replanning.policy import ReplanningPolicy

Trained = LearnedPolicy | ReplanningPolicy | LazyPolicy
"""The policy of a round."""
Collected = TypeVar("Collected")
"""What a round collects: examples or transitions."""


@dataclass(frozen=True)
class Round:
    """What a round did."""

    number: int
    mixing: float
    """Share of steps that the learner did not select: β of the oracle in SaIL, ε of random steps in Q-learning."""
    examples: int
    """Number of examples collected so far, those of earlier rounds included."""
    loss: float
    """What was minimised: the squared error on the examples, in squared standard deviations of the labels; in the
    cross-entropy method the mean expansions (or evaluations) of the elite."""
    validation_expansions: float
    """Mean expansions on the validation worlds; 0 if the policy requests edges."""
    seconds_rolling_out: float
    seconds_fitting: float
    seconds_validating: float
    validation_evaluations: float = math.nan
    """Mean edge evaluations on the validation worlds; NaN if a version before them wrote the round."""

    @property
    def seconds(self) -> float:
        """Duration of the round."""
        return self.seconds_rolling_out + self.seconds_fitting + self.seconds_validating

    def validated(self, objective: Objective) -> float:
        """Mean of what is minimised on the validation worlds."""
        return self.validation_expansions if objective == "expansions" else self.validation_evaluations


@dataclass(frozen=True, eq=False)
class Training:
    """The result of a training."""

    policy: Trained | OneOfMany
    """The policy of the best round or, if the settings say so, the mixture of all rounds."""
    rounds: Sequence[Round]
    """All rounds, in order."""
    unsolvable: int = 0
    """Number of worlds that were left out because they have no path."""
    baselines: Mapping[str, float] = field(default_factory=dict)
    """Mean of what is minimised of policies that need no training, by name, on the same validation worlds."""
    notes: tuple[Note, ...] = ()
    """Remarks on the worlds."""
    objective: Objective = "expansions"
    """What was minimised."""

    @property
    def best(self) -> Round:
        """The round with the fewest expansions (or evaluations) on the validation worlds; the first of equals."""
        return min(self.rounds, key=lambda done: done.validated(self.objective))

    @property
    def better_baselines(self) -> list[str]:
        """Names of the baselines that need fewer of what was minimised than the trained policy, the best first."""
        names = [name for name, mean in self.baselines.items() if mean < self.best.validated(self.objective)]
        return sorted(names, key=lambda name: self.baselines[name])


@dataclass
class Progress(Generic[Collected]):
    """The state of a training between rounds: all that is needed to continue it."""

    rounds: list[Round] = field(default_factory=list)
    policies: list[Any] = field(default_factory=list)
    """The policy of each round, as the learner made it."""
    examples: list[Collected] = field(default_factory=list)
    """What each round collected."""
    objective: Objective = "expansions"
    """What is minimised."""

    @property
    def best(self) -> int:
        """Index of the round with the fewest expansions (or evaluations) in validation; the first of equals."""
        return int(np.argmin([done.validated(self.objective) for done in self.rounds]))

    def result(self, kind: str, seed: int) -> Trained | OneOfMany:
        """The best policy (`kind` is "best") or the mixture of all policies."""
        best: Trained = self.policies[self.best]
        return best if kind == "best" else OneOfMany(tuple(self.policies), seed)


class Candidate(NamedTuple):
    """A policy that a round proposes."""

    policy: Trained


class Learner(Protocol[Collected]):
    """An algorithm at work. A round depends on its number and on the rounds before it, and on nothing else."""

    def mixing(self, number: int) -> float:
        """Share of steps in this round that the learner does not select."""

    def collect(self, number: int, progress: Progress[Collected]) -> Collected:
        """Roll out on training worlds."""

    def fit(self, number: int, progress: Progress[Collected]) -> tuple[Sequence[Candidate], float]:
        """Learn from everything collected so far; return the candidates and the loss."""


MakeLearner = Callable[[Sequence[LabelledProblem], int], Learner[Any]]
"""Makes the learner from the labelled training problems and the number of threads."""


class Keeper(Protocol):
    """Stores each round, so that a training that was stopped can be continued."""

    def load(self) -> Progress[Any]:
        """The rounds stored so far."""

    def save(self, progress: Progress[Any]) -> None:
        """Store the last round."""


class Options(TypedDict, total=False):
    """Optional arguments of every `train_*` function."""

    jobs: int
    """Number of threads; the result does not depend on it."""
    keeper: Keeper | None
    """Stores each round; a training continues from what it holds."""
    on_round: Callable[[Round], None]
    """Called after each round."""
    baselines: Mapping[str, Policy]
    """Policies to validate beside the result."""
    max_minutes: float | None
    """No round begins after this time, but one round is always trained; None for no limit."""


def run_rounds(
    make_learner: MakeLearner,
    train: Sequence[Problem],
    validation: Sequence[Problem],
    settings: TrainingSettings,
    *,
    seed: int,
    jobs: int = 1,
    keeper: Keeper | None = None,
    on_round: Callable[[Round], None] = lambda done: None,
    baselines: Mapping[str, Policy] | None = None,
    max_minutes: float | None = None,
) -> Training:
    """Train for as many rounds as the settings say, after those that the keeper has stored, or until time runs out."""
    end = perf_counter() + check_minutes(max_minutes) * 60.0
    if len(train) == 0 or len(validation) == 0:
        raise TrainingError("training needs at least one world to train on and another to validate on")
    labelled, unseen = label_problems(train, jobs=jobs), label_problems(validation, jobs=jobs)
    learner = make_learner(labelled.solvable, jobs)
    progress: Progress[Any] = keeper.load() if keeper else Progress()
    objective = progress.objective = settings.minimised
    limits = limits_of(objective, settings.validation_expansions)

    def validate(policy: Policy) -> Counts:
        return mean_counts(policy, unseen.solvable, limits, jobs=jobs)

    for number in range(len(progress.rounds) + 1, settings.rounds + 1):
        began = perf_counter()
        progress.examples.append(learner.collect(number, progress))
        count = sum(len(collected) for collected in progress.examples)
        if count == 0:
            raise TrainingError("nothing to learn from: every search ends where it starts")
        collected = perf_counter()
        candidates, loss = learner.fit(number, progress)
        fitted = perf_counter()
        means = [validate(candidate.policy) for candidate in candidates]
        best = int(np.argmin([one.of(objective) for one in means]))
        times = collected - began, fitted - collected, perf_counter() - fitted
        progress.policies.append(candidates[best].policy)
        progress.rounds.append(
            Round(
                number,
                learner.mixing(number),
                count,
                loss,
                means[best].expansions,
                *times,
                validation_evaluations=means[best].evaluations,
            )
        )
        if keeper:
            keeper.save(progress)
        on_round(progress.rounds[-1])
        if perf_counter() >= end:
            break
    return Training(
        policy=progress.result(settings.result, seed),
        rounds=tuple(progress.rounds),
        unsolvable=labelled.unsolvable + unseen.unsolvable,
        baselines={name: validate(policy).of(objective) for name, policy in (baselines or {}).items()},
        objective=objective,
        notes=_note_on_time(len(progress.rounds), settings.rounds),
    )


def check_minutes(minutes: float | None) -> float:
    """Return a limit of minutes; infinite if it is None. Raises TrainingError if it is not a positive number."""
    if minutes is None:
        return math.inf
    if isinstance(minutes, bool) or not isinstance(minutes, int | float) or not minutes > 0:
        raise TrainingError(f"max_minutes must be a positive number, got {minutes!r}")
    return float(minutes)


def _note_on_time(done: int, planned: int) -> tuple[Note, ...]:
    if done >= planned:
        return ()
    return (Note("training", f"the time was over after round {done} of {planned}; resume the run to continue"),)


class Counts(NamedTuple):
    """Numbers of expansions and of edge evaluations: of one search, or means of several."""

    expansions: float
    evaluations: float

    @classmethod
    def by(cls, result: SearchResult) -> Counts:
        """The counts of a search."""
        return cls(result.expansions, result.edge_evaluations)

    def of(self, objective: Objective) -> float:
        """The count that is minimised."""
        return self.expansions if objective == "expansions" else self.evaluations


def limits_of(objective: Objective, most: int) -> Limits:
    """The limits of a search by what is minimised."""
    return Limits(expansions=most) if objective == "expansions" else Limits(evaluations=most)


def mean_counts(policy: Policy, problems: Sequence[LabelledProblem], limits: Limits, *, jobs: int = 1) -> Counts:
    """Mean counts over the problems; a search that gives up counts with what it has spent."""

    def spent(labelled: LabelledProblem) -> Counts:
        return Counts.by(search(labelled.problem, policy, limits))

    counts = run_all(spent, problems, jobs)
    return Counts(*(sum(one) / len(counts) for one in zip(*counts, strict=True)))


def draw_problems(
    problems: Sequence[LabelledProblem], count: int, seed: int, number: int
) -> tuple[list[LabelledProblem], list[np.random.SeedSequence]]:
    """The problems that a round rolls out, drawn without replacement (at most all), and a seed for each."""
    draw, *seeds = np.random.SeedSequence([seed, number]).spawn(count + 1)
    count = min(count, len(problems))
    drawn = np.random.default_rng(draw).permutation(len(problems))[:count]
    return [problems[index] for index in drawn], seeds[:count]


def seed_of(seed: int, number: int) -> int:
    """The seed of what a round fits."""
    return int(np.random.SeedSequence([seed, number, 1]).generate_state(1)[0])
