"""By how much the cost of a cell is multiplied that may be blocked."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite

import numpy as np

from sailplan.core.graph import FloatArray
from sailplan.errors import PolicyError


@dataclass(frozen=True)
class Penalty:
    """The multiplier 1 + prior_weight q - surprise log(1 - certainty p^sharpness).

    q is how often the cell was blocked in the training, p how likely it is to be blocked by what the search has seen.
    The first part does not change during a search: it makes the search set out on a way that is often free, and keep
    to it. The second is the surprise that a free cell would be: next to nothing where the belief is not sure, and so
    much where the cell is as good as known to be blocked that no path leads through it.
    """

    prior_weight: float = 0.0
    surprise: float = 0.0
    certainty: float = 0.999
    """Below 1: the most that a belief is trusted."""
    sharpness: float = 1.0
    """The larger, the surer a belief must be to count."""

    def __post_init__(self) -> None:
        weights = (self.prior_weight, self.surprise, self.sharpness)
        sound = all(isfinite(weight) and weight >= 0.0 for weight in weights)
        if not sound or not 0.0 <= self.certainty < 1.0:
            raise PolicyError(f"a penalty needs weights that are not negative and a certainty below 1, got {self}")

    def multipliers(self, frequencies: FloatArray, probabilities: FloatArray) -> FloatArray:
        """The multiplier of each cell."""
        multipliers: FloatArray = 1.0 + self.prior_weight * frequencies
        multipliers -= self.surprise * np.log1p(-self.certainty * probabilities**self.sharpness)
        return multipliers
