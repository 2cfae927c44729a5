"""The interface of policies in kernels; a policy registers implementations for its class of arrays.

A policy requests either vertices, by `choose`, or edges, by `request`; in the latter case it also registers
`loop.evaluate_edges` as its implementation of `loop.step`.

In all functions, `search` is a `SearchArrays` and `policy` the record of the policy. `row` is the first row of the
queues of the policy, which may be a part of another policy.
"""

from __future__ import annotations

import math

from sailplan.core.kernel.arrays import NON_FINITE_SCORES, OPEN, POLICY_EVALUATIONS
from sailplan.core.kernel.compile import dispatched, inlined


@dispatched("policy")
def choose(search, policy, row):
    """Remove and return the vertex to expand next; NO_VERTEX if none is open.

    NO_ROOM if arrays are full, NO_TIME if the policy needs more time.
    """


@dispatched("policy")
def on_open(search, policy, row, vertex, change):
    """Process a vertex at the end of a valid edge, which is open; `change` is ENTERED, CHEAPER or TOUCHED.

    If the policy requests edges, `change` is never TOUCHED, and any vertex with a path from the start is open.
    """


@dispatched("policy")
def request(search, policy):
    """Write the edges to evaluate next to `search.requested` and return their number.

    0 if there is no path to the goal, CONFIRMED if the path to it is accepted, NO_ROOM or NO_QUEUE if arrays or queues
    are full, NO_TIME if the policy needs more time. An edge whose result is known must not be requested.
    """


@dispatched("policy", default=True)
def on_edges(search, policy, count):
    """Process the results of the `count` edges of the request; called before `on_open` for its changed vertices."""


@dispatched("policy", default=True)
def before_return(search, policy):
    """Finish a call of the kernel; a steered policy lists its candidates."""


@dispatched("policy", default=True)
def is_due(search, policy):
    """Return whether the policy must be updated in Python before it can choose."""
    return False


@dispatched("policy", default=True)
def keys_alone(policy):
    """Return whether the key of a vertex is independent of the other successors, which saves a loop over them.

    Calls of `on_open` for successors whose path has not become cheaper may then be left out.
    """
    return False


@inlined
def counted(state, score):
    """Count a score and return it; infinity if it is not finite, so that the vertex is expanded last."""
    state.counts[POLICY_EVALUATIONS] += 1
    if math.isfinite(score):
        return score
    state.counts[NON_FINITE_SCORES] += 1
    return math.inf


@inlined
def drop_closed(members, count, state):
    """Remove vertices that are no longer open from an unordered list; the last member takes their place."""
    index = 0
    while index < count[0]:
        if state.status[members[index]] == OPEN:
            index += 1
        else:
            count[0] -= 1
            members[index] = members[count[0]]
