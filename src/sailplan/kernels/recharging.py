"""Bounds that fall: spread from the goal at first, and from where less is charged than before."""

from __future__ import annotations

from sailplan.kernels.arrays import CLOSED, INVALID, NO_VERTEX
from sailplan.kernels.believed_edges import NO_WAY, charge_of, step_cost
from sailplan.kernels.compile import inlined, kernel
from sailplan.kernels.edges import locate, slot_count, successor
from sailplan.kernels.heap import NO_TAG, clear, has_room, pop_entry, put, tag_of, vertex_of
from sailplan.kernels.replanning import EPOCH, REPAIR


@kernel
def begin_settling(plan, goal):
    """Know nothing of any vertex but the goal: no way leads to it from any other, as long as none was found."""
    plan.bounds[:] = NO_WAY
    plan.bounds[goal] = 0
    plan.clock[REPAIR] += 1
    clear(plan.waiting, 0)
    _let_wait(plan, goal)


@kernel
def charge(backward, plan, state, first, charges):
    """Charge the vertices from `first` on anew and let those wait from which a way has become shorter.

    Return the first vertex that was not charged for want of room. `plan` has steps and removed edges turned round.
    """
    if first == 0:
        plan.clock[EPOCH] += 1
        plan.clock[REPAIR] += 1
        clear(plan.waiting, 0)
    for vertex in range(first, len(charges)):
        falls = charges[vertex] < plan.charges[vertex]
        if falls and plan.bounds[vertex] < NO_WAY and state.status[vertex] != INVALID:
            place = locate(backward, vertex)
            if not has_room(plan.waiting, slot_count(backward, place)):
                return vertex
            plan.charges[vertex] = charges[vertex]
            _shorten(backward, plan, state, place, vertex)
        plan.charges[vertex] = charges[vertex]
    return len(charges)


@kernel
def settle(backward, plan, state, degree):
    """Go on lowering bounds until nothing waits; false where the queue of what waits needs more room."""
    while has_room(plan.waiting, degree):
        _, tag = pop_entry(plan.waiting, 0, plan.phases, 2 * plan.clock[REPAIR])
        if tag == NO_TAG:
            return True
        vertex = vertex_of(tag)
        plan.phases[vertex] = 2 * plan.clock[REPAIR] + 1
        _shorten(backward, plan, state, locate(backward, vertex), vertex)
    return False


@kernel
def put_all(plan, queue, vertices):
    """Empty the open list and put these vertices in, under their bounds and old numbers."""
    clear(queue, 0)
    for vertex in vertices:
        put(queue, 0, plan.bounds[vertex], tag_of(plan.numbers[vertex], vertex))


@inlined
def _shorten(backward, plan, state, place, vertex):
    """Lower the bounds of those from which the way by this vertex is shorter."""
    for slot in range(slot_count(backward, place)):
        source = successor(backward, place, slot)
        if source == NO_VERTEX or state.status[source] >= CLOSED:
            continue
        step = step_cost(backward, plan, state, place, slot)
        if step == NO_WAY:
            continue
        bound = plan.bounds[vertex] + step * charge_of(plan, vertex)
        if bound < plan.bounds[source]:
            plan.bounds[source] = bound
            _let_wait(plan, source)


@inlined
def _let_wait(plan, vertex):
    plan.phases[vertex] = 2 * plan.clock[REPAIR]
    put(plan.waiting, 0, plan.bounds[vertex], tag_of(0, vertex))
