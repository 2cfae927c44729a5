"""The space of an agent's actions: which candidate to expand."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium.spaces import Discrete
from numpy.typing import NDArray


class ChoiceSpace(Discrete[np.int64]):
    """So many candidates; `sample` draws one that is there, so that those who know of no masks can take steps."""

    def __init__(self, candidates: int) -> None:
        super().__init__(candidates)
        self.present = _first_alone(candidates)
        """1 for each candidate that there is; the environment keeps it."""

    def sample(self, mask: NDArray[np.int8] | None = None, probability: Any = None) -> np.int64:
        """Draw a candidate that there is or, where told so, by a mask or by probabilities."""
        if mask is None and probability is None:
            mask = self.present
        return super().sample(mask, probability)

    def seed(self, seed: int | None = None) -> int:
        """Seed the draws; until the environment says more, only the first candidate is drawn.

        It is there at every step, also after a reset: what is drawn now may be meant for then.
        """
        self.present = _first_alone(int(self.n))
        return super().seed(seed)


def _first_alone(candidates: int) -> NDArray[np.int8]:
    present = np.zeros(candidates, np.int8)
    present[0] = 1
    return present
