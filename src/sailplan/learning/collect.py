"""Roll out the mixture of oracle and learner on every world, and look at random open vertices on the way."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sailplan.core import Limits, Policy, search
from sailplan.datasets.labelled import Lesson
from sailplan.learning.examples import Examples
from sailplan.parallel import run_all
from sailplan.policies.features import FeatureSet, Scaling
from sailplan.policies.keyed.recipes import greedy
from sailplan.policies.mixture.policy import MixturePolicy
from sailplan.policies.oracle import OraclePolicy
from sailplan.policies.replay.samples import draw_steps, take_samples

_SAMPLES_FOR_SCALING, _EXPANSIONS_FOR_SCALING = 50, 2000


def collect(
    lessons: Sequence[Lesson],
    learner: Policy,
    features: FeatureSet,
    *,
    oracle_probability: float,
    samples: int,
    max_expansions: int,
    seeds: Sequence[np.random.SeedSequence],
    jobs: int = 1,
) -> Examples:
    """The examples of one roll-out on each lesson, in the order of the lessons; a seed belongs to each."""

    def one(pair: tuple[Lesson, np.random.SeedSequence]) -> Examples:
        lesson, seed = pair
        rng = np.random.default_rng(seed)
        oracle = OraclePolicy(lesson.table)
        mixture = MixturePolicy(oracle, learner, oracle_probability, seed=int(rng.integers(1 << 62)))
        trace = search(lesson.problem, mixture, Limits(expansions=max_expansions)).trace
        steps = draw_steps(len(trace.expanded), samples, rng)
        vertices, rows = take_samples(lesson.problem, trace, features, steps, rng.random(len(steps)))
        return Examples(rows, lesson.labels(vertices.tolist()) / features.span(lesson.problem))

    return Examples.concatenate(run_all(one, zip(lessons, seeds, strict=True), jobs))


def scaling_of(lessons: Sequence[Lesson], features: FeatureSet, seed: int, jobs: int) -> Scaling:
    """The scale of each column, as greedy searches see it, for networks that must be run before they are trained."""
    seeds = np.random.SeedSequence([seed, 0]).spawn(len(lessons))
    seen = collect(
        lessons,
        greedy("euclidean"),
        features,
        oracle_probability=0.0,
        samples=_SAMPLES_FOR_SCALING,
        max_expansions=_EXPANSIONS_FOR_SCALING,
        seeds=seeds,
        jobs=jobs,
    )
    return Scaling.fit(seen.rows) if len(seen) else Scaling.none(len(features.columns))
