"""A small network over features of an edge, of which the posterior is one, evaluated for the edges that are considered.

The other features are how often the edge is invalid, its smallest and its largest frequency among the worlds in which
one of the evaluated edges has the same result, its length, the largest probability that all edges of a stored path
through it are valid, how little the stored worlds explain the results, and how many edges at its ends are known to be
invalid or valid: in a world that is like no stored one, only these tell something. They are updated where a search
looks.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sailplan.core.kernel.compile import inlined, kernel, piece
from sailplan.policies.replanning.beliefs.kernel.edges import (
    VERSION,
    EdgeMemoryArrays,
    learn_by_posterior,
    learn_edge,
    posterior_invalid,
    probability_invalid,
    surprise_of,
    weighted_share,
)

COLUMNS = 9
"""Number of features: log odds of the posterior, of the frequency, of the smallest and the largest frequency given the
result of an evaluated edge; length; logarithm of the probability of a path; logarithm of the weight of the frequencies
in the posterior, compared with that of all worlds; number of edges at its ends known to be invalid, and valid."""
SMALLEST, LARGEST = range(2)
"""Columns of `EdgeNetworkArrays.extremes`."""
_PRIOR_WORLDS = 2.0
"""Weight of the frequency of an edge in that given the result of another one, in worlds."""
_LEAST = 0.003
"""Probabilities are kept so far away from 0 and 1 in log odds."""
_MOST_KNOWN = 4
"""More edges at the ends of an edge count as this many."""
LEAST_PATH = 0.02
"""Added to the probability of a path before its logarithm is taken."""

_ONES = np.uint64(0x0101010101010101)
_PAIRS = np.uint64(0x5555555555555555)
_FOURS = np.uint64(0x3333333333333333)
_BYTES = np.uint64(0x0F0F0F0F0F0F0F0F)
_SHIFTS = np.uint64(1), np.uint64(2), np.uint64(4), np.uint64(56)


class EdgeNetworkArrays(NamedTuple):
    """The network, and what it reads during one search."""

    posterior: EdgeMemoryArrays
    words: NDArray[np.uint64]
    """Shape (edges, words): bit b of word k is 1 if the edge is invalid in world 64 k + b, unless that is ignored."""
    counts: NDArray[np.int64]
    """The number of these worlds in which each edge is invalid."""
    worlds: int
    """Number of stored worlds that are not ignored."""
    learned: NDArray[np.int64]
    """The edges with a known result, in the order in which they were learned."""
    results: NDArray[np.bool_]
    """Whether each of them is invalid."""
    learned_count: NDArray[np.int64]
    """Their number, in a single entry."""
    read: NDArray[np.int64]
    """How many of them are included in `extremes`, for each edge."""
    extremes: NDArray[np.float64]
    """Shape (edges, 2): the smallest and the largest frequency with which an edge is invalid, among all worlds and
    among those in which an evaluated edge has its result."""
    lengths: NDArray[np.float64]
    """The length of each edge, in mean lengths."""
    ends: NDArray[np.int64]
    """Shape (edges, 2): the ends of each edge."""
    known_at: NDArray[np.int64]
    """Shape (vertices, 2): the number of edges of each vertex that are known to be valid, and invalid."""
    paths: NDArray[np.uint8]
    """Shape (paths, bytes): the bits of the worlds in which all edges of each path are valid."""
    path_frequencies: NDArray[np.float64]
    """The frequency with which they are."""
    path_first: NDArray[np.int64]
    path_numbers: NDArray[np.int64]
    """The paths through edge e are `path_numbers[path_first[e] : path_first[e + 1]]`."""
    path_invalid: NDArray[np.bool_]
    """Whether an edge of each path is known to be invalid."""
    path_versions: NDArray[np.int64]
    path_chances: NDArray[np.float64]
    """The probability that each path is valid, and the version of the posterior with which it was computed."""
    versions: NDArray[np.int64]
    """The version of the posterior with which the numbers below were computed, for each edge."""
    chances: NDArray[np.float64]
    """The probability that each edge is invalid."""
    surprises: NDArray[np.float64]
    """The penalty of each edge, in units of `EdgeWeights.surprise`."""
    row: NDArray[np.float64]
    """Scratch: the features of an edge."""
    weights: NDArray[np.float64]
    """Shape (units, features): the hidden layer."""
    biases: NDArray[np.float64]
    outputs: NDArray[np.float64]
    """The weight of each hidden unit in the output."""
    offset: float
    """Added to the output, which is a change of the log odds of the posterior."""
    effort: float
    """The penalty of an edge for being evaluated, in units of `EdgeWeights.surprise`."""
    joint: float
    """The penalty for each unit of the negative logarithm of the probability of a path, in the same unit."""


@learn_edge.register(EdgeNetworkArrays)
def _learn_edge(memory, edge, invalid):
    _learn(memory, edge, invalid)


@probability_invalid.register(EdgeNetworkArrays)
def _probability_invalid(memory, edge):
    if memory.versions[edge] != memory.posterior.clock[VERSION]:
        _predict(memory, edge)
    return memory.chances[edge]


@surprise_of.register(EdgeNetworkArrays)
def _surprise_of(memory, edge):
    if memory.versions[edge] != memory.posterior.clock[VERSION]:
        _predict(memory, edge)
    return memory.surprises[edge]


@piece
def _learn(memory, edge, invalid):
    """Learn the result of an edge for all features."""
    learn_by_posterior(memory.posterior, edge, invalid)
    count = memory.learned_count[0]
    memory.learned[count], memory.results[count] = edge, invalid
    memory.learned_count[0] = count + 1
    for end in range(2):
        memory.known_at[memory.ends[edge, end], 1 if invalid else 0] += 1
    if invalid:
        for place in range(memory.path_first[edge], memory.path_first[edge + 1]):
            memory.path_invalid[memory.path_numbers[place]] = True


@piece
def _predict(memory, edge):
    """Compute the probability that an edge is invalid, by the network, and the penalty that follows."""
    fill_row(memory, edge)
    row = memory.row
    odds = row[0] + memory.offset
    for unit in range(len(memory.biases)):
        value = memory.biases[unit]
        for column in range(COLUMNS):
            value += memory.weights[unit, column] * row[column]
        if value > 0.0:
            odds += memory.outputs[unit] * value
    certainty = memory.posterior.certainty
    chance = min(max(1.0 / (1.0 + math.exp(-odds)), 1.0 - certainty), certainty)
    path_surprise = math.log(1.0 + LEAST_PATH) - row[5]
    memory.chances[edge] = chance
    memory.surprises[edge] = memory.effort - math.log1p(-chance) + memory.joint * path_surprise
    memory.versions[edge] = memory.posterior.clock[VERSION]


@piece
def fill_row(memory, edge):
    """Compute the features of an edge."""
    _find_extremes(memory, edge)
    row = memory.row
    row[0] = _log_odds(posterior_invalid(memory.posterior, edge))
    row[1] = _log_odds(memory.posterior.frequencies[edge])
    row[2] = _log_odds(memory.extremes[edge, SMALLEST])
    row[3] = _log_odds(memory.extremes[edge, LARGEST])
    row[4] = memory.lengths[edge]
    row[5] = math.log(_path_through(memory, edge) + LEAST_PATH)
    row[6] = math.log(memory.posterior.total[1] / memory.posterior.total[0])
    one, other = memory.known_at[memory.ends[edge, 0]], memory.known_at[memory.ends[edge, 1]]
    row[7] = min(one[1] + other[1], _MOST_KNOWN)
    row[8] = min(one[0] + other[0], _MOST_KNOWN)


@inlined
def _log_odds(probability):
    kept = min(max(probability, _LEAST), 1.0 - _LEAST)
    return math.log(kept / (1.0 - kept))


@inlined
def _find_extremes(memory, edge):
    """Include the results that were learned since an edge was last considered."""
    own, smallest, largest = memory.words[edge], memory.extremes[edge, SMALLEST], memory.extremes[edge, LARGEST]
    prior = _PRIOR_WORLDS * memory.posterior.frequencies[edge]
    for index in range(memory.read[edge], memory.learned_count[0]):
        other = memory.learned[index]
        both = prior
        for word in range(len(own)):
            both += _bits_set(own[word] & memory.words[other, word])
        given = memory.counts[other]
        if not memory.results[index]:
            both, given = memory.counts[edge] + 2.0 * prior - both, memory.worlds - given
        frequency = both / (given + _PRIOR_WORLDS)
        smallest, largest = min(smallest, frequency), max(largest, frequency)
    memory.extremes[edge, SMALLEST], memory.extremes[edge, LARGEST] = smallest, largest
    memory.read[edge] = memory.learned_count[0]


@inlined
def _bits_set(word):
    """Return the number of bits of a word that are 1."""
    word = word - ((word >> _SHIFTS[0]) & _PAIRS)
    word = (word & _FOURS) + ((word >> _SHIFTS[1]) & _FOURS)
    word = (word + (word >> _SHIFTS[2])) & _BYTES
    return np.int64((word * _ONES) >> _SHIFTS[3])


@inlined
def _path_through(memory, edge):
    """Return the largest probability that all edges of a stored path through an edge are valid; 0 if there is none."""
    best = 0.0
    for place in range(memory.path_first[edge], memory.path_first[edge + 1]):
        path = memory.path_numbers[place]
        if not memory.path_invalid[path]:
            if memory.path_versions[path] != memory.posterior.clock[VERSION]:
                share = weighted_share(memory.posterior, memory.paths[path], memory.path_frequencies[path])
                memory.path_chances[path], memory.path_versions[path] = share, memory.posterior.clock[VERSION]
            best = max(best, memory.path_chances[path])
    return best


@kernel
def fill_rows(memory, edges, rows):
    """Compute the features of several edges."""
    for index in range(len(edges)):
        fill_row(memory, edges[index])
        for column in range(COLUMNS):
            rows[index, column] = memory.row[column]
