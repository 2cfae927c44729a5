"""Updates of a belief during a search."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from sailplan.core.graph import FloatArray
from sailplan.core.kernel.arrays import INVALID_EDGES, INVALID_VERTICES, QueueArrays
from sailplan.core.state import SearchState
from sailplan.errors import PolicyError
from sailplan.policies.replanning.beliefs.belief import Follower, Refresh
from sailplan.policies.replanning.kernel.edges import UPDATE_AT_KNOWN, UPDATE_AT_STEPS, ReplanningArrays

NEVER_DUE = np.iinfo(np.int64).max


class BeliefUpdate:
    """Updates the belief of one search, and applies the multipliers if they have changed."""

    def __init__(self, plan: ReplanningArrays, follower: Follower, refresh: Refresh) -> None:
        if not isinstance(refresh, Refresh) or not all(isinstance(number, int | np.integer) for number in refresh):
            raise PolicyError(f"when a belief is updated is given as Refresh(expansions, invalid), got {refresh!r}")
        if min(refresh) < 1:
            raise PolicyError(f"a belief is updated after at least 1 expansion or obstacle, got {refresh}")
        self._plan, self._follower, self._refresh = plan, follower, refresh
        self._unfinished = False
        self._wait(0, 0)

    def __call__(
        self,
        state: SearchState,
        queue: QueueArrays,
        change: Callable[[FloatArray, SearchState], None],
        finish: Callable[[SearchState, QueueArrays], QueueArrays],
    ) -> QueueArrays:
        """Update the belief; return the open list. Raises OutOfTime at the time limit; the next call continues.

        `change` sets the multipliers. `finish` repairs what depends on them and returns the open list, enlarged if
        necessary. It may raise OutOfTime, and is then called again before the search continues. Neither is stored:
        the caller holds this object, and a cycle would keep the arrays of a search that has ended.
        """
        if not self._unfinished:
            multipliers = self._follower.update(state)
            self._unfinished = multipliers is not None
            if multipliers is not None:
                change(multipliers, state)
        if self._unfinished:
            # Until it is finished, the update remains due.
            queue = finish(state, queue)
            self._unfinished = False
        counts = state.arrays.counts
        self._wait(state.expansions + len(state.evaluated), int(counts[INVALID_VERTICES] + counts[INVALID_EDGES]))
        return queue

    def move(self, plan: ReplanningArrays) -> None:
        """Use other bounds."""
        plan.clock[[UPDATE_AT_STEPS, UPDATE_AT_KNOWN]] = self._plan.clock[[UPDATE_AT_STEPS, UPDATE_AT_KNOWN]]
        self._plan = plan

    def _wait(self, steps: int, known: int) -> None:
        self._plan.clock[UPDATE_AT_STEPS] = min(steps + self._refresh.expansions, NEVER_DUE)
        self._plan.clock[UPDATE_AT_KNOWN] = min(known + self._refresh.invalid, NEVER_DUE)
