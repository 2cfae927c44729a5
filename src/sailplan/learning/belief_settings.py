"""The settings of a training of a belief."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sailplan.learning.settings import check, setting
from sailplan.learning.vector_settings import VectorSettings
from sailplan.policies.replanning.policy import ReplanningPolicy

WEIGHTS = 9
"""How many numbers say what a belief makes of its memory; one each in `belief_training.py`."""


@dataclass(frozen=True)
class BeliefSettings(VectorSettings):
    """A belief: worlds are remembered, and what is made of them is found by the expansions that it costs."""

    rounds: int = setting(5, "Rounds of rolling out and learning (N).")
    training_worlds: int = setting(800, "Worlds to train on.")
    max_expansions: int = setting(3000, "Longest roll-out (T).")
    remembered: float = setting(0.85, "Share of the training worlds that are remembered; the others are rolled out.")
    vectors: int = setting(16, "Parameter vectors drawn in each round.")
    worlds_per_vector: int = setting(40, "Worlds on which each of them is rolled out.")
    elite: float = setting(0.25, "Share of the vectors, the best, to which the Gaussian is fitted again.")
    most_spread: ClassVar[int] = 10
    least_spread: float = setting(0.15, "Below this the standard deviation does not fall.")

    def __post_init__(self) -> None:
        super().__post_init__()
        check(self.result == "best", "result", self.result, "best in a training of a belief")
        check(0 < self.remembered < 1, "remembered", self.remembered, "between 0 and 1")

    def row_width(self) -> int:
        """One for each weight."""
        return WEIGHTS

    def could_make(self, policy: object) -> bool:
        """One that replans."""
        return isinstance(policy, ReplanningPolicy)
