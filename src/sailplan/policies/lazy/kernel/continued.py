"""The candidate of a lazy search for any path, or for a shortest one: a search that is continued, not repeated.

This is lifelong planning A* with many sources: `settled` is the length with which a vertex was last expanded, `length`
the length that its predecessors give it now, and vertices for which they differ are in the queue, ordered by the
smaller one plus the lower bound of the distance to the goal. When a vertex or edge is found to be invalid, only the
lengths that depend on it are computed again. The search ends at a vertex from which a chain of edges leads to the goal
that is as long as its bound.

Lengths are stored as NO_WAY minus the length, so that there are none in new arrays of zeros, and a search touches
memory only where it goes.
"""

from __future__ import annotations

import numpy as np

from sailplan.core.kernel.arrays import (
    INVALID,
    INVALID_EDGES,
    INVALID_VERTICES,
    NO_QUEUE,
    NO_TIME,
    NO_VERTEX,
    OPEN,
    POLICY_EVALUATIONS,
    WORK,
)
from sailplan.core.kernel.compile import inlined, piece
from sailplan.core.kernel.edges import locate, slot_count, successor
from sailplan.core.kernel.heap import NO_TAG, has_room, pop_entry, put, tag_of, vertex_of
from sailplan.policies.lazy.kernel.selection import (
    LazyArrays,
    add_source,
    before,
    find_candidate,
    forget,
    length_of_source,
)
from sailplan.policies.replanning.kernel.edges import (
    EPOCH,
    FOLLOWED,
    FOLLOWED_TO,
    FOLLOWING,
    NO_WAY,
    READ,
    READ_EDGES,
    believed_cost,
    blocked_around,
    bound_of,
    may_cut,
    remove_edge,
    reverse,
)
from sailplan.policies.replanning.kernel.repair import mark_chain

_NEWEST_FIRST = (1 << 35) - 1
_NO, _YES = 0, 1


class ContinuedArrays(LazyArrays):
    """A lazy search whose candidate is found by a search that is continued."""


@before.register(ContinuedArrays)
def _before(policy, vertex):
    return np.int64(policy.plan.came_from[vertex])


@forget.register(ContinuedArrays)
def _forget(policy):
    policy.settled[:] = 0
    policy.length[:] = 0
    policy.plan.phases[:] = 0
    policy.plan.clock[FOLLOWING] = 0


@inlined
def _settled(policy, vertex):
    return NO_WAY - policy.settled[vertex]


@inlined
def _length(policy, vertex):
    return NO_WAY - policy.length[vertex]


@inlined
def _set_length(policy, vertex, length):
    policy.length[vertex] = NO_WAY - length


@add_source.register(ContinuedArrays)
def _add_source(graph, policy, state, queue, goal, vertex):
    length = length_of_source(policy, state, vertex)
    # Also if nothing is inserted: the loop tells by the number that the start was added.
    queue.issued[0] += 1
    state.counts[POLICY_EVALUATIONS] += 1
    if length < _length(policy, vertex):
        _set_length(policy, vertex, length)
        policy.plan.came_from[vertex] = NO_VERTEX
        _enqueue(graph, policy, queue, goal, vertex)


@piece
def _enqueue(graph, policy, queue, goal, vertex):
    """Insert a vertex into the queue if its lengths differ.

    Of those with the same key, vertices whose settled length is too small come first, as a candidate may not pass
    through them; then the newest.
    """
    policy.plan.phases[vertex] = policy.settled[vertex] != policy.length[vertex]
    if policy.plan.phases[vertex] and bound_of(graph, policy.plan, goal, vertex) < NO_WAY:
        queue.issued[0] += 1
        turn = 0 if _settled(policy, vertex) < _length(policy, vertex) else _NEWEST_FIRST - queue.issued[0]
        put(queue, 0, _key(policy, vertex), tag_of(turn, vertex))


@inlined
def _key(policy, vertex):
    return min(_settled(policy, vertex), _length(policy, vertex)) + policy.plan.bounds[vertex]


