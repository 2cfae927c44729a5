"""Lazy search in the loop: which edges of the candidate path are evaluated next.

Every vertex to which valid edges are known to lead from the start is open. Its key is `reuse` times the cost of its
path plus its distance to the goal over edges not known to be invalid, which is a lower bound that is repaired when the
vertex is the first of the open list (see `policies/replanning/kernel/repair.py`). The path to the first vertex and the
chain from it to the goal are the candidate. Some of its edges that are not known to be valid are requested; if there
are none, the candidate is the result.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sailplan.core.kernel.arrays import (
    CONFIRMED,
    ENTERED,
    EVALUATED,
    INVALID_EDGES,
    INVALID_VERTICES,
    NO_ROOM,
    NO_TIME,
    NO_VERTEX,
    OPEN,
    POLICY_EVALUATIONS,
    VALID_TARGET,
)
from sailplan.core.kernel.compile import inlined, kernel, piece
from sailplan.core.kernel.edges import edge_number, is_valid, locate, slot_count, successor
from sailplan.core.kernel.heap import NO_TAG, clear, number_of, pop_entry, put, tag_of, vertex_of
from sailplan.core.kernel.loop import evaluate_edges, known_status, step
from sailplan.core.kernel.policy import before_return, is_due, on_edges, on_open, request
from sailplan.policies.replanning.kernel.edges import (
    MOST_WORK,
    NO_WAY,
    UNIT,
    UPDATE_AT_KNOWN,
    UPDATE_AT_STEPS,
    WORK,
    ReplanningArrays,
    bound_of,
)
from sailplan.policies.replanning.kernel.repair import holds, repair, take_note

FORWARD, BACKWARD, ALTERNATE, DOUBTFUL = range(4)
"""Values of `LazyArrays.selector`."""


class LazyArrays(NamedTuple):
    """A lazy search."""

    plan: ReplanningArrays
    """Lower bounds of the distance of each vertex to the goal in the believed world."""
    reuse: float
    """The cost of edges on known paths from the start counts this many times."""
    least: int
    """Repairs do not pass vertices of this status and above: OPEN if `reuse` is 0, otherwise CLOSED."""
    selector: int
    batch: int
    """Largest number of edges in a request."""
    doubts: NDArray[np.float64]
    """For DOUBTFUL: how much the edges into each vertex are doubted; empty if all are doubted as much."""
    turn: NDArray[np.int64]
    """For ALTERNATE: the number of requests that were answered, in a single entry."""


step.register(LazyArrays)(evaluate_edges)


@is_due.register(LazyArrays)
def _is_due(search, policy):
    """Return whether the belief must be updated."""
    counts, clock = search.state.counts, policy.plan.clock
    known = counts[INVALID_VERTICES] + counts[INVALID_EDGES]
    return counts[EVALUATED] >= clock[UPDATE_AT_STEPS] or known >= clock[UPDATE_AT_KNOWN]


@before_return.register(LazyArrays)
def _before_return(search, policy):
    policy.plan.clock[WORK] = MOST_WORK


@on_open.register(LazyArrays)
def _on_open(search, policy, row, vertex, change):
    """Insert a vertex with its key; an entry with another insertion number is outdated."""
    _insert(search.graph, policy, search.state, search.queue, search.goal, vertex)


@on_edges.register(LazyArrays)
def _on_edges(search, policy, count):
    policy.turn[0] += 1


@inlined
def _insert(graph, policy, state, queue, goal, vertex):
    queue.issued[0] += 1
    policy.plan.numbers[vertex] = queue.issued[0]
    state.counts[POLICY_EVALUATIONS] += 1
    bound_of(graph, policy.plan, goal, vertex)
    put(queue, 0, _key(policy, state, vertex), tag_of(queue.issued[0], vertex))


@inlined
def _key(policy, state, vertex):
    """Return the length of the shortest candidate through an open vertex, as far as its bound is exact."""
    plan = policy.plan
    bound = plan.bounds[vertex]
    if bound >= NO_WAY or policy.reuse == 0.0:
        return bound
    return bound + np.int64(policy.reuse * plan.scale * state.cost[vertex] * UNIT + 0.5)


@request.register(LazyArrays)
def _request(search, policy):
    vertex = _find_candidate(search.graph, policy, search.state, search.queue, search.goal)[0]
    if vertex < 0:
        return 0 if vertex == NO_VERTEX else vertex
    return CONFIRMED if vertex == search.goal else _pick(search, policy, vertex)


@piece
def _find_candidate(graph, policy, state, queue, goal):
    """Return the open vertex through which the candidate leaves the known paths, and the length of the candidate.

    The vertex stays in the open list. NO_VERTEX instead of it if there is no path, NO_ROOM or NO_TIME if a repair was
    interrupted; the length is then a lower bound.
    """
    plan = policy.plan
    take_note(graph, plan, state, goal)
    while True:
        rank, tag = pop_entry(queue, 0, state.status, OPEN)
        if tag == NO_TAG:
            return NO_VERTEX, np.int64(NO_WAY)
        vertex = vertex_of(tag)
        if number_of(tag) != plan.numbers[vertex]:
            continue
        key = _key(policy, state, vertex)
        if rank != key:
            put(queue, 0, key, tag)
            continue
        if key != NO_WAY and vertex != goal and not holds(graph, plan, state, goal, vertex):
            interrupted = repair(graph, plan, state, goal, vertex, policy.least)
            if interrupted:
                put(queue, 0, rank, tag)
                return interrupted, rank
            state.counts[POLICY_EVALUATIONS] += 1
            key = _key(policy, state, vertex)
        put(queue, 0, key, tag)
        if key == rank:
            return (NO_VERTEX if rank == NO_WAY else vertex), rank


@inlined
def _pick(search, policy, vertex):
    """Request edges of the chain from a vertex; CONFIRMED if all of them are known to be valid."""
    graph, plan = search.graph, policy.plan
    most = 1 if policy.selector == FORWARD and policy.batch == 1 else len(plan.done)
    found, here = 0, np.int64(vertex)
    while here != search.goal and found < most:
        place, slot = locate(graph, here), plan.onward[here] - 1
        target = np.int64(successor(graph, place, slot))
        if not is_valid(known_status(search, here, place, slot, target)):
            plan.done[found] = here
            found += 1
        here = target
    if found == 0:
        return CONFIRMED
    count = min(found, policy.batch)
    for index in range(count):
        source = np.int64(plan.done[_position(search, policy, index, found)])
        search.requested[index, 0], search.requested[index, 1] = source, plan.onward[source] - 1
    return count


@inlined
def _position(search, policy, index, found):
    """Return the position among the `found` unknown edges of the candidate of the edge that is requested next."""
    if policy.selector == FORWARD:
        return index
    if policy.selector == BACKWARD:
        return found - 1 - index
    if policy.selector == ALTERNATE:
        return index // 2 if (policy.turn[0] + index) % 2 == 0 else found - 1 - index // 2
    return _most_doubtful(search, policy, index, found)


@inlined
def _most_doubtful(search, policy, index, found):
    """Move the most doubtful edge from the rest of the list to position `index`; the first one if there are several."""
    done = policy.plan.done
    if len(policy.doubts) == 0:
        return index
    best, largest = index, -np.inf
    for position in range(index, found):
        source = np.int64(done[position])
        slot = policy.plan.onward[source] - 1
        doubt = policy.doubts[successor(search.graph, locate(search.graph, source), slot)]
        if doubt > largest:
            best, largest = position, doubt
    chosen = done[best]
    for position in range(best, index, -1):
        done[position] = done[position - 1]
    done[index] = chosen
    return index


@kernel
def insert_all(graph, policy, state, queue, goal, vertices):
    """Clear the open list and insert vertices."""
    clear(queue, 0)
    for vertex in vertices:
        _insert(graph, policy, state, queue, goal, vertex)


@kernel
def insert_new(search, policy, vertices):
    """Call `on_open` for the reference engine."""
    for vertex in vertices:
        on_open(search, policy, 0, vertex, ENTERED)


@kernel
def learn_edges(search, policy, edges):
    """Write the results of edges (source, target, result), and call `on_edges`, for the reference engine."""
    state = search.state
    for source, target, answer in edges:
        place = locate(search.graph, source)
        for slot in range(slot_count(search.graph, place)):
            if successor(search.graph, place, slot) == target:
                state.edge_status[edge_number(search.graph, len(search.targets), source, place, slot)] = answer
        state.valid_target[target] |= answer == VALID_TARGET
    on_edges(search, policy, len(edges))


@kernel
def find_length(graph, policy, state, queue, goal):
    """Return the length of the candidate, and whether it was found; if not, the length is a lower bound."""
    policy.plan.clock[WORK] = MOST_WORK
    vertex, length = _find_candidate(graph, policy, state, queue, goal)
    return length, vertex != NO_TIME and vertex != NO_ROOM, vertex == NO_ROOM


@kernel
def find_request(search, policy):
    """Call `request` for the reference engine."""
    before_return(search, policy)
    return request(search, policy)


@kernel
def target_of(graph, source, slot):
    """Return the target of the edge in a slot of a vertex."""
    return successor(graph, locate(graph, source), slot)


@kernel
def update_due(search, policy):
    """Call `is_due` for the reference engine."""
    return is_due(search, policy)
