"""Lazy search in the loop: which edges of the candidate path are evaluated next.

Every vertex to which valid edges are known to lead from the start is open, and a source. The candidate is the shortest
path from a source to the goal over edges not known to be invalid, where a source costs `reuse` times the cost of its
path. A valid edge of the candidate leaves it the shortest, so it is kept until an edge is found to be invalid. If all
of its edges are known to be valid, it is the result. How it is found is in `continued.py` and `repaired.py`; a policy
chooses between them in `policies/lazy/policy.py`.
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
    MOST_WORK,
    NO_VERTEX,
    VALID_TARGET,
    WORK,
)
from sailplan.core.kernel.compile import dispatched, inlined, kernel, piece
from sailplan.core.kernel.edges import is_valid, locate, slot_count, successor
from sailplan.core.kernel.heap import clear
from sailplan.core.kernel.loop import evaluate_edges, known_status, learn_status, step
from sailplan.core.kernel.policy import is_due, on_edges, on_open, request
from sailplan.policies.replanning.kernel.edges import (
    READ,
    READ_EDGES,
    UNIT,
    UPDATE_AT_KNOWN,
    UPDATE_AT_STEPS,
    ReplanningArrays,
)

FORWARD, BACKWARD, ALTERNATE, DOUBTFUL = range(4)
"""Values of `LazyArrays.selector`."""

EDGES, VALID = range(2)
"""Indices of `LazyArrays.known`."""
NO_CANDIDATE = -1


class LazyArrays(NamedTuple):
    """A lazy search; its class selects how the candidate is found."""

    plan: ReplanningArrays
    """Costs of edges in the believed world, and lower bounds of the distance of each vertex to the goal in it."""
    reuse: float
    """The cost of known paths from the start counts this many times."""
    least: int
    """Vertices of this status and above are not entered: OPEN if `reuse` is 0, otherwise CLOSED."""
    selector: int
    batch: int
    """Largest number of edges in a request."""
    doubts: NDArray[np.float64]
    """For DOUBTFUL: how much each edge (if `plan.per_edge`), or the edges into each vertex, are doubted; empty if all
    are doubted as much."""
    turn: NDArray[np.int64]
    """For ALTERNATE: the number of requests that were answered, in a single entry."""
    settled: NDArray[np.int64]
    """NO_WAY minus the length of the path to each vertex when it was last expanded; 0 if it was not."""
    length: NDArray[np.int64]
    """NO_WAY minus the length of the path to each vertex, given its predecessors; 0 if there is none."""
    candidate: NDArray[np.int32]
    """The vertices of the candidate, without the goal, and in the second row the slots of its edges."""
    known: NDArray[np.int64]
    """The number of edges of the candidate, or NO_CANDIDATE, and the number of those at its beginning that are known to
    be valid."""


@dispatched("policy")
def find_candidate(graph, backward, policy, state, queue, goal):
    """Return a vertex of the candidate from which a chain of `onward` slots leads to the goal, and its length.

    NO_VERTEX instead of the vertex if there is no path; NO_ROOM, NO_QUEUE or NO_TIME if the computation was
    interrupted, in which case the length is a lower bound.
    """


@dispatched("policy")
def before(policy, vertex):
    """Return the vertex before another one on the candidate; NO_VERTEX if it is a source."""


@dispatched("policy")
def add_source(graph, policy, state, queue, goal, vertex):
    """Make a vertex a source, or a cheaper one."""


@dispatched("policy")
def forget(policy):
    """Forget all lengths that were computed for the candidate."""


step.register(LazyArrays)(evaluate_edges)


@is_due.register(LazyArrays)
def _is_due(search, policy):
    """Return whether the belief must be updated."""
    counts, clock = search.state.counts, policy.plan.clock
    known = counts[INVALID_VERTICES] + counts[INVALID_EDGES]
    return counts[EVALUATED] >= clock[UPDATE_AT_STEPS] or known >= clock[UPDATE_AT_KNOWN]


@on_open.register(LazyArrays)
def _on_open(search, policy, row, vertex, change):
    add_source(search.graph, policy, search.state, search.queue, search.goal, np.int64(vertex))


@on_edges.register(LazyArrays)
def _on_edges(search, policy, count):
    policy.turn[0] += 1


@inlined
def length_of_source(policy, state, vertex):
    """Return the length that the known path to a vertex counts for."""
    return np.int64(policy.reuse * policy.plan.scale * state.cost[vertex] * UNIT + 0.5)


@request.register(LazyArrays)
def _request(search, policy):
    if policy.known[EDGES] == NO_CANDIDATE or _has_news(policy, search.state):
        policy.known[EDGES] = NO_CANDIDATE
        vertex = find_candidate(search.graph, search.backward, policy, search.state, search.queue, search.goal)[0]
        if vertex < 0:
            return 0 if vertex == NO_VERTEX else vertex
        _lay_candidate(search.graph, policy, vertex, search.goal)
    return _pick(search, policy)


@inlined
def _has_news(policy, state):
    """Return whether vertices or edges were found to be invalid since the candidate was found."""
    clock, counts = policy.plan.clock, state.counts
    return clock[READ] < counts[INVALID_VERTICES] or clock[READ_EDGES] < counts[INVALID_EDGES]


@piece
def _lay_candidate(graph, policy, vertex, goal):
    """Write down the candidate through a vertex: the path to it, then its chain."""
    plan, path, slots = policy.plan, policy.candidate[0], policy.candidate[1]
    edges, here = 0, np.int64(vertex)
    while before(policy, here) != NO_VERTEX:
        edges += 1
        here = before(policy, here)
    here = np.int64(vertex)
    for index in range(edges - 1, -1, -1):
        path[index], slots[index] = before(policy, here), plan.came_by[here]
        here = before(policy, here)
    here = np.int64(vertex)
    while here != goal:
        path[edges], slots[edges] = here, plan.onward[here] - 1
        here = np.int64(successor(graph, locate(graph, here), slots[edges]))
        edges += 1
    policy.known[EDGES], policy.known[VALID] = edges, 0


@piece
def _pick(search, policy):
    """Request edges of the candidate; CONFIRMED if all of them are known to be valid."""
    done, known = policy.plan.done, policy.known
    while known[VALID] < known[EDGES] and is_known(search, policy, known[VALID]):
        known[VALID] += 1
    if known[VALID] == known[EDGES]:
        return CONFIRMED
    found = 1
    done[0] = known[VALID]
    if policy.selector != FORWARD or policy.batch > 1:
        for index in range(known[VALID] + 1, known[EDGES]):
            if not is_known(search, policy, index):
                done[found] = index
                found += 1
    count = min(found, policy.batch)
    for index in range(count):
        place = done[_position(search, policy, index, found)]
        search.requested[index, 0], search.requested[index, 1] = policy.candidate[0, place], policy.candidate[1, place]
    return count


@piece
def is_known(search, policy, index):
    """Return whether an edge of the candidate is known to be valid."""
    source, slot = np.int64(policy.candidate[0, index]), np.int64(policy.candidate[1, index])
    place = locate(search.graph, source)
    return is_valid(known_status(search, source, place, slot, np.int64(successor(search.graph, place, slot))))


@inlined
def _position(search, policy, index, found):
    """Return the position among the `found` unknown edges of the candidate of the edge that is requested next."""
    if policy.selector <= ALTERNATE:
        return position_in_order(policy.selector, policy.turn[0], index, found)
    return _most_doubtful(search, policy, index, found)


@inlined
def position_in_order(selector, turn, index, found):
    """Return the position for FORWARD, BACKWARD or ALTERNATE; `turn` is the number of requests that were answered."""
    if selector == FORWARD:
        return index
    if selector == BACKWARD:
        return found - 1 - index
    return index // 2 if (turn + index) % 2 == 0 else found - 1 - index // 2


@piece
def _most_doubtful(search, policy, index, found):
    """Move the most doubtful edge from the rest of the list to position `index`; the first one if there are several."""
    done = policy.plan.done
    if len(policy.doubts) == 0:
        return index
    best, largest = index, -np.inf
    for position in range(index, found):
        source, slot = policy.candidate[0, done[position]], policy.candidate[1, done[position]]
        place = locate(search.graph, np.int64(source))
        doubt = policy.doubts[place[0] + slot if policy.plan.per_edge else successor(search.graph, place, slot)]
        if doubt > largest:
            best, largest = position, doubt
    chosen = done[best]
    for position in range(best, index, -1):
        done[position] = done[position - 1]
    done[index] = chosen
    return index


@kernel
def add_sources(graph, policy, state, queue, goal, vertices):
    """Make vertices sources; the caller ensures that there is room."""
    for vertex in vertices:
        add_source(graph, policy, state, queue, goal, vertex)


@kernel
def restart(policy, queue):
    """Forget the candidate and all lengths that were computed for it."""
    policy.known[EDGES] = NO_CANDIDATE
    forget(policy)
    clear(queue, 0)


@kernel
def insert_new(search, policy, vertices):
    """Call `on_open` for the reference engine."""
    for vertex in vertices:
        on_open(search, policy, 0, vertex, ENTERED)


@kernel
def learn_edges(search, policy, edges):
    """Write the results of edges (source, target, result), and call `on_edges`, for the reference engine."""
    learn_results(search, edges)
    on_edges(search, policy, len(edges))


@kernel
def learn_results(search, edges):
    """Write the results of edges (source, target, result) for the reference engine."""
    state = search.state
    for source, target, answer in edges:
        source, target = np.int64(source), np.int64(target)
        place = locate(search.graph, source)
        for slot in range(slot_count(search.graph, place)):
            if successor(search.graph, place, slot) == target:
                learn_status(search, source, place, slot, answer)
        state.valid_target[target] |= answer == VALID_TARGET


@kernel
def find_length(graph, backward, policy, state, queue, goal):
    """Return the length of the candidate, or a lower bound of it, and why the search for it ended."""
    vertex, length = find_candidate(graph, backward, policy, state, queue, goal)
    return length, vertex


@kernel
def find_request(search, policy):
    """Call `request` for the reference engine."""
    search.state.counts[WORK] = MOST_WORK
    return request(search, policy)


@kernel
def target_of(graph, source, slot):
    """Return the target of the edge in a slot of a vertex."""
    return successor(graph, locate(graph, source), slot)


@kernel
def update_due(search, policy):
    """Call `is_due` for the reference engine."""
    return is_due(search, policy)
