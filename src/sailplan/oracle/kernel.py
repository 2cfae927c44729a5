"""Backward Dijkstra: the cost-to-go of every vertex."""

from __future__ import annotations

from sailplan.core.kernel.arrays import NO_VERTEX, VALID_EDGE
from sailplan.core.kernel.compile import kernel
from sailplan.core.kernel.edges import edge_cost, locate, slot_count, successor, verdict
from sailplan.core.kernel.heap import has_room, offer, pop


@kernel
def begin_settling(queue, goal, cost_to_go):
    """Put the goal in the queue; `cost_to_go` is infinite everywhere beforehand."""
    cost_to_go[goal] = 0.0
    offer(queue, 0, goal, 0.0)


@kernel
def settle(backward, limit, queue, settled, cost_to_go, degree):
    """Go on settling `cost_to_go` over the valid edges turned round; false where the queue needs more room.

    Vertices farther than `limit` stay as they are.
    """
    while has_room(queue, degree):
        vertex = pop(queue, 0, settled, False)
        if vertex == NO_VERTEX:
            return True
        settled[vertex] = True
        place = locate(backward, vertex)
        for slot in range(slot_count(backward, place)):
            target = successor(backward, place, slot)
            if target == NO_VERTEX:
                continue
            cost = cost_to_go[vertex] + edge_cost(backward, place, slot, target)
            if cost >= cost_to_go[target] or cost > limit or verdict(backward, place, slot, target) != VALID_EDGE:
                continue
            cost_to_go[target] = cost
            offer(queue, 0, target, cost)
    return False
