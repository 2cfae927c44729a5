"""How much is charged for a cell that may be blocked."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite

import numpy as np

from sailplan.core.graph import FloatArray
from sailplan.errors import PolicyError


@dataclass(frozen=True)
class Charging:
    """The charge 1 + steady q - surprise log(1 - certainty p^sureness).

    q is how often the cell was blocked in the training, p how likely it is to be by what the search has seen. The first
    part is steady: it makes a search set out on a way that is often free, and does not change its mind. The other is
    the surprise that a path through the cell would be: next to nothing where the belief is not sure, and so much where
    the cell is as good as seen to be blocked that no path leads through it.
    """

    steady: float = 0.0
    surprise: float = 0.0
    certainty: float = 0.999
    """Below 1: the most that a belief is trusted."""
    sureness: float = 1.0
    """The larger, the surer a belief must be to count."""

    def __post_init__(self) -> None:
        weights = (self.steady, self.surprise, self.sureness)
        sound = all(isfinite(weight) and weight >= 0.0 for weight in weights)
        if not sound or not 0.0 <= self.certainty < 1.0:
            raise PolicyError(f"charges need weights that are not negative and a certainty below 1, got {self}")

    def of(self, frequencies: FloatArray, probabilities: FloatArray) -> FloatArray:
        """The charge of each cell."""
        charges: FloatArray = 1.0 + self.steady * frequencies
        charges -= self.surprise * np.log1p(-self.certainty * probabilities**self.sureness)
        return charges
