"""The prior given what has been seen: remembered worlds, weighted by how well they agree with what is known."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from sailplan.beliefs.belief import Refresh
from sailplan.beliefs.charging import Charging
from sailplan.beliefs.frame import Frame
from sailplan.beliefs.memory import Memory
from sailplan.graphs.graph import FloatArray
from sailplan.graphs.problem import Problem
from sailplan.kernels.agreement import add_disagreement, blend
from sailplan.kernels.arrays import INVALID, UNSEEN
from sailplan.search.state import SearchState

_LEAST_WEIGHT = 1e-3
"""A world that weighs less than this beside the best is left out."""
_LEAST_CHANGE = 0.05
"""The belief counts as unchanged where no probability has moved by more."""


@dataclass(frozen=True)
class Agreement:
    """How worlds are weighted: by exp(-doubt), where every cell that is otherwise than known adds to the doubt."""

    of_blocked: float = 0.6
    """Doubt for a cell that is known to be blocked and free in the world."""
    of_free: float = 0.5
    """Doubt for a cell that is known to be free and blocked in the world."""
    most: int = 10
    """So many worlds are believed in at most, those that agree best."""
    prior: float = 0.0
    """Share of the prior, which weights all worlds alike, beside them."""


@dataclass(frozen=True)
class Conditional:
    """Charges for how often a cell is blocked in the worlds that agree with what the search knows."""

    frame: Frame
    memory: Memory
    charging: Charging
    agreement: Agreement = field(default_factory=Agreement)
    name: str = "conditional"
    refresh: Refresh = Refresh(expansions=10, invalid=4)

    def misfit(self, problem: Problem) -> str:
        """It knows one frame."""
        return self.frame.misfit(problem)

    def charges(self, problem: Problem) -> FloatArray:
        """Those of the prior."""
        return self.charging.of(self.memory.frequencies)

    def follow(self, problem: Problem) -> ConditionalFollower:
        """Compare the worlds with what one search comes to know."""
        return ConditionalFollower(self)


class ConditionalFollower:
    """The doubt in each world, in one search."""

    def __init__(self, belief: Conditional) -> None:
        worlds, cells = belief.memory.by_world.shape
        self._belief = belief
        self._known = np.zeros(cells, np.bool_)
        self._doubts = np.zeros(worlds)
        self._probabilities = belief.memory.frequencies
        self._next = np.empty(cells)

    def look(self, state: SearchState) -> FloatArray | None:
        """The charges by what is known now; None where they are about as before."""
        self._compare(state)
        chosen, weights = self._weigh()
        blend(self._belief.memory.by_world, chosen, weights, self._next)
        share = self._belief.agreement.prior
        probabilities = (1.0 - share) * self._next + share * self._belief.memory.frequencies
        if np.abs(probabilities - self._probabilities).max() <= _LEAST_CHANGE:
            return None
        self._probabilities = probabilities
        return self._belief.charging.of(probabilities)

    def _compare(self, state: SearchState) -> None:
        """Let the cells that have become known since the last look add to the doubt."""
        status = state.status[: len(self._known)]
        cells = np.flatnonzero((status != UNSEEN) & ~self._known)
        self._known[cells] = True
        agreement = self._belief.agreement
        blocked = status[cells] == INVALID
        add_disagreement(
            self._belief.memory.by_cell, cells, blocked, agreement.of_blocked, agreement.of_free, self._doubts
        )

    def _weigh(self) -> tuple[NDArray[np.int64], FloatArray]:
        """The worlds to believe in, and their shares."""
        doubts = self._doubts - self._doubts.min()
        best = np.argsort(doubts, kind="stable")[: self._belief.agreement.most]
        weights = np.exp(-doubts[best])
        best, weights = best[weights >= _LEAST_WEIGHT], weights[weights >= _LEAST_WEIGHT]
        return best, weights / weights.sum()
