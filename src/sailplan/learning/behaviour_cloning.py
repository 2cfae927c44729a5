"""Supervised learning on the oracle's own roll-outs (the paper's SL): the baseline without a feedback of errors."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sailplan.graphs.problem import Problem
from sailplan.learning.regressors import MakeRegressor
from sailplan.learning.sail import Keeper, Round, train_sail
from sailplan.learning.settings import PAPER, SailSettings
from sailplan.policies.learned import LearnedPolicy
from sailplan.policies.mixture import OneOfMany

CLONING = PAPER.changed(rounds=1, training_worlds=600, worlds_per_round=600, samples_per_world=0, epochs=40)
"""600 worlds, a sample at every step, a single round in which the oracle alone selects; as many steps of the optimiser
as all rounds of SaIL together."""


def train_behaviour_cloning(
    train: Sequence[Problem],
    validation: Sequence[Problem],
    settings: SailSettings = CLONING,
    *,
    seed: int,
    jobs: int = 1,
    keeper: Keeper | None = None,
    make_regressor: MakeRegressor | None = None,
    on_round: Callable[[Round], None] = lambda done: None,
) -> LearnedPolicy | OneOfMany:
    """Learn a policy from the oracle's roll-outs: SaIL with a single round, whose β is 1."""
    return train_sail(
        train,
        validation,
        settings.changed(rounds=1),
        seed=seed,
        jobs=jobs,
        keeper=keeper,
        make_regressor=make_regressor,
        on_round=on_round,
    )
