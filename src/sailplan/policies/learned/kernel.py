"""A queue ordered by what a small network makes of the features of a vertex."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sailplan.core.kernel.arrays import ENTERED, EXPANSIONS, NO_VERTEX, NONE, OPEN
from sailplan.core.kernel.compile import inlined, kernel, piece
from sailplan.core.kernel.heap import NO_TAG, number_of, offer, pop_entry, rank_of, vertex_of
from sailplan.core.kernel.policy import choose, counted, drop_closed, on_open
from sailplan.policies.features.kernel import FeatureArrays, fill_row

FROZEN, ON_TOUCH, LAZY, FULL = range(4)
"""When a score is computed; see `LearnedArrays.rescore`."""

_ZERO = np.float32(0.0)


class NetworkArrays(NamedTuple):
    """Dense layers with ReLU between them, and a linear term beside them."""

    sizes: NDArray[np.int64]
    """Inputs of the first layer, then outputs of each; the last is 1."""
    weights: NDArray[np.float32]
    """Those of all layers, one after the other, each (inputs, outputs)."""
    biases: NDArray[np.float32]
    """Those of all layers, one after the other."""
    linear: NDArray[np.float64]
    """What each input adds to the output by itself."""
    scratch: NDArray[np.float32]
    """Shape (2, widest layer)."""


class LearnedArrays(NamedTuple):
    """A queue ordered by what a network makes of the features."""

    features: FeatureArrays
    network: NetworkArrays
    rescore: int
    """FROZEN: on insertion; ON_TOUCH: when a neighbour is expanded; LAZY: when popped; FULL: all, each step."""
    current: NDArray[np.int64]
    """The insertion number of each vertex's entry that counts; empty where scores are frozen."""
    scored: NDArray[np.int64]
    """The number of expansions at which each vertex was scored last; empty unless LAZY."""
    members: NDArray[np.int32]
    """The open vertices, and some closed ones, in no order; empty unless FULL."""
    member_count: NDArray[np.int64]


@piece
def forward(network, row):
    """What the network makes of an input."""
    for index in range(len(row)):
        network.scratch[0, index] = row[index]
    first_weight, first_bias, side = 0, 0, 0
    layers = len(network.sizes) - 1
    for layer in range(layers):
        inputs, outputs = network.sizes[layer], network.sizes[layer + 1]
        below, above = network.scratch[side], network.scratch[1 - side, :outputs]
        for target in range(outputs):
            above[target] = network.biases[first_bias + target]
        for source in range(inputs):
            value = below[source]
            # Many are: those that ReLU has cut off, and cells of a patch that nobody has seen.
            if value != _ZERO:
                weights = network.weights[first_weight : first_weight + outputs]
                for target in range(outputs):
                    above[target] += value * weights[target]
            first_weight += outputs
        if layer < layers - 1:
            for target in range(outputs):
                above[target] = max(above[target], _ZERO)
        first_bias += outputs
        side = 1 - side
    result = np.float64(network.scratch[side, 0])
    for index in range(len(row)):
        # An input without a linear term may be infinite.
        if network.linear[index] != 0.0:
            result += network.linear[index] * row[index]
    return result


@kernel
def forward_rows(network, rows, results):
    """What the network makes of each row."""
    for index in range(len(rows)):
        results[index] = forward(network, rows[index])


@piece
def score_vertex(search, learned, vertex):
    """What the network makes of an open vertex."""
    fill_row(search, learned.features, vertex)
    return counted(search.state, forward(learned.network, learned.features.row))


@on_open.register(LearnedArrays)
def _on_open(search, policy, row, vertex, change):
    _offer(search, policy, row, vertex, change)


@choose.register(LearnedArrays)
def _choose(search, policy, row):
    return _pop(search, policy, row)


@piece
def _offer(search, learned, row, vertex, change):
    """Score a vertex and put it in, where the rule says so."""
    if learned.rescore == FULL:
        if change == ENTERED:
            learned.members[learned.member_count[0]] = vertex
            learned.member_count[0] += 1
            # Numbered as if it were put in a queue: ties go to the first that came.
            search.queue.issued[0] += 1
            learned.current[vertex] = search.queue.issued[0]
    elif change == ENTERED or learned.rescore == ON_TOUCH:
        _put(search, learned, row, np.int64(vertex), score_vertex(search, learned, np.int64(vertex)))


@inlined
def _put(search, learned, row, vertex, score):
    offer(search.queue, row, vertex, score)
    if learned.rescore != FROZEN:
        learned.current[vertex] = search.queue.issued[0]
    if learned.rescore == LAZY:
        learned.scored[vertex] = search.state.counts[EXPANSIONS]


@piece
def _pop(search, learned, row):
    """Take out the vertex with the smallest score, scored again where the rule says so."""
    state = search.state
    if learned.rescore == FULL:
        return _best_member(search, learned)
    while True:
        rank, tag = pop_entry(search.queue, row, state.status, OPEN)
        if tag == NO_TAG:
            return NO_VERTEX
        vertex = vertex_of(tag)
        if learned.rescore == FROZEN:
            return vertex
        if number_of(tag) != learned.current[vertex]:
            continue
        if learned.rescore == ON_TOUCH or learned.scored[vertex] == state.counts[EXPANSIONS]:
            return vertex
        score = score_vertex(search, learned, vertex)
        if rank_of(score) <= rank:
            return vertex
        _put(search, learned, row, vertex, score)


@piece
def _best_member(search, learned):
    """Score the whole open list and take out the vertex with the smallest (score, insertion number)."""
    best, least, place = NO_VERTEX, math.inf, NONE
    members, count = learned.members, learned.member_count
    drop_closed(members, count, search.state)
    for index in range(count[0]):
        vertex = np.int64(members[index])
        score = score_vertex(search, learned, vertex)
        first = best == NO_VERTEX or score < least
        if first or (score == least and learned.current[vertex] < learned.current[best]):
            best, least, place = vertex, score, index
    if best != NO_VERTEX:
        count[0] -= 1
        members[place] = members[count[0]]
    return best
