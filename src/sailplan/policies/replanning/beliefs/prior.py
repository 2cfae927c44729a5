"""The belief that knows how often each cell was blocked in the worlds of the training."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from sailplan.core.graph import FloatArray, Problem
from sailplan.graphs.grid.world import World
from sailplan.policies.replanning.beliefs.belief import NEVER, Refresh
from sailplan.policies.replanning.beliefs.frame import Frame
from sailplan.policies.replanning.beliefs.penalty import Penalty


@dataclass(frozen=True)
class Prior:
    """Multipliers by how often a cell was blocked, whatever the search has seen."""

    frame: Frame
    frequencies: FloatArray = field(repr=False, compare=False)
    """Of each vertex."""
    penalty: Penalty
    name: str = "prior"
    refresh: Refresh = NEVER

    def why_unsupported(self, problem: Problem) -> str:
        """It knows one frame."""
        return self.frame.why_unsupported(problem)

    def multipliers(self, problem: Problem) -> FloatArray:
        """Those of the frequencies."""
        return self.penalty.multipliers(self.frequencies, self.frequencies)

    def follow(self, problem: Problem) -> None:
        """Nothing changes."""


def blocked_frequencies(worlds: Sequence[World]) -> FloatArray:
    """How often each cell is blocked."""
    frequencies: FloatArray = np.mean([world.blocked for world in worlds], axis=0).reshape(-1)
    return frequencies
