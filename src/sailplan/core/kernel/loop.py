"""The compiled search loop: request a vertex or edges, evaluate, update paths and the open list, repeat."""

from __future__ import annotations

import numpy as np
from numba import uint32, uint64

from sailplan.core.kernel.arrays import (
    ANSWERED,
    ANSWERS_DUE,
    CHANGED,
    CHEAPER,
    CLOSED,
    CONFIRMED,
    EDGE_EVALUATIONS,
    EDGE_LOG_FULL,
    ENTERED,
    EVALUATE,
    EVALUATED,
    EVALUATIONS_SPENT,
    EXPAND,
    EXPANSIONS,
    FRONTIER_EMPTY,
    GOAL_EXPANDED,
    GOAL_GENERATED,
    INVALID,
    INVALID_EDGE,
    INVALID_EDGES,
    INVALID_TARGET,
    INVALID_VERTICES,
    NO_QUEUE,
    NO_ROOM,
    NO_TIME,
    NO_VERTEX,
    NOT_EVALUATED,
    OPEN,
    PATH_CONFIRMED,
    PAUSED,
    PENDING,
    POLICY_DUE,
    POLICY_FULL,
    QUEUE_FULL,
    REQUESTED,
    RUNNING,
    SELECT,
    TOUCHED,
    UNSEEN,
    VALID_EDGE,
    VALID_TARGET,
)
from sailplan.core.kernel.clock import cycles
from sailplan.core.kernel.compile import dispatched, inlined, kernel, piece
from sailplan.core.kernel.edges import (
    edge_cost,
    edge_number,
    evaluates_in_python,
    is_valid,
    list_unexpanded,
    locate,
    reverse_number,
    slot_count,
    successor,
    verdict,
)
from sailplan.core.kernel.heap import has_room
from sailplan.core.kernel.obstacles import note_invalid
from sailplan.core.kernel.policy import before_return, choose, is_due, keys_alone, on_edges, on_open, request

COMPILE_ONLY = -1
"""A budget with which `advance` does nothing."""
UNLIMITED = 1 << 62
"""No limit of edge evaluations."""

_TIMED_EVERY = 64
"""The clock is read in one of this many expansions: enough to estimate the shares, without overhead."""


@kernel
def advance(search, policy, stop_at_generation, budget, most):
    """Take at most `budget` steps and evaluate at most `most` edges in all; return why the loop stopped."""
    state, queue, goal, room = search.state, search.queue, search.goal, len(search.targets)
    # A request that a limit has interrupted is answered first.
    answered = state.counts[PENDING] + state.counts[REQUESTED] == 0
    code = GOAL_GENERATED if stop_at_generation and answered and state.status[goal] == OPEN else RUNNING
    if budget > 0 and code == RUNNING and queue.issued[0] == 0:
        # With the type of successors, so that `on_open` is compiled once.
        on_open(search, policy, 0, np.uint32(search.start), ENTERED)
    spent = 0
    while spent < budget and code == RUNNING:
        spent += 1
        if not has_room(queue, room):
            code = QUEUE_FULL
            break
        if state.counts[INVALID_EDGES] + 2 * len(search.requested) > len(state.invalid_edges):
            code = EDGE_LOG_FULL
            break
        if state.counts[PENDING] + state.counts[REQUESTED] == 0 and is_due(search, policy):
            code = POLICY_DUE
            break
        code = step(search, policy, most)
        if code == RUNNING and stop_at_generation and state.status[goal] == OPEN:
            code = GOAL_GENERATED
    if budget >= 0:
        before_return(search, policy)
    return code


@dispatched("policy", default=True)
def step(search, policy, most):
    """Expand the vertex that the policy chooses; return RUNNING, or why the vertex was not expanded."""
    state = search.state
    timed = state.counts[EXPANSIONS] % _TIMED_EVERY == 0
    before = cycles() if timed else 0
    vertex = np.int64(state.counts[PENDING] - 1)
    if vertex == NO_VERTEX:
        vertex = np.int64(choose(search, policy, 0))
        if vertex < 0:
            return _code_of(vertex)
        if vertex == search.goal:
            return GOAL_EXPANDED
    if most < UNLIMITED or evaluates_in_python(search.graph):
        code = _prepare(search, vertex, most)
        if code != RUNNING:
            state.counts[PENDING] = vertex + 1
            return code
    state.counts[PENDING] = 0
    selected = cycles() if timed else 0
    found = _evaluate(search, policy, vertex)
    evaluated = cycles() if timed else 0
    _relax(search, policy, vertex, found)
    if timed:
        state.cycles[SELECT] += selected - before
        state.cycles[EVALUATE] += evaluated - selected
        state.cycles[EXPAND] += cycles() - evaluated
    return RUNNING


