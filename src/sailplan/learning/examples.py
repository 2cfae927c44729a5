"""Examples: features of open vertices, and what the oracle says of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from sailplan.core.graph import FloatArray


@dataclass(frozen=True, eq=False)
class Examples:
    """What a regressor learns from."""

    rows: FloatArray
    """Shape (examples, columns): the features."""
    labels: FloatArray
    """The cost-to-go of each, in the unit of the features."""

    def __len__(self) -> int:
        return len(self.labels)

    @classmethod
    def concatenate(cls, parts: Iterable[Examples]) -> Examples:
        """All of them, in this order."""
        held = list(parts)
        return cls(np.concatenate([one.rows for one in held]), np.concatenate([one.labels for one in held]))
