"""Column by column, features are moved and stretched to mean zero and deviation one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sailplan.core.graph import FloatArray


@dataclass(frozen=True, eq=False)
class Scaling:
    """What each column is reduced by, and then divided by."""

    mean: FloatArray
    deviation: FloatArray

    @classmethod
    def fit(cls, rows: FloatArray) -> Scaling:
        """Fit to the columns of some rows; a column that never changes keeps its size."""
        constant = rows.max(axis=0) == rows.min(axis=0)
        return cls(rows.mean(axis=0), np.where(constant, 1.0, rows.std(axis=0)))

    @classmethod
    def none(cls, columns: int) -> Scaling:
        """Leave the columns as they are."""
        return cls(np.zeros(columns), np.ones(columns))

    def __call__(self, rows: FloatArray) -> FloatArray:
        """The rows, scaled."""
        return (rows - self.mean) / self.deviation
