"""The probability that an edge is invalid, from stored worlds that are weighted by their agreement with a search.

A world has the weight exp(-doubt), where each evaluated edge that has the other result in the world adds to the doubt.
The sum of the weights of the worlds in which an edge is invalid is read from tables with an entry for each value of a
byte, that is for each subset of eight worlds, so that it takes one addition for eight worlds. It is computed only for
the edges that a search considers.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sailplan.core.kernel.compile import dispatched, inlined, kernel, piece

VERSION, TABLE_VERSION = range(2)
"""Indices of `EdgeMemoryArrays.clock`: the number of results learned, and that at which the tables were computed."""


_MOST_DOUBT = 100.0
_LEAST = 1e-9


class AddedEdgeArrays(NamedTuple):
    """Edges that were added to a roadmap: they join an added vertex, such as the start, to a stored or an added one."""

    ends: NDArray[np.uint8]
    """Shape (edges, bytes): the bits of the worlds in which a stored end of each edge is in collision."""
    frequencies: NDArray[np.float64]
    """The frequency with which one is."""
    lengths: NDArray[np.float64]
    """The length of each edge, in mean lengths of edges."""
    sides: NDArray[np.int64]
    """Shape (edges, 2): the ends of each edge, numbered by their order among the ends of all."""
    regions: NDArray[np.int64]
    """The region of each of these vertices: 0 near the start, 1 near the goal; -1 for a stored vertex."""
    narrowness: NDArray[np.float64]
    """Shape (vertices, 2): what is known about the space around each of them, as in `spaces`."""
    spaces: NDArray[np.float64]
    """Shape (2, 2): the number of invalid edges, and the length of valid ones, in each region. They are the parameters
    of a Gamma distribution of the rate of collisions along an edge."""
    openness: float
    """The initial length of valid edges."""
    sharing: float
    """The part of what an edge tells about the space around a vertex that holds for the region."""


class EdgeMemoryArrays(NamedTuple):
    """Stored worlds, and the doubt in each of them during one search."""

    worlds: NDArray[np.uint8]
    """Shape (edges, bytes): bit b of byte k is 1 if the edge is invalid in world 8 k + b."""
    frequencies: NDArray[np.float64]
    """The frequency with which each edge is invalid."""
    added: AddedEdgeArrays
    """The edges that follow, about which nothing is stored."""
    doubts: NDArray[np.float64]
    """The doubt in each world, padded to eight times the number of bytes with infinity."""
    tables: NDArray[np.float32]
    """Shape (bytes, 256): the sum of the weights of each subset of eight worlds."""
    total: NDArray[np.float64]
    """The sum of all weights, and the weight of the frequencies."""
    clock: NDArray[np.int64]
    """See VERSION."""
    doubt_of_invalid: float
    """The doubt for an edge that is known to be invalid and valid in the world."""
    doubt_of_valid: float
    smoothing: float
    """The weight of the frequencies, compared with the world that agrees best, if there is no doubt in it."""
    patience: float
    """The doubt in that world for which the weight of the frequencies is e times as large."""
    certainty: float
    """Upper limit of probabilities, and of their complements."""


@dispatched("memory")
def learn_edge(memory, edge, invalid):
    """Learn the result of an edge."""


@dispatched("memory")
def probability_invalid(memory, edge):
    """Return the probability that an edge is invalid, given what was learned."""


@dispatched("memory")
def surprise_of(memory, edge):
    """Return the penalty of an edge, in units of `EdgeWeights.surprise`."""


@learn_edge.register(EdgeMemoryArrays)
def _learn_edge(memory, edge, invalid):
    learn_by_posterior(memory, edge, invalid)


@probability_invalid.register(EdgeMemoryArrays)
def _probability_invalid(memory, edge):
    return posterior_invalid(memory, edge)


@surprise_of.register(EdgeMemoryArrays)
def _surprise_of(memory, edge):
    return -math.log1p(-posterior_invalid(memory, edge))


@piece
def learn_by_posterior(memory, edge, invalid):
    """Add the doubt in the worlds in which an edge has the other result."""
    stored = len(memory.worlds)
    if edge >= stored:
        _learn_added_edge(memory, edge - stored, invalid)
    else:
        _doubt(memory, memory.worlds[edge], invalid, memory.doubt_of_invalid if invalid else memory.doubt_of_valid)
    memory.clock[VERSION] += 1


@piece
def _doubt(memory, row, invalid, doubt):
    """Add a doubt in the worlds whose bit in a row differs from a result."""
    for index in range(len(row)):
        byte = row[index]
        for bit in range(8):
            if ((byte >> bit) & 1) != invalid:
                memory.doubts[8 * index + bit] += doubt


@piece
def _learn_added_edge(memory, index, invalid):
    """Update what is known about the space around the added ends of an edge.

    The ends of a valid edge are valid. Of an invalid one, a stored end or the space in between is in collision.
    """
    added = memory.added
    if not invalid:
        _doubt(memory, added.ends[index], False, memory.doubt_of_valid)
        failures, length = 0.0, added.lengths[index]
    else:
        survival = _survival(added, index)
        failures = (1.0 - survival) / max(1.0 - (1.0 - _end_invalid(memory, index)) * survival, _LEAST)
        length = 0.5 * failures * added.lengths[index]
    before = -1
    for side in range(2):
        vertex = added.sides[index, side]
        region = added.regions[vertex]
        added.narrowness[vertex, 0] += failures
        added.narrowness[vertex, 1] += length
        if region >= 0 and region != before:
            added.spaces[region, 0] += added.sharing * failures
            added.spaces[region, 1] += added.sharing * length
        before = region


@inlined
def _survival(added, index):
    """Return the probability that nothing is in the way of an edge whose ends are valid."""
    length, exponent = added.lengths[index], 0.0
    for side in range(2):
        vertex = added.sides[index, side]
        region, own = added.regions[vertex], added.narrowness[vertex]
        failures, extent = own[0], added.openness + own[1]
        if region >= 0:
            failures, extent = own[0] + added.spaces[region, 0], own[1] + added.spaces[region, 1]
        if failures > 0.0:
            exponent = max(exponent, failures * math.log1p(length / extent))
    return math.exp(-exponent)


@piece
def _weigh(memory):
    """Compute the tables from the doubts."""
    doubts, tables = memory.doubts, memory.tables
    least, total = doubts[0], 0.0
    for world in range(len(doubts)):
        least = min(least, doubts[world])
    for index in range(len(tables)):
        row = tables[index]
        row[0] = np.float32(0.0)
        for bit in range(8):
            weight = np.float32(math.exp(least - doubts[8 * index + bit]))
            total += weight
            for subset in range(1 << bit):
                row[(1 << bit) | subset] = row[subset] + weight
    memory.total[0] = total
    memory.total[1] = memory.smoothing * math.exp(min(least / memory.patience, _MOST_DOUBT))
    memory.clock[TABLE_VERSION] = memory.clock[VERSION]


@inlined
def posterior_invalid(memory, edge):
    """Return the weighted share of the worlds in which an edge is invalid, within the limits of certainty."""
    stored = len(memory.worlds)
    if edge < stored:
        probability = weighted_share(memory, memory.worlds[edge], memory.frequencies[edge])
    else:
        survival = _survival(memory.added, edge - stored)
        probability = 1.0 - (1.0 - _end_invalid(memory, edge - stored)) * survival
    return min(max(probability, 1.0 - memory.certainty), memory.certainty)


@inlined
def _end_invalid(memory, index):
    """Return the probability that a stored end of an added edge is in collision."""
    return weighted_share(memory, memory.added.ends[index], memory.added.frequencies[index])


@inlined
def weighted_share(memory, row, frequency):
    """Return the weighted share of the worlds whose bits in a row are set, smoothed with their frequency."""
    if memory.clock[TABLE_VERSION] != memory.clock[VERSION]:
        _weigh(memory)
    tables = memory.tables
    # Four sums, because an addition waits for the one before it.
    zero, whole = np.float32(0.0), len(row) & ~3
    one, two, three, four = zero, zero, zero, zero
    for index in range(0, whole, 4):
        one += tables[index, row[index]]
        two += tables[index + 1, row[index + 1]]
        three += tables[index + 2, row[index + 2]]
        four += tables[index + 3, row[index + 3]]
    for index in range(whole, len(row)):
        one += tables[index, row[index]]
    weight, smoothing = np.float64((one + two) + (three + four)), memory.total[1]
    return (weight + smoothing * frequency) / (memory.total[0] + smoothing)


@kernel
def learn_edges(memory, edges, invalid):
    """Call `learn_edge` for several edges."""
    for index in range(len(edges)):
        learn_edge(memory, edges[index], invalid[index])


@kernel
def probabilities_invalid(memory, probabilities):
    """Compute the probability of every edge."""
    for edge in range(len(probabilities)):
        probabilities[edge] = probability_invalid(memory, edge)


@kernel
def surprises(memory, penalties):
    """Compute the penalty of every edge, in units of `EdgeWeights.surprise`."""
    for edge in range(len(penalties)):
        penalties[edge] = surprise_of(memory, edge)


@kernel
def find_added(first, targets, given, costs, stored, is_stored, ends, lengths):
    """Find the ends and lengths of the edges from number `stored` on, and which vertices earlier edges join."""
    for vertex in range(len(first) - 1):
        for row in range(first[vertex], first[vertex + 1]):
            edge = given[row] - stored
            if edge < 0:
                is_stored[vertex] = True
                is_stored[targets[row]] = True
            else:
                ends[edge, 0], ends[edge, 1], lengths[edge] = vertex, targets[row], costs[row]


@kernel
def find_collisions(first, given, worlds, ends, scratch, collisions):
    """Set the bits of the worlds in which an end of each edge is in collision: no stored edge that leaves it is valid.

    An end that no stored edge leaves is in collision in none.
    """
    collisions[:] = 0
    for edge in range(len(ends)):
        for side in range(2):
            vertex, found = ends[edge, side], False
            for place in range(first[vertex], first[vertex + 1]):
                if given[place] < len(worlds):
                    row = worlds[given[place]]
                    for byte in range(len(row)):
                        scratch[byte] = (scratch[byte] & row[byte]) if found else row[byte]
                    found = True
            if found:
                for byte in range(len(scratch)):
                    collisions[edge, byte] |= scratch[byte]
