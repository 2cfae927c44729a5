"""Lowering of bounds: initially from the goal, later from vertices whose multiplier has decreased.

Bounds are settled in ascending order. A search needs only those up to the smallest one of its open vertices, so that it
settles the others when it comes to them. Until then, bounds from the horizon on may be too large; those below it are
consistent, and so are all of them if the larger ones count as the horizon.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sailplan.core.kernel.arrays import CLOSED, INVALID, NO_VERTEX, OPEN, QueueArrays
from sailplan.core.kernel.compile import inlined, kernel
from sailplan.core.kernel.edges import locate, slot_count, successor
from sailplan.core.kernel.heap import NO_TAG, clear, has_room, pop_entry, put, tag_of, vertex_of
from sailplan.policies.replanning.kernel.edges import EPOCH, HORIZON, NO_HORIZON, NO_WAY, SHORT, bound_of, reverse

_MARGIN = 3
"""Bounds are settled up to 1 + 1/2^3 times the smallest one of the open vertices, for a search that is a little longer
than believed."""


class FallArrays(NamedTuple):
    """Vertices that have come closer to the goal, and whose predecessors may have."""

    queue: QueueArrays
    """These vertices, by their bounds."""
    waits: NDArray[np.bool_]
    """Whether each vertex is in the queue."""


@kernel
def begin_settling(plan, falls, goal):
    """Set the bound of the goal to 0 and all others to NO_WAY."""
    plan.bounds[:] = NO_WAY
    plan.bounds[goal] = 0
    _let_wait(plan, falls, goal)


@kernel
def set_multipliers(graph, backward, plan, falls, state, first, multipliers):
    """Set the multipliers of edges into the vertices from `first` on, and enqueue those with one that falls.

    Return the first vertex whose multipliers were not set because there was no room.
    """
    if first == 0:
        plan.clock[EPOCH] += 1
    for vertex in range(first, len(plan.bounds)):
        if not plan.per_edge and multipliers[vertex] == plan.multipliers[vertex]:
            continue
        if not has_room(falls.queue, 1):
            return vertex
        fallen = _set_multipliers_into(backward, plan, vertex, multipliers)
        if fallen and bound_of(graph, plan, plan.goal, vertex) < NO_WAY and state.status[vertex] != INVALID:
            _let_wait(plan, falls, vertex)
    return len(plan.bounds)


@inlined
def _set_multipliers_into(backward, plan, vertex, multipliers):
    """Set the multipliers of edges into a vertex; return whether one of them falls."""
    if not plan.per_edge:
        falls = multipliers[vertex] < plan.multipliers[vertex]
        plan.multipliers[vertex] = multipliers[vertex]
        return falls
    falls = False
    place = locate(backward, vertex)
    for slot in range(slot_count(backward, place)):
        edge = plan.edge_of[place[0] + slot]
        falls |= multipliers[edge] < plan.multipliers[edge]
        plan.multipliers[edge] = multipliers[edge]
    return falls


@kernel
def settle(graph, backward, plan, falls, state, degree, least):
    """Continue to lower bounds until those of the search are settled; false if the queue needs more room.

    `least` is the smallest bound of an open vertex, or NO_HORIZON to settle all.
    """
    limit = _with_margin(least)
    while has_room(falls.queue, degree):
        rank, tag = pop_entry(falls.queue, 0, falls.waits, True)
        if tag == NO_TAG:
            plan.clock[HORIZON] = NO_HORIZON
            return True
        if rank > limit:
            put(falls.queue, 0, rank, tag)
            plan.clock[HORIZON] = rank
            return True
        vertex = vertex_of(tag)
        falls.waits[vertex] = False
        if state.status[vertex] == INVALID:
            continue
        if state.status[vertex] == OPEN:
            limit = min(limit, _with_margin(rank))
        _shorten(graph, backward, plan, falls, state, vertex)
    return False


@inlined
def _with_margin(bound):
    return NO_HORIZON if bound >= NO_WAY else bound + (bound >> _MARGIN)


@kernel
def put_all(plan, queue, vertices):
    """Clear the open list and insert vertices with their bounds and insertion numbers."""
    plan.clock[SHORT] = 0
    clear(queue, 0)
    for vertex in vertices:
        put(queue, 0, plan.bounds[vertex], tag_of(plan.numbers[vertex], vertex))


@inlined
def _shorten(graph, backward, plan, falls, state, vertex):
    """Lower the bounds of vertices from which the path through this vertex is shorter."""
    place = locate(backward, vertex)
    for slot in range(slot_count(backward, place)):
        source = successor(backward, place, slot)
        # Costs are positive; the first test saves computing most of them.
        if source == NO_VERTEX or plan.bounds[source] <= plan.bounds[vertex] or state.status[source] >= CLOSED:
            continue
        cost = reverse(graph, plan, state, place, slot, vertex, source)[0]
        if cost == NO_WAY:
            continue
        bound = plan.bounds[vertex] + cost
        if bound < plan.bounds[source]:
            plan.bounds[source] = bound
            _let_wait(plan, falls, source)


@inlined
def _let_wait(plan, falls, vertex):
    falls.waits[vertex] = True
    put(falls.queue, 0, plan.bounds[vertex], tag_of(0, vertex))
