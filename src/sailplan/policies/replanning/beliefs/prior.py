"""The belief that knows how often each cell was blocked in the worlds of the training."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from sailplan.core.graph import FloatArray
from sailplan.core.problem import Problem
from sailplan.graphs.grid.world import World
from sailplan.policies.replanning.beliefs.belief import NEVER, Refresh
from sailplan.policies.replanning.beliefs.charging import Charging
from sailplan.policies.replanning.beliefs.frame import Frame


@dataclass(frozen=True)
class Prior:
    """Charges for how often a cell was blocked, whatever the search has seen."""

    frame: Frame
    frequencies: FloatArray = field(repr=False, compare=False)
    """Of each vertex."""
    charging: Charging
    name: str = "prior"
    refresh: Refresh = NEVER

    def misfit(self, problem: Problem) -> str:
        """It knows one frame."""
        return self.frame.misfit(problem)

    def charges(self, problem: Problem) -> FloatArray:
        """Those of the frequencies."""
        return self.charging.of(self.frequencies, self.frequencies)

    def follow(self, problem: Problem) -> None:
        """Nothing changes."""


def blocked_frequencies(worlds: Sequence[World]) -> FloatArray:
    """How often each cell is blocked."""
    frequencies: FloatArray = np.mean([world.blocked for world in worlds], axis=0).reshape(-1)
    return frequencies
