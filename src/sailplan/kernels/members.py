"""Lists of open vertices in no order, from which closed ones are dropped when somebody looks."""

from __future__ import annotations

from sailplan.kernels.arrays import OPEN
from sailplan.kernels.compile import inlined


@inlined
def drop_closed(members, count, state):
    """Move the last member to the place of each that is not open any more."""
    index = 0
    while index < count[0]:
        if state.status[members[index]] == OPEN:
            index += 1
        else:
            count[0] -= 1
            members[index] = members[count[0]]