@inlined
def _code_of(answer):
    """Return why the loop stops if a policy returned this instead of a vertex or a number of edges."""
    if answer == NO_ROOM:
        return POLICY_FULL
    if answer == NO_TIME:
        return PAUSED
    if answer == NO_QUEUE:
        return QUEUE_FULL
    return PATH_CONFIRMED if answer == CONFIRMED else FRONTIER_EMPTY


@piece
def _prepare(search, vertex, most):
    """Return whether the edges of a vertex can be evaluated; request those whose result is not in the arrays."""
    graph, state = search.graph, search.state
    place = locate(graph, vertex)
    unknown, count = 0, 0
    for slot in range(slot_count(graph, place)):
        target = successor(graph, place, slot)
        if target in (NO_VERTEX, vertex) or state.status[target] >= CLOSED:
            continue
        unknown += 1
        if verdict(graph, place, slot, target) == NOT_EVALUATED:
            search.requested[count, 0], search.requested[count, 1] = vertex, slot
            count += 1
    state.counts[ANSWERED], state.counts[REQUESTED] = 0, count
    if state.counts[EDGE_EVALUATIONS] + unknown > most:
        return EVALUATIONS_SPENT
    return ANSWERS_DUE if count else RUNNING


@inlined
def _evaluate(search, policy, vertex):
    """Close a vertex and evaluate its edges; write the valid ones to the scratch arrays and return their number.

    If keys are independent of each other, only those that make a path cheaper.
    """
    graph, state = search.graph, search.state
    counts, status = state.counts, state.status
    _close(state, vertex)
    place, cost_here = locate(graph, vertex), state.cost[vertex]
    # Unsigned indices save the test of their sign.
    found, evaluated = uint64(0), 0
    for index in range(list_unexpanded(graph, place, vertex, status, search.targets, search.slots)):
        target, slot = np.int64(search.targets[index]), search.slots[index]
        before = status[target]
        if before >= CLOSED:
            # A parallel edge has shown that the target is invalid.
            continue
        evaluated += 1
        answer = verdict(graph, place, slot, target)
        if answer == INVALID_TARGET:
            _forbid_target(search, target)
        elif answer == INVALID_EDGE:
            number = edge_number(graph, len(search.targets), vertex, place, slot)
            _forbid_edge(state, vertex, target, reverse_number(graph, number) >= 0)
        else:
            # Without branches, which would often be mispredicted: the next edge overwrites one that is not counted.
            cost, is_new = cost_here + edge_cost(graph, place, slot, target), before == UNSEEN
            search.targets[found], search.costs[found] = target, cost
            # The cost of a new vertex is not read: where memory is new, the system would have to provide it twice.
            known = state.cost[uint32(vertex if is_new else target)]
            found += uint64(not keys_alone(policy) or is_new | (cost < known))
    counts[EDGE_EVALUATIONS] += evaluated
    return found


@inlined
def _forbid_target(search, target):
    """Record an invalid vertex."""
    state, counts = search.state, search.state.counts
    state.status[target] = INVALID
    state.invalid[counts[INVALID_VERTICES]] = target
    note_invalid(search.obstacles, search.graph, counts[INVALID_VERTICES], target)
    counts[INVALID_VERTICES] += 1


@inlined
def _forbid_edge(state, source, target, both_ways):
    """Record an invalid edge whose target may be valid, and the opposite edge if it is invalid too."""
    for _ in range(2 if both_ways else 1):
        entry = state.counts[INVALID_EDGES]
        state.invalid_edges[entry, 0], state.invalid_edges[entry, 1] = source, target
        state.counts[INVALID_EDGES] += 1
        source, target = target, source


@inlined
def _relax(search, policy, vertex, found):
    """Open each valid successor or update its path, and notify the policy."""
    state, targets = search.state, search.targets
    depth = state.depth[vertex] + 1
    for index in range(found):
        target, cost = targets[index], search.costs[index]
        change = TOUCHED
        if state.status[target] == UNSEEN:
            change = ENTERED
        elif cost < state.cost[target]:
            change = CHEAPER
        if change != TOUCHED:
            state.status[target] = OPEN
            state.cost[target] = cost
            state.parent[target] = vertex
            state.depth[target] = depth
        if keys_alone(policy):
            on_open(search, policy, 0, target, change)
        else:
            search.changes[index] = change
    if not keys_alone(policy):
        for index in range(found):
            on_open(search, policy, 0, targets[index], np.int64(search.changes[index]))


