"""Two policies with queues of their own, and a coin that decides at each step which of them selects."""

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
    """The first queue of the second: those before belong to the first."""
    probability: float
    """Of the first."""
    seed: int


@choose.register(MixtureArrays)
def _pop_mixed(search, policy, row):
    """Let the coin of this step decide whose first vertex is taken out."""
    if uniform(policy.seed, search.state.counts[EXPANSIONS]) < policy.probability:
        return choose(search, policy.first, row)
    return choose(search, policy.second, row + policy.second_row)


@on_open.register(MixtureArrays)
def _tell_both(search, policy, row, vertex, change):
    """Let both hear of a vertex."""
    on_open(search, policy.first, row, vertex, change)
    on_open(search, policy.second, row + policy.second_row, vertex, change)
