"""The candidate of a lazy search with an edge posterior: A* with probabilities computed where it looks.

An edge that is not known costs its length and a penalty for the probability that it is invalid, at most `bound` times
its length; an edge known to be valid costs its length. So a candidate whose edges are all valid is at most `bound`
times as long as the shortest path. The heuristic is the distance if all edges are valid; without a bound it may be
weighted, and the candidate need not be the shortest. If edges are undirected, the search begins at either end.
"""

from __future__ import annotations

import numpy as np

from sailplan.core.kernel.arrays import (
    INVALID,
    MOST_WORK,
    NO_QUEUE,
    NO_TIME,
    NO_VERTEX,
    NOT_EVALUATED,
    POLICY_EVALUATIONS,
    WORK,
)
from sailplan.core.kernel.compile import inlined, kernel, piece
from sailplan.core.kernel.edges import is_valid, locate, slot_count, successor
from sailplan.core.kernel.heap import NO_TAG, clear, has_room, pop_entry, put, tag_of, vertex_of
from sailplan.core.kernel.loop import known_status
from sailplan.policies.replanning.beliefs.kernel.edges import surprise_of
from sailplan.policies.replanning.kernel.edges import NO_WAY

CRITICAL = 4
"""Value of `RememberedArrays.selector`, beside those of `LazyArrays`."""

EDGES, RUN, SEARCHING, READ, TURN, LENGTH, SETTLED, ROOT, EFFORT = range(9)
"""Indices of `RememberedArrays.known`: the number of edges of the candidate, or NO_CANDIDATE; the number of the search
for it, and whether it was interrupted; the number of invalid vertices and edges at its beginning; the number of
requests that were answered; the length of the candidate; the number of vertices settled; the end of the path from
which the candidate is searched for; how many vertices searches from each end settle, two entries."""
COUNTERS = 10
FROM_START, FROM_GOAL = range(2)
"""Values of ROOT, and rows of `ahead`."""
UNKNOWN_DISTANCE = -1
"""In the first entry of a row of `ahead`: it is not computed yet."""
NO_CANDIDATE = -1
_LONGEST_DETOUR = 8.0
"""Paths with a longer detour than this, in units of `detour`, have no weight."""
_NEWEST_FIRST = (1 << 35) - 1


@piece
def find_candidate(search, policy):
    """Find the candidate by A*; return 0, NO_VERTEX if there is none, or NO_QUEUE or NO_TIME if interrupted."""
    graph, queue, known, counts = search.graph, search.queue, policy.known, search.state.counts
    if search.state.status[search.goal] == INVALID:
        return NO_VERTEX
    if known[SEARCHING] == 0:
        known[SEARCHING], known[LENGTH], known[SETTLED] = 1, NO_WAY, 0
        known[RUN] += 1
        counts[POLICY_EVALUATIONS] += 1
        clear(queue, 0)
        _reach(policy, queue, root_of(search, policy), 0, NO_VERTEX, 0)
    end = end_of(search, policy)
    reached = 2 * known[RUN]
    slack = np.int64(_LONGEST_DETOUR * policy.detour) if policy.selector == CRITICAL else np.int64(0)
    while True:
        rank, tag = pop_entry(queue, 0, policy.phases, reached)
        if tag == NO_TAG:
            break
        vertex = vertex_of(tag)
        if rank != _rank(policy, vertex):
            continue
        if known[LENGTH] < NO_WAY and (slack == 0 or rank > known[LENGTH] + slack):
            break
        place = locate(graph, vertex)
        if counts[WORK] <= 0 or not has_room(queue, slot_count(graph, place)):
            put(queue, 0, rank, tag)
            return NO_TIME if counts[WORK] <= 0 else NO_QUEUE
        counts[WORK] -= 1
        policy.phases[vertex] = reached + 1
        policy.settled[known[SETTLED]] = vertex
        known[SETTLED] += 1
        if vertex == end:
            known[LENGTH] = rank
            known[EFFORT + known[ROOT]] = known[SETTLED]
            # What is known of the other end is the less true the older it is.
            known[EFFORT + 1 - known[ROOT]] -= known[EFFORT + 1 - known[ROOT]] >> 4
            if slack == 0:
                break
            continue
        _settle(search, policy, vertex, place, reached)
    return NO_VERTEX if known[LENGTH] == NO_WAY else 0


@inlined
def root_of(search, policy):
    """Return the end of the path at which the search begins."""
    return search.start if policy.known[ROOT] == FROM_START else search.goal


@inlined
def end_of(search, policy):
    """Return the other end of the path."""
    return search.goal if policy.known[ROOT] == FROM_START else search.start


