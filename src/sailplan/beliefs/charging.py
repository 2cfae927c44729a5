"""How much is charged for a cell that is blocked with some probability."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite

import numpy as np

from sailplan.errors import PolicyError
from sailplan.graphs.graph import FloatArray


@dataclass(frozen=True)
class Charging:
    """The charge 1 + linear p - surprise log(1 - certainty p) for a probability p of being blocked.

    The linear part is an expected detour. The other is the surprise that a path through the cell would be: small where
    little is known, and so large where the cell is as good as seen to be blocked that no path leads through it.
    """

    linear: float = 0.0
    surprise: float = 0.0
    certainty: float = 0.999
    """Below 1: the most that a belief is trusted."""

    def __post_init__(self) -> None:
        sound = isfinite(self.linear) and isfinite(self.surprise) and min(self.linear, self.surprise) >= 0.0
        if not sound or not 0.0 <= self.certainty < 1.0:
            raise PolicyError(f"charges need weights that are not negative and a certainty below 1, got {self}")

    def of(self, probabilities: FloatArray) -> FloatArray:
        """The charge of each cell."""
        charges: FloatArray = 1.0 + self.linear * probabilities
        charges -= self.surprise * np.log1p(-self.certainty * probabilities)
        return charges
