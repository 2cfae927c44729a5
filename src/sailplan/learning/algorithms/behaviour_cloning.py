"""Behaviour cloning (the paper's SL): supervised learning on the oracle's own roll-outs, without feedback."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from sailplan.core.graph import Problem
from sailplan.learning.algorithms.sail import ON_ROADMAPS, PAPER, SailSettings, train_sail
from sailplan.learning.rounds import Training
from sailplan.learning.settings import check, setting


@dataclass(frozen=True)
class CloningSettings(SailSettings):
    """Supervised learning (the paper's SL): SaIL with a single round."""

    rounds: int = setting(1, "Rounds of rolling out and learning (N).")

    def __post_init__(self) -> None:
        super().__post_init__()
        check(self.rounds == 1, "rounds", self.rounds, "1 in supervised learning")


CLONING = CloningSettings(
    training_worlds=600,
    worlds_per_round=600,
    samples_per_world=0,
    target=PAPER.target,
    network=replace(PAPER.network, epochs=40),
)
"""600 worlds, a sample at every step, a single round in which the oracle alone selects; as many steps of the optimiser
as all rounds of SaIL together."""
CLONING_ON_ROADMAPS = CLONING.changed(features=ON_ROADMAPS.features, rescore=ON_ROADMAPS.rescore, worlds_per_round=200)
"""The same with the features of roadmaps."""


def train_behaviour_cloning(
    train: Sequence[Problem],
    validation: Sequence[Problem],
    settings: CloningSettings = CLONING,
    *,
    seed: int,
    **options: Any,
) -> Training:
    """Learn a policy from the oracle's roll-outs: SaIL with a single round, in which β is 1.

    Parameters, results and errors are those of `train_sail`.
    """
    return train_sail(train, validation, settings, seed=seed, **options)
