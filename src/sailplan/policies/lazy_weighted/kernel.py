"""Lazy weighted A*: edges enter the open list before they are evaluated, with the cost they would have if valid.

Row 0 of the queues has the edges (u, v) of expanded vertices that are not evaluated, ordered by g(u) + c + w * h(v),
with the number of the edge in place of a vertex. Row 1 has the vertices with a path that are not expanded, ordered by
g + w * h. A vertex that is first enters its edges into row 0; an edge that is first is evaluated.

The bound: as long as the path to the goal is not a cheapest one, some edge of a cheapest path is not evaluated. The
edges before the first such edge are valid and known, so the cost of its source is the one along that path, and the edge
or its source is in the open list with a key of at most w times the optimum, if h never overestimates. The goal is
accepted when its key, the cost of its path, is the smallest.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sailplan.core.kernel.arrays import CONFIRMED, NO_TIME, NO_VERTEX, NOT_EVALUATED, UNSEEN
from sailplan.core.kernel.compile import inlined, piece
from sailplan.core.kernel.edges import distance, edge_cost, edge_number, is_valid, locate, slot_count, successor
from sailplan.core.kernel.heap import NO_TAG, has_room, offer, pop_entry, put, vertex_of
from sailplan.core.kernel.loop import evaluate_edges, known_status, step
from sailplan.core.kernel.policy import counted, on_open, request

_EDGES, _VERTICES = 0, 1
"""Rows of the queues."""


class LazyWeightedArrays(NamedTuple):
    """A lazy weighted A* search."""

    weight: float
    heuristic: int
    """ZERO, EUCLIDEAN or OCTILE."""
    expanded: NDArray[np.uint8]
    """Whether each vertex was expanded with the current cost of its path."""
    sources: NDArray[np.int32]
    """The source of each edge in row 0, by the number of the edge."""


step.register(LazyWeightedArrays)(evaluate_edges)


@on_open.register(LazyWeightedArrays)
def _on_open(search, policy, row, vertex, change):
    """Insert a vertex with a new or cheaper path; one that was expanded enters its edges again."""
    policy.expanded[vertex] = 0
    _offer(search, policy, _VERTICES, vertex, vertex, search.state.cost[vertex])


@inlined
def _offer(search, policy, row, entry, vertex, cost):
    key = cost + policy.weight * distance(search.graph, policy.heuristic, vertex, search.goal)
    offer(search.queue, row, entry, counted(search.state, key))


@request.register(LazyWeightedArrays)
def _request(search, policy):
    return _next_edge(search, policy)


@piece
def _next_edge(search, policy):
    """Request the first edge of the open list; vertices before it enter their edges."""
    queue = search.queue
    while True:
        if not has_room(queue, len(search.targets)):
            # The loop enlarges the queues and calls again.
            return NO_TIME
        rank, tag = pop_entry(queue, _VERTICES, policy.expanded, 0)
        edge_rank, edge_tag = pop_entry(queue, _EDGES, search.state.edge_status, 0)
        if tag == NO_TAG and edge_tag == NO_TAG:
            return 0
        if edge_tag == NO_TAG or (tag != NO_TAG and rank <= edge_rank):
            if edge_tag != NO_TAG:
                put(queue, _EDGES, edge_rank, edge_tag)
            if vertex_of(tag) == search.goal:
                put(queue, _VERTICES, rank, tag)
                return CONFIRMED
            _expand(search, policy, np.int64(vertex_of(tag)))
        else:
            if tag != NO_TAG:
                put(queue, _VERTICES, rank, tag)
            if _ask(search, policy, vertex_of(edge_tag)):
                return 1


@inlined
def _expand(search, policy, vertex):
    """Insert the edges of a vertex that may lead to a cheaper path."""
    policy.expanded[vertex] = 1
    place = locate(search.graph, vertex)
    for slot in range(slot_count(search.graph, place)):
        target = successor(search.graph, place, slot)
        if target != NO_VERTEX and _may_improve(search, vertex, place, slot, target):
            number = edge_number(search.graph, len(search.targets), vertex, place, slot)
            policy.sources[number] = vertex
            cost = search.state.cost[vertex] + edge_cost(search.graph, place, slot, target)
            _offer(search, policy, _EDGES, number, target, cost)


@inlined
def _may_improve(search, source, place, slot, target):
    """Return whether an edge is not evaluated, and would lead to a cheaper path if it were valid."""
    state = search.state
    number = edge_number(search.graph, len(search.targets), source, place, slot)
    known = known_status(search, source, place, slot, target)
    if state.edge_status[number] != 0 or (known != NOT_EVALUATED and not is_valid(known)):
        return False
    cost = state.cost[source] + edge_cost(search.graph, place, slot, target)
    return state.status[target] == UNSEEN or cost < state.cost[target]


@inlined
def _ask(search, policy, number):
    """Request an edge by its number; return whether it may still lead to a cheaper path."""
    source = np.int64(policy.sources[number])
    place = locate(search.graph, source)
    for slot in range(slot_count(search.graph, place)):
        if edge_number(search.graph, len(search.targets), source, place, slot) == number:
            if _may_improve(search, source, place, slot, successor(search.graph, place, slot)):
                search.requested[0, 0], search.requested[0, 1] = source, slot
                return True
            break
    return False
