"""Backward searches over valid edges: the cost-to-go of every vertex, and the fewest edges from the start."""

from __future__ import annotations

from sailplan.core.kernel.arrays import NO_QUEUE, NO_TIME, NO_VERTEX, NONE
from sailplan.core.kernel.compile import kernel
from sailplan.core.kernel.edges import edge_cost, is_valid, locate, slot_count, successor, verdict
from sailplan.core.kernel.heap import has_room, offer, pop


@kernel
def begin_settling(queue, goal, cost_to_go):
    """Add the goal to the queue; all entries of `cost_to_go` must be infinite."""
    cost_to_go[goal] = 0.0
    offer(queue, 0, goal, 0.0)


@kernel
def settle(backward, limit, queue, settled, cost_to_go, degree, work):
    """Continue Dijkstra's algorithm over the reversed valid edges.

    The entries of vertices farther than `limit` are left unmodified. Return 0; NO_QUEUE if the queue needs more room,
    or NO_TIME after `work` vertices, in which cases the next call continues.
    """
    for _ in range(work):
        if not has_room(queue, degree):
            return NO_QUEUE
        vertex = pop(queue, 0, settled, False)
        if vertex == NO_VERTEX:
            return 0
        settled[vertex] = True
        place = locate(backward, vertex)
        for slot in range(slot_count(backward, place)):
            target = successor(backward, place, slot)
            if target == NO_VERTEX:
                continue
            cost = cost_to_go[vertex] + edge_cost(backward, place, slot, target)
            if cost >= cost_to_go[target] or cost > limit or not is_valid(verdict(backward, place, slot, target)):
                continue
            cost_to_go[target] = cost
            offer(queue, 0, target, cost)
    return NO_TIME


@kernel
def count_edges(backward, start, goal, depths, waiting):
    """Return the fewest edges of a valid path from start to goal by breadth-first search; NONE if there is none.

    All entries of `depths` must be NONE; `waiting` is a scratch array of the same length.
    """
    depths[goal], waiting[0] = 0, goal
    first, last = 0, 1
    while first < last and depths[start] == NONE:
        vertex = waiting[first]
        first += 1
        place = locate(backward, vertex)
        for slot in range(slot_count(backward, place)):
            target = successor(backward, place, slot)
            if target == NO_VERTEX or depths[target] != NONE or not is_valid(verdict(backward, place, slot, target)):
                continue
            depths[target] = depths[vertex] + 1
            waiting[last] = target
            last += 1
    return depths[start]
