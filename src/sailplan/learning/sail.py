"""SaIL: search as imitation learning (the paper's Algorithm 3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Unpack

from sailplan.core.problem import Problem
from sailplan.datasets.labelled import Lesson
from sailplan.learning.collect import collect
from sailplan.learning.examples import Examples
from sailplan.learning.regressors import MakeRegressor, fit_model, network_maker
from sailplan.learning.rounds import Candidate, Options, Progress, Trained, draw_lessons, run_rounds, seed_of
from sailplan.learning.settings import SailSettings
from sailplan.policies.features import FeatureSet, feature_set
from sailplan.policies.keyed.recipes import greedy
from sailplan.policies.learned.policy import LearnedPolicy
from sailplan.policies.mixture.policy import OneOfMany


def train_sail(
    train: Sequence[Problem],
    validation: Sequence[Problem],
    settings: SailSettings,
    *,
    seed: int,
    features: FeatureSet | None = None,
    make_regressor: MakeRegressor | None = None,
    **options: Unpack[Options],
) -> Trained | OneOfMany:
    """Learn a policy from problems whose worlds are known.

    The result depends on the problems, the settings and the seed alone, not on the number of jobs (threads) nor on
    where the training was stopped and taken up again. Features of your own may take the place of those that the
    settings name, and a regressor of your own that of the network.
    """
    features = features or feature_set(settings.features)
    make_regressor = make_regressor or network_maker(settings.network, features)

    def make_learner(lessons: Sequence[Lesson]) -> Imitator:
        return Imitator(lessons, settings, features, make_regressor, seed, options.get("jobs", 1))

    return run_rounds(make_learner, train, validation, settings, seed=seed, **options)


@dataclass(frozen=True, eq=False)
class Imitator:
    """Learns to say what the oracle would of the vertices that its own searches meet."""

    lessons: Sequence[Lesson]
    settings: SailSettings
    features: FeatureSet
    make_regressor: MakeRegressor
    seed: int
    jobs: int

    def mixing(self, number: int) -> float:
        """The share of steps that the oracle selects (β): all of them in the first round."""
        return self.settings.oracle_probability ** (number - 1)

    def collect(self, number: int, progress: Progress[Examples]) -> Examples:
        """Roll out the mixture of oracle and learner, and ask the oracle about open vertices on the way."""
        lessons, seeds = draw_lessons(self.lessons, self.settings.worlds_per_round, self.seed, number)
        return collect(
            lessons,
            progress.policies[-1] if progress.policies else greedy("euclidean"),
            self.features,
            oracle_probability=self.mixing(number),
            samples=self.settings.samples_per_world,
            max_expansions=self.settings.max_expansions,
            seeds=seeds,
            jobs=self.jobs,
        )

    def fit(self, number: int, progress: Progress[Examples]) -> tuple[list[Candidate], float]:
        """Regress all examples so far, from scratch; a candidate for each weight of what is learned."""
        regressor, settings = self.make_regressor(seed_of(self.seed, number)), self.settings
        model, loss = fit_model(regressor, Examples.concatenate(progress.examples), self.features, settings.target)
        weighted = (
            (replace(model, unit=model.unit * trust, offset=model.offset * trust), trust) for trust in settings.trust
        )
        return [Candidate(LearnedPolicy(self.features, one, settings.rescore), trust) for one, trust in weighted], loss
