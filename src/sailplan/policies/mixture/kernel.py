"""Two policies with separate queues, one of which is chosen at random at each step."""

from __future__ import annotations

from typing import Any, NamedTuple

from sailplan.core.kernel.arrays import EXPANSIONS
from sailplan.core.kernel.policy import choose, on_open
from sailplan.core.kernel.random import uniform


class MixtureArrays(NamedTuple):
    """The arrays of both policies."""

    first: Any
    second: Any
    second_row: int
    """The row of the first queue of the second policy."""
    probability: float
    """The probability that the first policy selects."""
    seed: int


@choose.register(MixtureArrays)
def _pop_mixed(search, policy, row):
    """Draw the policy of this step, which selects."""
    if uniform(policy.seed, search.state.counts[EXPANSIONS]) < policy.probability:
        return choose(search, policy.first, row)
    return choose(search, policy.second, row + policy.second_row)


@on_open.register(MixtureArrays)
def _tell_both(search, policy, row, vertex, change):
    """Pass a vertex to both policies."""
    on_open(search, policy.first, row, vertex, change)
    on_open(search, policy.second, row + policy.second_row, vertex, change)
