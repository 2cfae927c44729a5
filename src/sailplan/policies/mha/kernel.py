"""Multi-heuristic A* in a search by edges: an anchor queue, and policies with queues of their own that take turns.

Row 0 of the queues is the anchor, ordered by g + w1 * h over the open vertices but the goal, where h never
overestimates. Every expansion evaluates all edges of a vertex that are not known, and the loop keeps the cost g of each
vertex the smallest over known valid edges, so that no vertex is expanded twice.

The bound: while some vertex of a cheapest path is open, let v be the first one. All vertices before it were expanded,
so its g is its cost along that path, and g(v) + w1 * h(v) is at most w1 times the cost of the path. The smallest key of
the anchor is thus at most w1 times the optimum, and a path that costs at most w2 times this key is within w1 * w2. If
no such vertex is open, the path to the goal is a cheapest one.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sailplan.core.kernel.arrays import CONFIRMED, EXPANSIONS, NO_VERTEX, OPEN, TOUCHED
from sailplan.core.kernel.compile import dispatched, inlined, piece
from sailplan.core.kernel.edges import distance
from sailplan.core.kernel.heap import NO_TAG, offer, pop_entry, put, vertex_of
from sailplan.core.kernel.loop import evaluate_edges, request_expansion, step
from sailplan.core.kernel.policy import choose, counted, on_open, request


class NoParts(NamedTuple):
    """The end of a chain of policies."""


class PartArrays(NamedTuple):
    """A chain of policies: the first one, and the others."""

    first: Any
    """The arrays of a policy."""
    held: NDArray[np.int64]
    """The vertex that the policy chose but that could not be expanded yet, in a single entry; NO_VERTEX if none."""
    rest: Any
    """A `PartArrays`, or `NoParts`."""
    rest_row: int
    """The number of queues of the first policy."""


class MultiHeuristicArrays(NamedTuple):
    """The anchor and the policies."""

    parts: PartArrays
    count: int
    """The number of policies."""
    heuristic: int
    """The heuristic of the anchor: ZERO, EUCLIDEAN or OCTILE."""
    w1: float
    """Weight of the heuristic in the keys of the anchor."""
    w2: float
    """By which factor the policies may exceed the smallest key of the anchor."""


step.register(MultiHeuristicArrays)(evaluate_edges)


@request.register(MultiHeuristicArrays)
def _request(search, policy):
    return _next_expansion(search, policy)


@piece
def _next_expansion(search, policy):
    """Request the expansion of the vertex that the policy whose turn it is chose, or that of the first of the anchor.

    CONFIRMED if the path to the goal is within the bound, 0 if there is none.
    """
    state, found = search.state, search.state.status[search.goal] == OPEN
    rank, tag = pop_entry(search.queue, 0, state.status, OPEN)
    if tag == NO_TAG:
        return CONFIRMED if found else 0
    put(search.queue, 0, rank, tag)
    first = np.int64(vertex_of(tag))
    limit = policy.w2 * _key(search, policy, first, policy.w1)
    if found:
        # The policies have led to the goal; what remains is to prove the bound, or to find a cheaper path.
        return CONFIRMED if state.cost[search.goal] <= limit else request_expansion(search, first)
    chosen = _chosen(search, policy.parts, 1, state.counts[EXPANSIONS] % policy.count)
    if chosen < NO_VERTEX:
        return chosen
    if chosen == NO_VERTEX or not _key(search, policy, chosen, 1.0) <= limit:
        chosen = first
    return request_expansion(search, chosen)


@inlined
def _key(search, policy, vertex, weight):
    return search.state.cost[vertex] + weight * distance(search.graph, policy.heuristic, vertex, search.goal)


@dispatched("parts")
def _chosen(search, parts, row, turn):
    """Return the open vertex that a policy chose and holds until it is expanded; what `choose` returns if none."""


@_chosen.register(NoParts)
def _chosen_by_none(search, parts, row, turn):
    return np.int64(NO_VERTEX)


@_chosen.register(PartArrays)
def _chosen_in_turn(search, parts, row, turn):
    if turn > 0:
        return np.int64(_chosen(search, parts.rest, row + parts.rest_row, turn - 1))
    held, status = parts.held, search.state.status
    while held[0] == NO_VERTEX or held[0] == search.goal or status[held[0]] != OPEN:
        chosen = np.int64(choose(search, parts.first, row))
        held[0] = max(chosen, NO_VERTEX)
        if chosen < 0:
            return chosen
    return np.int64(held[0])


@on_open.register(MultiHeuristicArrays)
def _on_open(search, policy, row, vertex, change):
    """Insert a vertex into the anchor, unless it was only touched, and pass it to the policies."""
    if change != TOUCHED and vertex != search.goal:
        offer(search.queue, row, vertex, counted(search.state, _key(search, policy, vertex, policy.w1)))
    _tell(search, policy.parts, row + 1, vertex, change)


@dispatched("parts")
def _tell(search, parts, row, vertex, change):
    """Pass a vertex to all policies of a chain."""


@_tell.register(NoParts)
def _tell_none(search, parts, row, vertex, change):
    pass


@_tell.register(PartArrays)
def _tell_all(search, parts, row, vertex, change):
    on_open(search, parts.first, row, vertex, change)
    _tell(search, parts.rest, row + parts.rest_row, vertex, change)