@find_candidate.register(ContinuedArrays)
def _find_candidate(graph, backward, policy, state, queue, goal):
    plan = policy.plan
    if not _take_note(graph, backward, policy, state, queue, goal):
        return NO_QUEUE, np.int64(0)
    least = np.int64(0)
    while True:
        rank, tag = pop_entry(queue, 0, plan.phases, 1)
        if tag == NO_TAG:
            return NO_VERTEX, np.int64(NO_WAY)
        vertex = vertex_of(tag)
        if rank != _key(policy, vertex):
            continue
        least = max(least, rank)
        shorter = _length(policy, vertex) < _settled(policy, vertex)
        answer = _holds(graph, plan, state, goal, vertex, policy.least) if shorter else _NO
        if answer != _NO:
            put(queue, 0, rank, tag)
            return (vertex, rank) if answer == _YES else (np.int64(NO_TIME), least)
        room = slot_count(graph, locate(graph, vertex)) + 1
        if state.counts[WORK] <= 0 or not has_room(queue, room):
            put(queue, 0, rank, tag)
            return (NO_TIME if state.counts[WORK] <= 0 else NO_QUEUE), least
        state.counts[WORK] -= 1
        if shorter:
            _expand(graph, policy, state, queue, goal, vertex)
        else:
            _retract(graph, backward, policy, state, queue, goal, vertex)


@piece
def _expand(graph, policy, state, queue, goal, vertex):
    """Settle a vertex and shorten the paths to its successors."""
    plan = policy.plan
    here = _length(policy, vertex)
    policy.settled[vertex] = policy.length[vertex]
    plan.phases[vertex] = 0
    place = locate(graph, vertex)
    for slot in range(slot_count(graph, place)):
        target = successor(graph, place, slot)
        if target == NO_VERTEX or state.status[target] >= policy.least:
            continue
        cost = believed_cost(graph, plan, state, vertex, place, slot, target)
        if cost < NO_WAY and here + cost < _length(policy, target):
            _set_length(policy, target, here + cost)
            plan.came_from[target], plan.came_by[target] = vertex, slot
            _enqueue(graph, policy, queue, goal, np.int64(target))


@piece
def _retract(graph, backward, policy, state, queue, goal, vertex):
    """Withdraw the settled length of a vertex, which was too small, from the successors that depend on it."""
    policy.settled[vertex] = 0
    _enqueue(graph, policy, queue, goal, vertex)
    place = locate(graph, vertex)
    for slot in range(slot_count(graph, place)):
        target = np.int64(successor(graph, place, slot))
        if target != NO_VERTEX and _length(policy, target) < NO_WAY and policy.plan.came_from[target] == vertex:
            _find_length(graph, backward, policy, state, queue, goal, target)


@piece
def _find_length(graph, backward, policy, state, queue, goal, vertex):
    """Compute the length of a vertex from its predecessors."""
    plan = policy.plan
    best, source, by = np.int64(NO_WAY), np.int64(NO_VERTEX), np.int64(0)
    if state.status[vertex] == OPEN:
        best = length_of_source(policy, state, vertex)
    elif state.status[vertex] == INVALID:
        _set_length(policy, vertex, NO_WAY)
        _enqueue(graph, policy, queue, goal, vertex)
        return
    if state.status[vertex] < policy.least:
        place = locate(backward, vertex)
        for slot in range(slot_count(backward, place)):
            before = successor(backward, place, slot)
            if before == NO_VERTEX or _settled(policy, before) == NO_WAY:
                continue
            cost, forward = reverse(graph, plan, state, place, slot, vertex, before)
            if cost < NO_WAY and _settled(policy, before) + cost < best:
                best = _settled(policy, before) + cost
                source, by = np.int64(before), np.int64(forward)
    _set_length(policy, vertex, best)
    plan.came_from[vertex], plan.came_by[vertex] = source, by
    _enqueue(graph, policy, queue, goal, vertex)


