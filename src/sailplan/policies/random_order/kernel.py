"""Random selection of open vertices."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sailplan.core.kernel.arrays import ENTERED, NO_VERTEX, OPEN
from sailplan.core.kernel.policy import choose, on_open
from sailplan.core.kernel.random import uniform


class RandomArrays(NamedTuple):
    """The open list, unordered."""

    members: NDArray[np.int32]
    """The open vertices and some closed ones."""
    member_count: NDArray[np.int64]
    draws: NDArray[np.int64]
    """Number of random numbers drawn, in a single entry."""
    seed: int


@choose.register(RandomArrays)
def _pop_any(search, policy, row):
    """Remove and return a random open vertex; vertices that another policy has closed are dropped when drawn."""
    members, count = policy.members, policy.member_count
    while count[0] > 0:
        place = int(uniform(policy.seed, policy.draws[0]) * count[0])
        policy.draws[0] += 1
        vertex = np.int64(members[place])
        count[0] -= 1
        members[place] = members[count[0]]
        if search.state.status[vertex] == OPEN:
            return vertex
    return NO_VERTEX


@on_open.register(RandomArrays)
def _list_member(search, policy, row, vertex, change):
    """Add a vertex that entered the open list."""
    if change == ENTERED:
        search.queue.issued[0] += 1
        policy.members[policy.member_count[0]] = vertex
        policy.member_count[0] += 1
