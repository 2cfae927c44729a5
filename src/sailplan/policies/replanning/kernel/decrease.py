"""Lowering of bounds: initially from the goal, later from vertices whose multiplier has decreased."""

from __future__ import annotations

from sailplan.core.kernel.arrays import CLOSED, INVALID, NO_VERTEX
from sailplan.core.kernel.compile import inlined, kernel
from sailplan.core.kernel.edges import locate, slot_count, successor
from sailplan.core.kernel.heap import NO_TAG, clear, has_room, pop_entry, put, tag_of, vertex_of
from sailplan.policies.replanning.kernel.edges import EPOCH, NO_WAY, REPAIR, bound_of, reverse


@kernel
def begin_settling(plan, goal):
    """Set the bound of the goal to 0 and all others to NO_WAY."""
    plan.bounds[:] = NO_WAY
    plan.bounds[goal] = 0
    plan.clock[REPAIR] += 1
    clear(plan.waiting, 0)
    _let_wait(plan, goal)


@kernel
def set_multipliers(graph, backward, plan, state, first, multipliers):
    """Set the multipliers of edges into the vertices from `first` on, and enqueue what has come closer to the goal.

    Return the first vertex whose multipliers were not set because there was no room.
    """
    if first == 0:
        plan.clock[EPOCH] += 1
        plan.clock[REPAIR] += 1
        clear(plan.waiting, 0)
    for vertex in range(first, len(plan.bounds)):
        place = locate(backward, vertex)
        if not has_room(plan.waiting, slot_count(backward, place)):
            return vertex
        falls = _set_multipliers_into(backward, plan, vertex, place, multipliers)
        if falls and bound_of(graph, plan, plan.goal, vertex) < NO_WAY and state.status[vertex] != INVALID:
            _shorten(graph, backward, plan, state, place, vertex)
    return len(plan.bounds)


@inlined
def _set_multipliers_into(backward, plan, vertex, place, multipliers):
    """Set the multipliers of edges into a vertex; return whether one of them falls."""
    if not plan.per_edge:
        falls = multipliers[vertex] < plan.multipliers[vertex]
        plan.multipliers[vertex] = multipliers[vertex]
        return falls
    falls = False
    for slot in range(slot_count(backward, place)):
        edge = plan.edge_of[place[0] + slot]
        falls |= multipliers[edge] < plan.multipliers[edge]
        plan.multipliers[edge] = multipliers[edge]
    return falls


@kernel
def settle(graph, backward, plan, state, degree):
    """Continue to lower bounds until the queue is empty; false if the queue needs more room."""
    while has_room(plan.waiting, degree):
        _, tag = pop_entry(plan.waiting, 0, plan.phases, 2 * plan.clock[REPAIR])
        if tag == NO_TAG:
            return True
        vertex = vertex_of(tag)
        plan.phases[vertex] = 2 * plan.clock[REPAIR] + 1
        _shorten(graph, backward, plan, state, locate(backward, vertex), vertex)
    return False


@kernel
def put_all(plan, queue, vertices):
    """Clear the open list and insert vertices with their bounds and insertion numbers."""
    clear(queue, 0)
    for vertex in vertices:
        put(queue, 0, plan.bounds[vertex], tag_of(plan.numbers[vertex], vertex))


@inlined
def _shorten(graph, backward, plan, state, place, vertex):
    """Lower the bounds of vertices from which the path through this vertex is shorter."""
    for slot in range(slot_count(backward, place)):
        source = successor(backward, place, slot)
        if source == NO_VERTEX or state.status[source] >= CLOSED:
            continue
        cost = reverse(graph, plan, state, place, slot, vertex, source)[0]
        if cost == NO_WAY:
            continue
        bound = plan.bounds[vertex] + cost
        if bound < plan.bounds[source]:
            plan.bounds[source] = bound
            _let_wait(plan, source)


@inlined
def _let_wait(plan, vertex):
    plan.phases[vertex] = 2 * plan.clock[REPAIR]
    put(plan.waiting, 0, plan.bounds[vertex], tag_of(0, vertex))
