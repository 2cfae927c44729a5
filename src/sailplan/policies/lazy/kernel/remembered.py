"""Lazy search with an edge posterior: the candidate is found by A*, with probabilities computed where it looks.

An edge that is not known costs its length and a penalty for the probability that it is invalid, at most `bound` times
its length; an edge known to be valid costs its length. So a candidate whose edges are all valid is at most `bound`
times as long as the shortest path. The heuristic is the distance if all edges are valid; without a bound it may be
weighted, and the candidate need not be the shortest. If edges are undirected, the search begins at either end.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sailplan.core.kernel.arrays import (
    CONFIRMED,
    INVALID_EDGES,
    INVALID_VERTICES,
    NO_QUEUE,
    NO_TIME,
    NO_VERTEX,
    NOT_EVALUATED,
    POLICY_EVALUATIONS,
)
from sailplan.core.kernel.compile import inlined, kernel, piece
from sailplan.core.kernel.edges import is_valid, locate, slot_count, successor
from sailplan.core.kernel.heap import NO_TAG, clear, has_room, pop_entry, put, tag_of, vertex_of
from sailplan.core.kernel.loop import evaluate_edges, known_status, step
from sailplan.core.kernel.policy import before_return, is_due, on_edges, on_open, request
from sailplan.policies.lazy.kernel.selection import ALTERNATE, position_in_order
from sailplan.policies.replanning.beliefs.kernel.edges import EdgeMemoryArrays, learn_edge, probability_invalid
from sailplan.policies.replanning.kernel.edges import MOST_WORK, NO_WAY

CRITICAL = 4
"""Value of `RememberedArrays.selector`, beside those of `LazyArrays`."""

EDGES, RUN, SEARCHING, READ, TURN, WORK, LENGTH, SETTLED, ROOT, EFFORT = range(10)
"""Indices of `RememberedArrays.known`: the number of edges of the candidate, or NO_CANDIDATE; the number of the search
for it, and whether it was interrupted; the number of invalid vertices and edges at its beginning; the number of
requests that were answered; the number of vertices that may be settled before the kernel returns; the length of the
candidate; the number of vertices settled; the end of the path from which the candidate is searched for;
how many vertices searches from each end settle, two entries."""
COUNTERS = 11
FROM_START, FROM_GOAL = range(2)
"""Values of ROOT, and rows of `ahead`."""
UNKNOWN_DISTANCE = -1
"""In the first entry of a row of `ahead`: it is not computed yet."""
NO_CANDIDATE = -1
_LONGEST_DETOUR = 8.0
"""Paths with a longer detour than this, in units of `detour`, have no weight."""
_NEWEST_FIRST = (1 << 35) - 1
_LEAST_SHARE = 1e-9
_LITTLE_EFFORT = 256


class RememberedArrays(NamedTuple):
    """A lazy search with an edge posterior."""

    memory: EdgeMemoryArrays
    earlier: NDArray[np.uint8]
    """The result of each edge in earlier searches in the same world; NOT_EVALUATED if there is none."""
    scale: float
    """Lengths are whole numbers: the cost of an edge times this, at least 1."""
    surprise: float
    """The penalty of an edge for each unit of surprise, in the same unit."""
    bound: NDArray[np.float64]
    """The largest cost of an edge in lengths, in a single entry."""
    haste: NDArray[np.float64]
    """The weight of `ahead`, in a single entry; 1 if there is a bound."""
    ahead: NDArray[np.int64]
    """Shape (1 or 2, vertices): a lower bound of the distance of each vertex to the goal, which is consistent; NO_WAY
    if there is no path. If edges are undirected, the second row is the same for the start."""
    selector: int
    batch: int
    """Largest number of edges in a request."""
    sharing: float
    detour: float
    """See `EdgeWeights`; the latter in the unit of lengths."""
    travelled: NDArray[np.int64]
    """Scratch, like all fields below: the length of the path to each vertex."""
    phases: NDArray[np.int64]
    """Twice the number of the search in which each vertex was reached, and one more if it was settled."""
    came_from: NDArray[np.int32]
    came_by: NDArray[np.int32]
    """The vertex and the slot by which each vertex was reached."""
    settled: NDArray[np.int32]
    """The vertices in the order in which they were settled."""
    candidate: NDArray[np.int32]
    """The vertices of the candidate, without the goal, and in the second row the slots of its edges."""
    unknown: NDArray[np.int32]
    """The edges of the candidate whose results are not known."""
    shares: NDArray[np.float64]
    """For CRITICAL: the share of almost shortest paths that contain each edge."""
    forward: NDArray[np.float64]
    onward: NDArray[np.float64]
    """For CRITICAL: the weights of the paths to and from each vertex."""
    known: NDArray[np.int64]
    """Counters; see EDGES, RUN, ..."""


step.register(RememberedArrays)(evaluate_edges)


@is_due.register(RememberedArrays)
def _is_due(search, policy):
    """Return whether the distances to the other end must be computed."""
    return policy.ahead[policy.known[ROOT], 0] == UNKNOWN_DISTANCE


@before_return.register(RememberedArrays)
def _before_return(search, policy):
    policy.known[WORK] = MOST_WORK


@on_open.register(RememberedArrays)
def _on_open(search, policy, row, vertex, change):
    # The loop tells by the number that the start was added.
    search.queue.issued[0] += 1


@on_edges.register(RememberedArrays)
def _on_edges(search, policy, count):
    policy.known[TURN] += 1
    for index in range(count):
        source, slot = search.requested[index, 0], search.requested[index, 1]
        place = locate(search.graph, source)
        status = known_status(search, source, place, slot, successor(search.graph, place, slot))
        edge = search.graph.given[place[0] + slot]
        if not is_valid(status):
            _select_root(policy, source)
        if policy.earlier[edge] == NOT_EVALUATED:
            learn_edge(policy.memory, edge, not is_valid(status))


@inlined
def _select_root(policy, source):
    """Search from the end of the candidate that is closer to an invalid edge of it.

    What has changed is met at once, and the rest of the path costs what it did: few vertices have to be settled. If
    searches from the other end have settled much fewer, they go on from there.
    """
    known = policy.known
    for index in range(known[EDGES]):
        if policy.candidate[0, index] == source:
            root = min(2 * index // known[EDGES], len(policy.ahead) - 1)
            if len(policy.ahead) > 1 and known[EFFORT + root] > 4 * known[EFFORT + 1 - root] + _LITTLE_EFFORT:
                root = 1 - root
            known[ROOT] = root


@request.register(RememberedArrays)
def _request(search, policy):
    known, counts = policy.known, search.state.counts
    news = counts[INVALID_EDGES] + counts[INVALID_VERTICES]
    if known[EDGES] == NO_CANDIDATE or known[READ] != news:
        if known[READ] != news:
            known[SEARCHING] = 0
        known[EDGES], known[READ] = NO_CANDIDATE, news
        code = _find_candidate(search, policy)
        if code != 0:
            return 0 if code == NO_VERTEX else code
        if policy.selector == CRITICAL:
            code = _find_shares(search, policy)
            if code != 0:
                return code
        known[SEARCHING] = 0
        _lay_candidate(search, policy)
    return _pick(search, policy)


@piece
def _find_candidate(search, policy):
    """Find the candidate by A*; return 0, NO_VERTEX if there is none, or NO_QUEUE or NO_TIME if interrupted."""
    graph, queue, known = search.graph, search.queue, policy.known
    if known[SEARCHING] == 0:
        known[SEARCHING], known[LENGTH], known[SETTLED] = 1, NO_WAY, 0
        known[RUN] += 1
        search.state.counts[POLICY_EVALUATIONS] += 1
        clear(queue, 0)
        _reach(policy, queue, _root(search, policy), 0, NO_VERTEX, 0)
    end = _end(search, policy)
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
        if known[WORK] <= 0 or not has_room(queue, slot_count(graph, place)):
            put(queue, 0, rank, tag)
            return NO_TIME if known[WORK] <= 0 else NO_QUEUE
        known[WORK] -= 1
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
def _root(search, policy):
    return search.start if policy.known[ROOT] == FROM_START else search.goal


@inlined
def _end(search, policy):
    return search.goal if policy.known[ROOT] == FROM_START else search.start


@inlined
def _settle(search, policy, vertex, place, reached):
    """Reach the targets of the edges of a vertex that may be valid."""
    graph, ahead = search.graph, policy.ahead[policy.known[ROOT]]
    for slot in range(slot_count(graph, place)):
        target = successor(graph, place, slot)
        if target == vertex or policy.phases[target] == reached + 1 or ahead[target] == NO_WAY:
            continue
        status = _status(search, policy, vertex, place, slot, target)
        if status != NOT_EVALUATED and not is_valid(status):
            continue
        travelled = policy.travelled[vertex] + _believed(policy, graph, place[0] + slot, status)
        if policy.phases[target] != reached or travelled < policy.travelled[target]:
            _reach(policy, search.queue, target, travelled, vertex, slot)


@inlined
def _status(search, policy, vertex, place, slot, target):
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
def _believed(policy, graph, row, status):
    """Return the believed cost of an edge that is not known to be invalid."""
    length = whole_length(graph.costs[row], policy.scale)
    if is_valid(status) or policy.bound[0] == 1.0:
        return length
    penalty = -policy.surprise * math.log1p(-probability_invalid(policy.memory, graph.given[row]))
    return length + np.int64(min(penalty, (policy.bound[0] - 1.0) * length))


@piece
def _lay_candidate(search, policy):
    """Write down the candidate, from the start to the goal."""
    graph, candidate, edges, here = search.graph, policy.candidate, 0, np.int64(_end(search, policy))
    while here != _root(search, policy):
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


@piece
def _find_shares(search, policy):
    """Compute the share of almost shortest paths that contain each edge; NO_QUEUE if the queue needs more room.

    A path has the weight exp(-detour), and each of its edges leads to a vertex that is farther from the root.
    """
    graph, queue, known = search.graph, search.queue, policy.known
    count = known[SETTLED]
    clear(queue, 0)
    if not has_room(queue, count):
        known[SEARCHING] = 0
        return NO_QUEUE
    settled = 2 * known[RUN] + 1
    for index in range(count):
        vertex = np.int64(policy.settled[index])
        policy.forward[vertex], policy.onward[vertex] = 0.0, 0.0
        put(queue, 0, policy.travelled[vertex], tag_of(index, vertex))
    for index in range(count):
        policy.settled[index] = vertex_of(pop_entry(queue, 0, policy.phases, settled)[1])
    policy.forward[_root(search, policy)] = 1.0
    for index in range(count):
        vertex = np.int64(policy.settled[index])
        place = locate(graph, vertex)
        for slot in range(slot_count(graph, place)):
            target = np.int64(successor(graph, place, slot))
            if policy.phases[target] != settled or policy.travelled[target] >= policy.travelled[vertex]:
                weight = _path_weight(search, policy, vertex, place, slot, settled)
                policy.shares[graph.given[place[0] + slot]] = weight
                policy.forward[target] += policy.forward[vertex] * weight
    policy.onward[_end(search, policy)] = 1.0
    total = max(policy.forward[_end(search, policy)], 1e-300)
    for index in range(count - 1, -1, -1):
        vertex = np.int64(policy.settled[index])
        place = locate(graph, vertex)
        for slot in range(slot_count(graph, place)):
            target, edge = np.int64(successor(graph, place, slot)), graph.given[place[0] + slot]
            if policy.phases[target] == settled and policy.travelled[target] > policy.travelled[vertex]:
                rest = policy.shares[edge] * policy.onward[target]
                policy.onward[vertex] += rest
                policy.shares[edge] = policy.forward[vertex] * rest / total
    return 0


@inlined
def _path_weight(search, policy, vertex, place, slot, settled):
    """Return the factor of an edge in the weight of a path; 0 if it is not on an almost shortest path."""
    target = successor(search.graph, place, slot)
    if vertex == _end(search, policy) or policy.phases[target] != settled:
        return 0.0
    status = _status(search, policy, vertex, place, slot, target)
    if policy.travelled[target] <= policy.travelled[vertex] or (status != NOT_EVALUATED and not is_valid(status)):
        return 0.0
    cost = _believed(policy, search.graph, place[0] + slot, status)
    return math.exp((policy.travelled[target] - policy.travelled[vertex] - cost) / policy.detour)


@piece
def _pick(search, policy):
    """Request edges of the candidate; CONFIRMED if all of them are known to be valid."""
    known, unknown, found = policy.known, policy.unknown, 0
    for index in range(known[EDGES]):
        source, slot = np.int64(policy.candidate[0, index]), np.int64(policy.candidate[1, index])
        place = locate(search.graph, source)
        status = known_status(search, source, place, slot, np.int64(successor(search.graph, place, slot)))
        if not is_valid(status):
            unknown[found] = index
            found += 1
    if found == 0:
        return CONFIRMED
    count = min(found, policy.batch)
    for index in range(count):
        chosen = unknown[_position(search, policy, index, found)]
        search.requested[index, 0] = policy.candidate[0, chosen]
        search.requested[index, 1] = policy.candidate[1, chosen]
    return count


@inlined
def _position(search, policy, index, found):
    """Return the position among the `found` unknown edges of the candidate of the edge that is requested next."""
    if policy.selector <= ALTERNATE:
        return position_in_order(policy.selector, policy.known[TURN], index, found)
    return _most_doubtful(search, policy, index, found)


@piece
def _most_doubtful(search, policy, index, found):
    """Move the best edge from the rest of the list to position `index`; the first one if there are several."""
    unknown, best, largest = policy.unknown, index, -1.0
    for position in range(index, found):
        source, slot = policy.candidate[0, unknown[position]], policy.candidate[1, unknown[position]]
        edge = search.graph.given[search.graph.first[source] + slot]
        score = probability_invalid(policy.memory, edge)
        if policy.selector == CRITICAL:
            score *= (policy.shares[edge] + _LEAST_SHARE) ** policy.sharing
        if score > largest:
            best, largest = position, score
    chosen = unknown[best]
    for position in range(best, index, -1):
        unknown[position] = unknown[position - 1]
    unknown[index] = chosen
    return index


@kernel
def find_shortest(search, policy):
    """Find a candidate; return its length, or a lower bound if it was interrupted, and the reason."""
    policy.known[WORK] = MOST_WORK
    code = _find_candidate(search, policy)
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