@inlined
def _settle(search, policy, vertex, place, reached):
    """Reach the targets of the edges of a vertex that may be valid."""
    graph, ahead = search.graph, policy.ahead[policy.known[ROOT]]
    for slot in range(slot_count(graph, place)):
        target = successor(graph, place, slot)
        if target == vertex or policy.phases[target] == reached + 1 or ahead[target] == NO_WAY:
            continue
        status = status_of(search, policy, vertex, place, slot, target)
        if status != NOT_EVALUATED and not is_valid(status):
            continue
        travelled = policy.travelled[vertex] + believed_length(policy, graph, place[0] + slot, status)
        if policy.phases[target] != reached or travelled < policy.travelled[target]:
            _reach(policy, search.queue, target, travelled, vertex, slot)


@inlined
def status_of(search, policy, vertex, place, slot, target):
    """Return what is known about an edge, from this search or from an earlier one."""
    status = known_status(search, vertex, place, slot, target)
    return policy.earlier[search.graph.given[place[0] + slot]] if status == NOT_EVALUATED else status


@inlined
def _reach(policy, queue, vertex, travelled, source, slot):
    policy.phases[vertex], policy.travelled[vertex] = 2 * policy.known[RUN], travelled
    policy.came_from[vertex], policy.came_by[vertex] = source, slot
    queue.issued[0] += 1
    put(queue, 0, _rank(policy, vertex), tag_of(_NEWEST_FIRST - queue.issued[0], vertex))


@inlined
def _rank(policy, vertex):
    ahead = policy.ahead[policy.known[ROOT], vertex]
    return policy.travelled[vertex] + (ahead if policy.haste[0] == 1.0 else np.int64(policy.haste[0] * ahead))


@inlined
def whole_length(cost, scale):
    """Return the length of an edge as a positive integer."""
    return max(np.int64(cost * scale + 0.5), np.int64(1))


@inlined
def believed_length(policy, graph, row, status):
    """Return the believed cost of an edge that is not known to be invalid."""
    length = whole_length(graph.costs[row], policy.scale)
    if is_valid(status) or policy.bound[0] == 1.0:
        return length
    penalty = policy.surprise * surprise_of(policy.memory, graph.given[row])
    return length + np.int64(min(penalty, (policy.bound[0] - 1.0) * length))


@piece
def lay_candidate(search, policy):
    """Write down the candidate, from the start to the goal."""
    graph, candidate, edges, here = search.graph, policy.candidate, 0, np.int64(end_of(search, policy))
    while here != root_of(search, policy):
        before, slot = np.int64(policy.came_from[here]), np.int64(policy.came_by[here])
        if policy.known[ROOT] == FROM_START:
            candidate[0, edges], candidate[1, edges] = before, slot
        else:
            candidate[0, edges], candidate[1, edges] = (
                here,
                graph.opposite[graph.first[before] + slot] - graph.first[here],
            )
        here = before
        edges += 1
    if policy.known[ROOT] == FROM_START:
        for index in range(edges // 2):
            for row in range(2):
                other = candidate[row, edges - 1 - index]
                candidate[row, edges - 1 - index], candidate[row, index] = candidate[row, index], other
    policy.known[EDGES] = edges


@kernel
def find_shortest(search, policy):
    """Find a candidate; return its length, or a lower bound if it was interrupted, and the reason."""
    search.state.counts[WORK] = MOST_WORK
    code = find_candidate(search, policy)
    if code == 0:
        policy.known[SEARCHING] = 0
        return policy.known[LENGTH], code
    return np.int64(NO_WAY if code == NO_VERTEX else 0), code


@kernel
def distances_ahead(backward, scale, goal, start, ahead, phases, queue):
    """Compute the distance of vertices to the goal by Dijkstra, up to twice that of the start; false if out of room.

    Vertices that are farther away have twice the distance of the start, which is a lower bound. If the start cannot
    reach the goal, all vertices that can have their distance.
    """
    ahead[:] = NO_WAY
    phases[:] = 0
    clear(queue, 0)
    ahead[goal], phases[goal] = 0, 1
    queue.issued[0] += 1
    put(queue, 0, np.int64(0), tag_of(queue.issued[0], goal))
    limit = np.int64(NO_WAY)
    while True:
        rank, tag = pop_entry(queue, 0, phases, 1)
        if tag == NO_TAG:
            return True
        vertex = vertex_of(tag)
        if rank != ahead[vertex]:
            continue
        if rank >= limit:
            break
        place = locate(backward, vertex)
        if not has_room(queue, slot_count(backward, place)):
            return False
        phases[vertex] = 2
        if vertex == start:
            limit = 2 * rank
        for slot in range(slot_count(backward, place)):
            source = successor(backward, place, slot)
            distance = rank + whole_length(backward.costs[place[0] + slot], scale)
            if distance < ahead[source]:
                ahead[source], phases[source] = distance, 1
                queue.issued[0] += 1
                put(queue, 0, distance, tag_of(queue.issued[0], source))
    for vertex in range(len(ahead)):
        if phases[vertex] != 2:
            ahead[vertex] = limit
    return True
