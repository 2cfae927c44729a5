"""Any open vertex, each as likely as the others."""

from __future__ import annotations

from sailplan.kernels.arrays import ENTERED, NO_VERTEX, OPEN
from sailplan.kernels.compile import inlined
from sailplan.kernels.random import uniform


@inlined
def pop_any(chance, state):
    """Take out an open vertex; those closed by way of another queue are thrown away when they are drawn."""
    members, count = chance.members, chance.member_count
    while count[0] > 0:
        place = int(uniform(chance.seed, chance.draws[0]) * count[0])
        chance.draws[0] += 1
        vertex = members[place]
        count[0] -= 1
        members[place] = members[count[0]]
        if state.status[vertex] == OPEN:
            return vertex
    return NO_VERTEX


@inlined
def list_member(chance, queue, vertex, change):
    """Keep the list of vertices that entered the open list."""
    if change == ENTERED:
        queue.issued[0] += 1
        chance.members[chance.member_count[0]] = vertex
        chance.member_count[0] += 1
