"""A queue ordered by the score that a small network computes from the features of a vertex."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sailplan.core.kernel.arrays import ENTERED, EXPANSIONS, NO_TIME, NO_VERTEX, NONE, OPEN, WORK
from sailplan.core.kernel.compile import inlined, kernel, piece
from sailplan.core.kernel.heap import NO_TAG, number_of, offer, pop_entry, rank_of, vertex_of
from sailplan.core.kernel.policy import choose, counted, drop_closed, on_open
from sailplan.policies.features.kernel import FeatureArrays, fill_row

FROZEN, ON_TOUCH, LAZY, FULL = range(4)
"""Rules for computing scores; see `LearnedArrays.rescore`."""

_ZERO = np.float32(0.0)
_WORK_OF_SCORE = 8
"""A score takes as long as so many vertices of other policies, or longer."""


class NetworkArrays(NamedTuple):
    """Dense layers with ReLU between them, plus a linear term."""

    sizes: NDArray[np.int64]
    """Number of inputs of the first layer, then of outputs of each layer; the last is 1."""
    weights: NDArray[np.float32]
    """The weights of all layers, concatenated, each of shape (inputs, outputs)."""
    biases: NDArray[np.float32]
    """The biases of all layers, concatenated."""
    linear: NDArray[np.float64]
    """The weight of each input in the linear term."""
    scratch: NDArray[np.float32]
    """Shape (2, widest layer)."""


class LearnedArrays(NamedTuple):
    """A queue ordered by the score of a network."""

    features: FeatureArrays
    network: NetworkArrays
    rescore: int
    """When scores are computed. FROZEN: on insertion; ON_TOUCH: also when a neighbour is expanded; LAZY: also when
    popped; FULL: for all open vertices at each step."""
    current: NDArray[np.int64]
    """The insertion number of the current entry of each vertex; empty if FROZEN."""
    scored: NDArray[np.int64]
    """The number of expansions when each vertex was last scored; empty unless LAZY."""
    members: NDArray[np.int32]
    """The open vertices and some closed ones, unordered; empty unless FULL."""
    member_count: NDArray[np.int64]


@piece
def forward(network, row):
    """Return the output of the network for one input."""
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
            # Many values are zero: outputs of ReLU, and unknown cells of a patch.
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
        # Skipped if zero, as an input without a linear term may be infinite.
        if network.linear[index] != 0.0:
            result += network.linear[index] * row[index]
    return result


@kernel
def forward_rows(network, rows, results):
    """Compute the output of the network for each row."""
    for index in range(len(rows)):
        results[index] = forward(network, rows[index])


@piece
def score_vertex(search, learned, vertex):
    """Return the score of an open vertex."""
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
    """Score a vertex and insert it, depending on the rule."""
    if learned.rescore == FULL:
        if change == ENTERED:
            learned.members[learned.member_count[0]] = vertex
            learned.member_count[0] += 1
            # Numbered as if it were inserted into a queue, which decides ties.
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
    """Remove and return the vertex with the smallest score, which is scored again depending on the rule.

    NO_TIME if many vertices were scored again; the next call continues.
    """
    state = search.state
    if learned.rescore == FULL:
        return _best_member(search, learned)
    while True:
        if learned.rescore == LAZY and state.counts[WORK] <= 0:
            return NO_TIME
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
        state.counts[WORK] -= _WORK_OF_SCORE
        score = score_vertex(search, learned, vertex)
        if rank_of(score) <= rank:
            return vertex
        _put(search, learned, row, vertex, score)


@piece
def _best_member(search, learned):
    """Score all open vertices, and remove and return the one with the smallest (score, insertion number)."""
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