def evaluate_edges(search, policy, most):
    """Answer a request of edges or of an expansion; an implementation of `step` for policies with `request`."""
    counts, timed = search.state.counts, search.state.counts[EVALUATED] % _TIMED_EVERY == 0
    before = cycles() if timed else 0
    if counts[REQUESTED] == 0 and counts[PENDING] == 0:
        count = request(search, policy)
        if count < 0 or (count == 0 and counts[PENDING] == 0):
            return _code_of(count)
        counts[REQUESTED], counts[ANSWERED], counts[CHANGED] = count, 0, 0
    selected = cycles() if timed else 0
    code = _answer(search, min(counts[REQUESTED], counts[ANSWERED] + max(most - counts[EDGE_EVALUATIONS], 0)))
    if code != RUNNING:
        return code
    expanded = np.int64(counts[PENDING] - 1)
    if expanded != NO_VERTEX:
        _connect_known(search, expanded)
    if not has_room(search.queue, counts[CHANGED] + len(search.targets)):
        return QUEUE_FULL
    evaluated = cycles() if timed else 0
    if expanded != NO_VERTEX:
        _close(search.state, expanded)
    on_edges(search, policy, counts[REQUESTED])
    if expanded != NO_VERTEX:
        _report_successors(search, policy, expanded)
    for index in range(counts[CHANGED]):
        vertex = search.changed[index]
        if search.marks[vertex] and search.state.status[vertex] == OPEN:
            on_open(search, policy, 0, np.uint32(vertex), _change_of(search, vertex))
        search.marks[vertex] = 0
    counts[REQUESTED], counts[PENDING] = 0, 0
    if timed:
        search.state.cycles[SELECT] += selected - before
        search.state.cycles[EVALUATE] += evaluated - selected
        search.state.cycles[EXPAND] += cycles() - evaluated
    return RUNNING


@inlined
def request_expansion(search, vertex):
    """Request all edges of an open vertex whose results are not known; return their number, which may be 0.

    The result of `request` for a policy that expands vertices in a search by edges. The vertex is closed, but its path
    may still become cheaper; it must not be the goal.
    """
    graph, count = search.graph, 0
    place = locate(graph, vertex)
    for slot in range(slot_count(graph, place)):
        target = successor(graph, place, slot)
        # No edge makes the path to the start cheaper.
        if target in (NO_VERTEX, vertex, search.start):
            continue
        if known_status(search, vertex, place, slot, target) == NOT_EVALUATED:
            search.requested[count, 0], search.requested[count, 1] = vertex, slot
            count += 1
    search.state.counts[PENDING] = vertex + 1
    return count


@piece
def _connect_known(search, vertex):
    """Take the valid edges of a vertex, among them those that need no evaluation."""
    place = locate(search.graph, vertex)
    for slot in range(slot_count(search.graph, place)):
        target = successor(search.graph, place, slot)
        if target != NO_VERTEX and is_valid(known_status(search, vertex, place, slot, target)):
            _spread(search, _lower(search, vertex, edge_cost(search.graph, place, slot, target), target, 0))


@inlined
def _close(state, vertex):
    """Close a vertex and record its expansion."""
    state.status[vertex] = CLOSED
    state.expanded[state.counts[EXPANSIONS]] = vertex
    state.counts[EXPANSIONS] += 1


@inlined
def _report_successors(search, policy, vertex):
    """Notify the policy of the open successors of a vertex that was expanded, in their order."""
    place = locate(search.graph, vertex)
    for slot in range(slot_count(search.graph, place)):
        target = successor(search.graph, place, slot)
        if target == NO_VERTEX or search.state.status[target] != OPEN:
            continue
        if is_valid(known_status(search, vertex, place, slot, target)):
            on_open(search, policy, 0, np.uint32(target), _change_of(search, target))
            search.marks[target] = 0


@inlined
def _change_of(search, vertex):
    marks = search.marks[vertex]
    if marks & _NEW:
        return ENTERED
    return CHEAPER if marks & _CHANGED else TOUCHED


_CHANGED, _WAITING, _NEW = 1, 2, 4
"""Bits of `SearchArrays.marks`."""


@piece
def _answer(search, end):
    """Evaluate the requested edges up to number `end`; RUNNING if the whole request is answered."""
    graph, state, counts = search.graph, search.state, search.state.counts
    if evaluates_in_python(graph):
        for index in range(counts[ANSWERED], end):
            source, slot = search.requested[index, 0], search.requested[index, 1]
            place = locate(graph, source)
            if verdict(graph, place, slot, successor(graph, place, slot)) == NOT_EVALUATED:
                return ANSWERS_DUE
    if counts[EVALUATED] + end - counts[ANSWERED] > len(state.evaluated):
        return EDGE_LOG_FULL
    for index in range(counts[ANSWERED], end):
        source, slot = search.requested[index, 0], search.requested[index, 1]
        place = locate(graph, source)
        target = successor(graph, place, slot)
        _record(search, source, place, slot, target, verdict(graph, place, slot, target))
    counts[EDGE_EVALUATIONS] += end - counts[ANSWERED]
    counts[ANSWERED] = end
    return RUNNING if end == counts[REQUESTED] else EVALUATIONS_SPENT


