"""Candidates from which the caller of the search chooses: the first vertices of queues, or edges of a path."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sailplan.core.kernel.arrays import CONFIRMED, ENTERED, NO_VERTEX, NONE, OPEN
from sailplan.core.kernel.compile import inlined, piece
from sailplan.core.kernel.edges import edge_cost, locate, successor
from sailplan.core.kernel.heap import NO_TAG, pop_entry, put, queue_count, vertex_of
from sailplan.core.kernel.loop import evaluate_edges, step
from sailplan.core.kernel.policy import before_return, choose, is_due, keys_alone, on_edges, on_open, request
from sailplan.policies.features.kernel import FeatureArrays, fill_row
from sailplan.policies.keyed.kernel import KeyArrays
from sailplan.policies.lazy.kernel.selection import EDGES, VALID, LazyArrays, is_known


class SteeredArrays(NamedTuple):
    """Queues, and the arrays that the search shares with its caller."""

    keys: KeyArrays
    """Keys without a weight of the cost, so that a vertex is in each queue once."""
    features: FeatureArrays
    candidates: NDArray[np.int64]
    """Output, shape (queues, places): the first open vertices of each queue, NO_VERTEX if there are fewer."""
    rows: NDArray[np.float64]
    """Output, shape (queues * places, columns): the features of each candidate; zeros if there is no vertex."""
    choice: NDArray[np.int64]
    """Input: the number of the candidate to expand, counted over all queues; if it is none, the queues take turns."""
    popped: NDArray[np.int64]
    """Scratch, shape (2, places): ranks and tags."""


@keys_alone.register(SteeredArrays)
def _keys_alone(policy):
    return True


@choose.register(SteeredArrays)
def _pop_chosen(search, policy, row):
    """Return the candidate that was chosen; if none was, the first vertex of the queue whose turn it is."""
    choice, places = policy.choice[0], policy.candidates.shape[1]
    policy.choice[0] = NONE
    if 0 <= choice < policy.candidates.size:
        vertex = policy.candidates[choice // places, choice % places]
        if 0 <= vertex < len(search.state.status) and search.state.status[vertex] == OPEN:
            return vertex
    return choose(search, policy.keys, row)


@on_open.register(SteeredArrays)
def _offer_all(search, policy, row, vertex, change):
    on_open(search, policy.keys, row, vertex, change)


@before_return.register(SteeredArrays)
def _before_return(search, policy):
    _list_candidates(search, policy)


@piece
def _list_candidates(search, steered):
    """List the first open vertices of each queue, and compute their features."""
    if search.queue.issued[0] == 0:
        on_open(search, steered.keys, 0, np.uint32(search.start), ENTERED)
    places, columns = steered.candidates.shape[1], len(steered.features.row)
    for row in range(queue_count(search.queue)):
        _list_first(search, row, steered.candidates[row], steered.popped)
        for place in range(places):
            vertex, values = steered.candidates[row, place], steered.rows[row * places + place]
            if vertex == NO_VERTEX:
                values[:] = 0.0
                continue
            fill_row(search, steered.features, vertex)
            for column in range(columns):
                values[column] = steered.features.row[column]


@inlined
def _list_first(search, row, vertices, popped):
    """Write the first vertices of a queue, by removing and reinserting their entries."""
    found = 0
    while found < len(vertices):
        popped[0, found], popped[1, found] = pop_entry(search.queue, row, search.state.status, OPEN)
        if popped[1, found] == NO_TAG:
            break
        vertices[found] = vertex_of(popped[1, found])
        found += 1
    for place in range(found):
        put(search.queue, row, popped[0, place], popped[1, place])
    vertices[found:] = NO_VERTEX


EDGE_FACTS = 4
"""Number of columns of `SteeredEdgeArrays.facts`."""


class SteeredEdgeArrays(NamedTuple):
    """A lazy search, and the arrays that it shares with its caller."""

    lazy: LazyArrays
    """Selects the first unknown edge of the candidate path."""
    candidates: NDArray[np.int64]
    """Output, shape (places, 2): unknown edges (source, target) of the candidate path, NO_VERTEX if there are fewer."""
    facts: NDArray[np.float64]
    """Output, shape (places, EDGE_FACTS): the position of each candidate among the unknown edges, their number, its
    cost, and its multiplier; zeros if there is no candidate."""
    choice: NDArray[np.int64]
    """Input: the number of the candidate to evaluate; if NONE or absent, the first."""


step.register(SteeredEdgeArrays)(evaluate_edges)


@is_due.register(SteeredEdgeArrays)
def _edges_due(search, policy):
    return is_due(search, policy.lazy)


@on_open.register(SteeredEdgeArrays)
def _offer_by_edges(search, policy, row, vertex, change):
    on_open(search, policy.lazy, row, vertex, change)


@on_edges.register(SteeredEdgeArrays)
def _on_edges(search, policy, count):
    on_edges(search, policy.lazy, count)


@request.register(SteeredEdgeArrays)
def _request_chosen(search, policy):
    """List candidates, and request the one that was chosen; if none was, the first unknown edge of the path."""
    count = request(search, policy.lazy)
    if count >= 0 or count == CONFIRMED:
        policy.candidates[:], policy.facts[:] = NO_VERTEX, 0.0
    if count > 0:
        _list_edges(search, policy)
        choice, policy.choice[0] = policy.choice[0], NONE
        if 0 <= choice < len(policy.candidates) and policy.candidates[choice, 0] != NO_VERTEX:
            path, place = policy.lazy.candidate, 0
            while path[0, place] != policy.candidates[choice, 0]:
                place += 1
            search.requested[0, 0], search.requested[0, 1] = path[0, place], path[1, place]
    return count


@piece
def _list_edges(search, steered):
    """List unknown edges of the candidate path, the first of which is requested; some of them if they are many."""
    graph, lazy, places = search.graph, steered.lazy, len(steered.candidates)
    found, done = 0, steered.lazy.plan.done
    for index in range(lazy.known[VALID], lazy.known[EDGES]):
        if not is_known(search, lazy, index):
            done[found] = index
            found += 1
    for number in range(min(found, places)):
        index = number if found <= places else number * (found - 1) // max(places - 1, 1)
        source, slot = np.int64(lazy.candidate[0, done[index]]), np.int64(lazy.candidate[1, done[index]])
        place = locate(graph, source)
        target = np.int64(successor(graph, place, slot))
        steered.candidates[number, 0], steered.candidates[number, 1] = source, target
        facts, doubts = steered.facts[number], steered.lazy.doubts
        facts[0], facts[1] = index, found
        facts[2] = edge_cost(graph, place, slot, target)
        facts[3] = doubts[target] if len(doubts) else 1.0
