"""Updates of a belief during a search."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from sailplan.core.graph import FloatArray
from sailplan.core.kernel.arrays import INVALID_EDGES, INVALID_VERTICES, QueueArrays, StateArrays
from sailplan.core.state import SearchState, with_room
from sailplan.errors import PolicyError
from sailplan.policies.replanning.beliefs.belief import Follower, Refresh
from sailplan.policies.replanning.kernel.decrease import put_all
from sailplan.policies.replanning.kernel.edges import UPDATE_AT_EXPANSIONS, UPDATE_AT_KNOWN, ReplanningArrays

NEVER_DUE = np.iinfo(np.int64).max


class BeliefUpdate:
    """Updates the belief of one search, and repairs distances if multipliers have changed."""

    def __init__(
        self,
        plan: ReplanningArrays,
        follower: Follower,
        refresh: Refresh,
        repair: Callable[[FloatArray, StateArrays], None],
    ) -> None:
        if min(refresh) < 1:
            raise PolicyError(f"a belief is updated after at least 1 expansion or obstacle, got {refresh}")
        self._plan, self._follower, self._refresh, self._repair = plan, follower, refresh, repair
        self._wait(0, 0)

    def __call__(self, state: SearchState, queue: QueueArrays) -> QueueArrays:
        """Update the belief; return the open list, enlarged if necessary."""
        counts = state.arrays.counts
        self._wait(state.expansions, int(counts[INVALID_VERTICES] + counts[INVALID_EDGES]))
        multipliers = self._follower.update(state)
        if multipliers is None:
            return queue
        self._repair(multipliers, state.arrays)
        waiting = state.frontier
        queue = with_room(queue, len(waiting))
        put_all(self._plan, queue, waiting)
        return queue

    def _wait(self, expansions: int, known: int) -> None:
        self._plan.clock[UPDATE_AT_EXPANSIONS] = min(expansions + self._refresh.expansions, NEVER_DUE)
        self._plan.clock[UPDATE_AT_KNOWN] = min(known + self._refresh.invalid, NEVER_DUE)
