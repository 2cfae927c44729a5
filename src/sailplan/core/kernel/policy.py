"""What a policy tells the compiled loop: it registers bodies for its class of arrays.

`row` is the first row of the queues that belong to the policy: a policy may be a part of another one.
"""

from __future__ import annotations

import math

from sailplan.core.kernel.arrays import NON_FINITE_SCORES, OPEN, POLICY_EVALUATIONS
from sailplan.core.kernel.compile import dispatched, inlined


@dispatched("policy")
def choose(search, policy, row):
    """Take out the vertex to expand next; NO_VERTEX where none is open, NO_ROOM where arrays are full."""


@dispatched("policy")
def on_open(search, policy, row, vertex, change):
    """Hear of an open vertex after an expansion that ENTERED it, made it CHEAPER or TOUCHED it."""


@dispatched("policy", default=True)
def before_return(search, policy):
    """Do what is to be done before the engine returns to Python: a steered policy lists its candidates."""


@dispatched("policy", default=True)
def is_due(search, policy):
    """Whether the policy has something to do in Python before it can choose."""
    return False


@dispatched("policy", default=True)
def keys_alone(policy):
    """Whether a vertex's key depends on no other successor, so that it can be given before these are updated."""
    return False


@inlined
def counted(state, score):
    """Count a score; one that is not finite sorts last."""
    state.counts[POLICY_EVALUATIONS] += 1
    if math.isfinite(score):
        return score
    state.counts[NON_FINITE_SCORES] += 1
    return math.inf


@inlined
def drop_closed(members, count, state):
    """Remove what is no longer open from an unordered list: the last member takes its place."""
    index = 0
    while index < count[0]:
        if state.status[members[index]] == OPEN:
            index += 1
        else:
            count[0] -= 1
            members[index] = members[count[0]]
