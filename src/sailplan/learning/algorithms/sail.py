"""SaIL as in the paper (its Algorithm 2): a network regresses the cost-to-go of open vertices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Self, Unpack

import numpy as np

from sailplan.core import Limits, Policy, search
from sailplan.core.graph import Problem
from sailplan.datasets.labelled import LabelledProblem
from sailplan.errors import TrainingError
from sailplan.learning.regressors import Examples, MakeRegressor, fit_model, network_maker
from sailplan.learning.roadmaps import features_of_roadmap
from sailplan.learning.rounds import Candidate, Options, Progress, Training, draw_problems, run_rounds, seed_of
from sailplan.learning.settings import NetworkSettings, ScoreSettings, check, check_roll_outs, setting
from sailplan.parallel import run_all
from sailplan.policies.features import ROADMAP, FeatureSet, feature_set
from sailplan.policies.keyed.policy import greedy
from sailplan.policies.learned.network import Scaling
from sailplan.policies.learned.policy import LearnedPolicy
from sailplan.policies.mixture.policy import MixturePolicy
from sailplan.policies.oracle import OraclePolicy
from sailplan.policies.replay.samples import draw_steps, take_samples

TARGETS = ("cost_to_go", "detour")
_SAMPLES_FOR_SCALING, _EXPANSIONS_FOR_SCALING = 50, 2000


@dataclass(frozen=True)
class SailSettings(ScoreSettings):
    """SaIL with a score for each vertex (the paper's Algorithm 2)."""

    worlds_per_round: int = setting(200, "Worlds rolled out in each round (m).")
    samples_per_world: int = setting(50, "Random steps of each roll-out that give an example (k); 0: every step.")
    oracle_probability: float = setting(0.7, "Base β of the share of steps that the oracle selects, β^(round - 1).")
    target: str = setting(
        "cost_to_go", "What is regressed: cost_to_go, or detour (its excess over the initial estimate)."
    )
    network: NetworkSettings = field(default_factory=NetworkSettings)
    collects = Examples

    def __post_init__(self) -> None:
        super().__post_init__()
        check_roll_outs(self.worlds_per_round, self.samples_per_world)
        check(0 <= self.oracle_probability <= 1, "oracle_probability", self.oracle_probability, "between 0 and 1")
        check(self.target in TARGETS, "target", self.target, " or ".join(TARGETS))

    def check_features(self) -> None:
        """Roadmaps have features as well, which are made from the training worlds."""
        if self.features != ROADMAP:
            super().check_features()

    def example_width(self, policy: LearnedPolicy) -> int:
        """One column for each column of the features of the policy."""
        return len(policy.features.columns)

    @classmethod
    def from_json(cls, values: Any) -> Self:
        """Read what `as_json` returned; settings of earlier versions have weights of the learned part."""
        return super().from_json(without_trust(values))


def without_trust(values: Any) -> Any:
    """Remove the weights of the learned part, which is always 1 now; raises TrainingError if others were asked for."""
    if not isinstance(values, dict) or "trust" not in values:
        return values
    if values["trust"] != [1.0]:
        raise TrainingError("a run of an earlier version whose learned part may have another weight than 1")
    return {name: value for name, value in values.items() if name != "trust"}


PAPER = SailSettings(target="detour")
"""The paper's settings. What it leaves open was chosen on training maps: passes, averaging, and that the network
predicts the excess of the cost-to-go over the straight-line distance, to which the score adds that distance."""
ON_ROADMAPS = SailSettings(
    rounds=3,
    training_worlds=600,
    worlds_per_round=100,
    features=ROADMAP,
    rescore="full",
    target="detour",
    network=NetworkSettings(optimiser="adam", learning_rate=0.002, decay=True, batch_size=128, epochs=8, averaging=0.0),
)
"""What does best on roadmaps: all worlds are stored, and the initial estimate is the distance that the posterior
believes in."""


def train_sail(
    train: Sequence[Problem],
    validation: Sequence[Problem],
    settings: SailSettings = PAPER,
    *,
    seed: int,
    features: FeatureSet | None = None,
    make_regressor: MakeRegressor | None = None,
    **options: Unpack[Options],
) -> Training:
    """Learn a policy from problems whose worlds are known.

    The result depends on the problems, the settings and the seed only, not on the number of threads nor on where the
    training was stopped and continued.

    Parameters
    ----------
    train, validation
        Problems to train on, and problems on which the rounds are compared. Those without a path are left out.
    settings
        See `SailSettings`; `PAPER` is a preset.
    seed
        Seed of all random numbers.
    features
        Features of your own instead of those that the settings name.
    make_regressor
        Makes a regressor of your own from a seed, instead of the network; see `Regressor`.
    **options
        `jobs`, `keeper`, `on_round` and `baselines`, see `Options`.

    Returns
    -------
    Training
        The policy and what each round did.

    Raises
    ------
    TrainingError
        If there is nothing to learn from, or torch is needed and not installed.
    """
    named = settings.features
    chosen = features or (features_of_roadmap(train) if named == ROADMAP else feature_set(named))
    regressors = make_regressor or network_maker(settings.network, chosen)

    def make_learner(problems: Sequence[LabelledProblem], jobs: int) -> Imitator:
        return Imitator(problems, settings, chosen, regressors, seed, jobs)

    return run_rounds(make_learner, train, validation, settings, seed=seed, **options)


@dataclass(frozen=True, eq=False)
class Imitator:
    """Learns to predict the oracle's cost-to-go of the vertices that its own searches open."""

    problems: Sequence[LabelledProblem]
    settings: SailSettings
    features: FeatureSet
    make_regressor: MakeRegressor
    seed: int
    jobs: int

    def mixing(self, number: int) -> float:
        """The share of steps that the oracle selects (β): all of them in the first round."""
        return self.settings.oracle_probability ** (number - 1)

    def collect(self, number: int, progress: Progress[Examples]) -> Examples:
        """Roll out the mixture of oracle and learner, and label open vertices on the way."""
        problems, seeds = draw_problems(self.problems, self.settings.worlds_per_round, self.seed, number)
        return collect(
            problems,
            progress.policies[-1] if progress.policies else greedy("euclidean"),
            self.features,
            oracle_probability=self.mixing(number),
            samples=self.settings.samples_per_world,
            max_expansions=self.settings.max_expansions,
            seeds=seeds,
            jobs=self.jobs,
        )

    def fit(self, number: int, progress: Progress[Examples]) -> tuple[list[Candidate], float]:
        """Fit all examples so far, from scratch."""
        regressor, settings = self.make_regressor(seed_of(self.seed, number)), self.settings
        model, loss = fit_model(regressor, Examples.concatenate(progress.examples), self.features, settings.target)
        return [Candidate(LearnedPolicy(self.features, model, settings.rescore))], loss


def collect(
    problems: Sequence[LabelledProblem],
    learner: Policy,
    features: FeatureSet,
    *,
    oracle_probability: float,
    samples: int,
    max_expansions: int,
    seeds: Sequence[np.random.SeedSequence],
    jobs: int = 1,
) -> Examples:
    """Examples from one roll-out of the mixture on each problem, in the order of the problems.

    Before random steps of each roll-out a random open vertex is sampled and labelled with its true cost-to-go. There is
    one seed for each problem.
    """

    def roll_out(pair: tuple[LabelledProblem, np.random.SeedSequence]) -> Examples:
        labelled, seed = pair
        rng = np.random.default_rng(seed)
        oracle, own = OraclePolicy(labelled.table), features.held_out(labelled.problem)
        # The learner would recognise a world that its features have stored.
        unaware = learner.held_out(labelled.problem) if isinstance(learner, LearnedPolicy) else learner
        mixture = MixturePolicy(oracle, unaware, oracle_probability, seed=int(rng.integers(1 << 62)))
        trace = search(labelled.problem, mixture, Limits(expansions=max_expansions)).trace
        steps = draw_steps(len(trace.expanded), samples, rng)
        vertices, rows = take_samples(labelled.problem, trace, own, steps, rng.random(len(steps)))
        return Examples(rows, labelled.labels(vertices.tolist()) / features.span(labelled.problem))

    return Examples.concatenate(run_all(roll_out, list(zip(problems, seeds, strict=True)), jobs))


def scaling_of(problems: Sequence[LabelledProblem], features: FeatureSet, seed: int, jobs: int) -> Scaling:
    """The scale of each column in greedy searches, for networks that are run before they are trained."""
    seen = collect(
        problems,
        greedy("euclidean"),
        features,
        oracle_probability=0.0,
        samples=_SAMPLES_FOR_SCALING,
        max_expansions=_EXPANSIONS_FOR_SCALING,
        seeds=np.random.SeedSequence([seed, 0]).spawn(len(problems)),
        jobs=jobs,
    )
    return Scaling.fit(seen.rows) if len(seen) else Scaling.none(len(features.columns))
