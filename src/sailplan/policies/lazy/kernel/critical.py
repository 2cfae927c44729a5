"""How critical edges are: the share of almost shortest paths that contain them."""

from __future__ import annotations

import math

import numpy as np

from sailplan.core.kernel.arrays import NO_QUEUE, NOT_EVALUATED
from sailplan.core.kernel.compile import inlined, piece
from sailplan.core.kernel.edges import is_valid, locate, slot_count, successor
from sailplan.core.kernel.heap import clear, has_room, pop_entry, put, tag_of, vertex_of
from sailplan.policies.lazy.kernel.candidate import (
    RUN,
    SEARCHING,
    SETTLED,
    believed_length,
    end_of,
    root_of,
    status_of,
)


@piece
def find_shares(search, policy):
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
    policy.forward[root_of(search, policy)] = 1.0
    for index in range(count):
        vertex = np.int64(policy.settled[index])
        place = locate(graph, vertex)
        for slot in range(slot_count(graph, place)):
            target = np.int64(successor(graph, place, slot))
            if policy.phases[target] != settled or policy.travelled[target] >= policy.travelled[vertex]:
                weight = _path_weight(search, policy, vertex, place, slot, settled)
                policy.shares[graph.given[place[0] + slot]] = weight
                policy.forward[target] += policy.forward[vertex] * weight
    policy.onward[end_of(search, policy)] = 1.0
    total = max(policy.forward[end_of(search, policy)], 1e-300)
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
    if vertex == end_of(search, policy) or policy.phases[target] != settled:
        return 0.0
    status = status_of(search, policy, vertex, place, slot, target)
    if policy.travelled[target] <= policy.travelled[vertex] or (status != NOT_EVALUATED and not is_valid(status)):
        return 0.0
    cost = believed_length(policy, search.graph, place[0] + slot, status)
    return math.exp((policy.travelled[target] - policy.travelled[vertex] - cost) / policy.detour)