@piece
def _record(search, source, place, slot, target, answer):
    """Record the result of one edge, and update the paths that it changes."""
    state, log = search.state, search.state.evaluated[search.state.counts[EVALUATED]]
    log[0], log[1], log[2] = source, target, answer
    state.counts[EVALUATED] += 1
    opposite = learn_status(search, source, place, slot, answer)
    if answer == INVALID_TARGET:
        if state.status[target] != INVALID:
            _forbid_target(search, target)
        return
    if answer == INVALID_EDGE:
        _forbid_edge(state, source, target, opposite >= 0)
        return
    cost = edge_cost(search.graph, place, slot, target)
    if answer == VALID_TARGET:
        state.valid_target[target] = True
        _connect_target(search, target)
    elif state.status[source] in (OPEN, CLOSED):
        _spread(search, _lower(search, source, cost, target, 0))
    if opposite >= 0 and state.status[target] in (OPEN, CLOSED):
        _spread(search, _lower(search, target, cost, source, 0))


@inlined
def learn_status(search, source, place, slot, answer):
    """Write the result of an edge, and of the opposite edge if it has the same, whose number is returned, or -1."""
    number = edge_number(search.graph, len(search.targets), source, place, slot)
    opposite = reverse_number(search.graph, number)
    search.state.edge_status[number] = answer + 1
    if opposite >= 0 and answer != INVALID_TARGET:
        search.state.edge_status[opposite] = (VALID_EDGE if is_valid(answer) else answer) + 1
    return opposite


@inlined
def known_status(search, source, place, slot, target):
    """Return what is known about an edge: the result of its evaluation, or NOT_EVALUATED."""
    state = search.state
    if state.status[target] == INVALID:
        return np.uint8(INVALID_TARGET)
    stored = state.edge_status[edge_number(search.graph, len(search.targets), source, place, slot)]
    if stored:
        return np.uint8(stored - 1)
    return np.uint8(VALID_TARGET if state.valid_target[target] else NOT_EVALUATED)


@piece
def _connect_target(search, target):
    """Take the edge into a vertex that gives it the cheapest path, all of which are valid."""
    state, best, least, cost = search.state, np.int64(NO_VERTEX), np.inf, 0.0
    place = locate(search.backward, target)
    for slot in range(slot_count(search.backward, place)):
        source = np.int64(successor(search.backward, place, slot))
        if source == NO_VERTEX or state.status[source] not in (OPEN, CLOSED):
            continue
        step = edge_cost(search.backward, place, slot, source)
        total = state.cost[source] + step
        if total < least or (total == least and source < best):
            best, least, cost = source, total, step
    if best != NO_VERTEX:
        _spread(search, _lower(search, best, cost, target, 0))


@piece
def _spread(search, last):
    """Take all valid edges behind vertices whose path has become cheaper; `last` is the number of these."""
    first, room = 0, len(search.waiting)
    while first < last:
        source = np.int64(search.waiting[first % room])
        search.marks[source] &= _CHANGED | _NEW
        first += 1
        place = locate(search.graph, source)
        for slot in range(slot_count(search.graph, place)):
            target = successor(search.graph, place, slot)
            if target != NO_VERTEX and is_valid(known_status(search, source, place, slot, target)):
                last = _lower(search, source, edge_cost(search.graph, place, slot, target), target, last)


@piece
def _lower(search, source, edge_cost, target, last):
    """Use an edge for the path to its target if this is cheaper; return the new end of the ring of waiting vertices."""
    state, marks = search.state, search.marks
    cost = state.cost[source] + edge_cost
    if state.status[target] == UNSEEN:
        marks[target] |= _NEW
        state.status[target] = OPEN
    elif not cost < state.cost[target]:
        return last
    state.cost[target] = cost
    state.parent[target], state.depth[target] = source, state.depth[source] + 1
    if not marks[target] & _CHANGED:
        marks[target] |= _CHANGED
        search.changed[state.counts[CHANGED]] = target
        state.counts[CHANGED] += 1
    if not marks[target] & _WAITING:
        marks[target] |= _WAITING
        search.waiting[last % len(search.waiting)] = target
        last += 1
    return last


@kernel
def trace_back(parent, vertex, path):
    """Fill `path` with the vertices from the start to `vertex`; its length is the depth of the vertex plus one."""
    for index in range(len(path) - 1, -1, -1):
        path[index] = vertex
        vertex = parent[vertex]
