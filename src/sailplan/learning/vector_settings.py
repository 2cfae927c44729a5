"""The settings of trainings that draw vectors."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

from sailplan.learning.settings import ScoreSettings, TrainingSettings, check, check_hidden, setting


@dataclass(frozen=True)
class VectorSettings(TrainingSettings):
    """What every training has that draws vectors."""

    vectors: int = setting(40, "Parameter vectors drawn in each round.")
    worlds_per_vector: int = setting(5, "Worlds on which each of them is rolled out.")
    elite: float = setting(0.2, "Share of the vectors, the best, to which the Gaussian is fitted again.")
    spread: float = setting(1.0, "Standard deviation of the first Gaussian, in units of each parameter.")
    least_spread: float = setting(0.05, "Below this the standard deviation does not fall.")
    most_spread: ClassVar[int] = 1000

    def __post_init__(self) -> None:
        super().__post_init__()
        check(self.vectors > 1, "vectors", self.vectors, "at least 2")
        check(self.worlds_per_vector > 0, "worlds_per_vector", self.worlds_per_vector, "positive")
        check(0 < self.elite <= 1, "elite", self.elite, "above 0 and at most 1")
        expected = f"at least least_spread, below {self.most_spread}"
        check(0 < self.least_spread <= self.spread < self.most_spread, "spread", self.spread, expected)


@dataclass(frozen=True)
class CrossEntropySettings(VectorSettings, ScoreSettings):
    """The cross-entropy method (the paper's baseline); a weight's unit is one over the root of a unit's inputs."""

    hidden: tuple[int, ...] = setting((100,), "Units of each hidden layer.")

    def __post_init__(self) -> None:
        super().__post_init__()
        check_hidden(self.hidden)

    def row_width(self) -> int:
        """How many parameters a network has: these are its examples."""
        widths = [super().row_width(), *self.hidden, 1]
        return sum((before + 1) * after for before, after in pairwise(widths))