@piece
def _take_note(graph, backward, policy, state, queue, goal):
    """Read new invalid vertices and edges, and update the lengths behind them; false if the queue needs more room."""
    plan, counts = policy.plan, state.counts
    news = counts[INVALID_VERTICES] - plan.clock[READ] + counts[INVALID_EDGES] - plan.clock[READ_EDGES]
    # Each invalid vertex or edge may enqueue itself, its end, and the vertices beside it.
    if not has_room(queue, (blocked_around(graph) + 2) * news):
        return False
    if news:
        plan.clock[FOLLOWING] = 0
    cut = False
    for number in range(plan.clock[READ], counts[INVALID_VERTICES]):
        vertex = np.int64(state.invalid[number])
        cut |= vertex == goal or may_cut(graph, plan, vertex)
        _set_length(policy, vertex, NO_WAY)
        _enqueue(graph, policy, queue, goal, vertex)
        for slot in range(blocked_around(graph)):
            beside = np.int64(successor(graph, locate(graph, vertex), slot))
            if beside != NO_VERTEX:
                _check_way(graph, backward, policy, state, queue, goal, beside)
    for number in range(plan.clock[READ_EDGES], counts[INVALID_EDGES]):
        source, target = np.int64(state.invalid_edges[number, 0]), np.int64(state.invalid_edges[number, 1])
        remove_edge(graph, plan, source, target)
        cut |= plan.confirmed[source] == plan.clock[EPOCH]
        _check_way(graph, backward, policy, state, queue, goal, target)
    plan.clock[READ], plan.clock[READ_EDGES] = counts[INVALID_VERTICES], counts[INVALID_EDGES]
    if cut:
        plan.clock[EPOCH] += 1
    return True


@piece
def _check_way(graph, backward, policy, state, queue, goal, vertex):
    """Compute the length of a vertex again if the edge that it was reached by is known to be invalid."""
    plan = policy.plan
    if _length(policy, vertex) == NO_WAY or plan.came_from[vertex] == NO_VERTEX:
        return
    source = np.int64(plan.came_from[vertex])
    if (
        believed_cost(graph, plan, state, source, locate(graph, source), np.int64(plan.came_by[vertex]), vertex)
        == NO_WAY
    ):
        _find_length(graph, backward, policy, state, queue, goal, vertex)


@piece
def _holds(graph, plan, state, goal, vertex, least):
    """Return _YES if a chain from a vertex to the goal is valid and as long as its bound, or _NO; cached for the epoch.

    The chain follows edges that fit the bounds, as far as possible. NO_TIME if it is too long for now: on a large map
    every step may touch new memory. The next call for the same vertex continues.
    """
    epoch, clock = plan.clock[EPOCH], plan.clock
    if clock[FOLLOWING] != vertex + 1:
        clock[FOLLOWING], clock[FOLLOWED_TO], clock[FOLLOWED] = vertex + 1, vertex, 0
    here, steps = clock[FOLLOWED_TO], clock[FOLLOWED]
    while here != goal and abs(plan.confirmed[here]) != epoch:
        if state.counts[WORK] <= 0:
            clock[FOLLOWED_TO], clock[FOLLOWED] = here, steps
            return NO_TIME
        state.counts[WORK] -= 1
        place, slot = locate(graph, here), np.int64(plan.onward[here]) - 1
        if slot < 0 or not _fits(graph, plan, state, here, place, slot):
            slot = _fitting_slot(graph, plan, state, goal, here, place, least)
            if slot < 0:
                break
            plan.onward[here] = slot + 1
        here = np.int64(successor(graph, place, slot))
        steps += 1
    clock[FOLLOWING] = 0
    return _YES if mark_chain(graph, plan, goal, vertex, here, steps) else _NO


@inlined
def _fits(graph, plan, state, vertex, place, slot):
    """Return whether the edge in a slot is valid, and the bounds of its ends differ by its cost."""
    target = successor(graph, place, slot)
    return plan.bounds[vertex] == believed_cost(graph, plan, state, vertex, place, slot, target) + plan.bounds[target]


@inlined
def _fitting_slot(graph, plan, state, goal, vertex, place, least):
    """Return a slot whose edge fits and whose target may have a chain, preferably one that has; -1 if there is none."""
    epoch, found = plan.clock[EPOCH], -1
    for slot in range(slot_count(graph, place) - 1, -1, -1):
        target = successor(graph, place, slot)
        if target == NO_VERTEX or state.status[target] >= least or plan.confirmed[target] == -epoch:
            continue
        bound_of(graph, plan, goal, target)
        if _fits(graph, plan, state, vertex, place, slot):
            if plan.confirmed[target] == epoch:
                return slot
            if found < 0:
                found = slot
    return found
