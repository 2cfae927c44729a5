"""Queues whose first vertices are candidates, from which the caller of the search chooses."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sailplan.core.kernel.arrays import ENTERED, NO_VERTEX, NONE, OPEN
from sailplan.core.kernel.compile import inlined, piece
from sailplan.core.kernel.heap import NO_TAG, pop_entry, put, queue_count, vertex_of
from sailplan.core.kernel.policy import before_return, choose, keys_alone, on_open
from sailplan.policies.features.kernel import FeatureArrays, fill_row
from sailplan.policies.keyed.kernel import KeyArrays


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
    """Input: the number of the candidate to expand, counted over all queues; if NONE, the queues take turns."""
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
    if choice != NONE:
        vertex = policy.candidates[choice // places, choice % places]
        if vertex != NO_VERTEX and search.state.status[vertex] == OPEN:
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
