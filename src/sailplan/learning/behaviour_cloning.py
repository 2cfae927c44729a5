"""Supervised learning on the oracle's own roll-outs (the paper's SL): the baseline without a feedback of errors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from sailplan.core.problem import Problem
from sailplan.learning.rounds import Trained
from sailplan.learning.sail import train_sail
from sailplan.learning.settings import PAPER, CloningSettings
from sailplan.policies.mixture.policy import OneOfMany

CLONING = CloningSettings(
    training_worlds=600,
    worlds_per_round=600,
    samples_per_world=0,
    target=PAPER.target,
    network=replace(PAPER.network, epochs=40),
)
"""600 worlds, a sample at every step, a single round in which the oracle alone selects; as many steps of the optimiser
as all rounds of SaIL together."""


def train_behaviour_cloning(
    train: Sequence[Problem],
    validation: Sequence[Problem],
    settings: CloningSettings = CLONING,
    *,
    seed: int,
    **options: Any,
) -> Trained | OneOfMany:
    """Learn a policy from the oracle's roll-outs: SaIL with a single round, whose β is 1; it takes the same options."""
    return train_sail(train, validation, settings, seed=seed, **options)
