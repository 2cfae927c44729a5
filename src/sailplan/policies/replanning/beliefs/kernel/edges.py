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

from sailplan.core.kernel.compile import inlined, kernel, piece

VERSION, TABLE_VERSION = range(2)
"""Indices of `EdgeMemoryArrays.clock`: the number of results learned, and that at which the tables were computed."""


_MOST_DOUBT = 100.0


class EdgeMemoryArrays(NamedTuple):
    """Stored worlds, and the doubt in each of them during one search."""

    worlds: NDArray[np.uint8]
    """Shape (edges, bytes): bit b of byte k is 1 if the edge is invalid in world 8 k + b."""
    added: NDArray[np.uint8]
    """The same for the edges that follow, which are not stored but estimated."""
    frequencies: NDArray[np.float64]
    """The frequency with which each edge is invalid, and in the last entry that of all edges."""
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


@piece
def learn_edge(memory, edge, invalid):
    """Add the doubt in the worlds in which an edge has the other result."""
    if edge >= len(memory.worlds):
        # Its results in the worlds are estimates, so that it tells nothing about the worlds.
        return
    row = memory.worlds[edge]
    doubt = memory.doubt_of_invalid if invalid else memory.doubt_of_valid
    for index in range(len(row)):
        byte = row[index]
        for bit in range(8):
            if ((byte >> bit) & 1) != invalid:
                memory.doubts[8 * index + bit] += doubt
    memory.clock[VERSION] += 1


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
def probability_invalid(memory, edge):
    """Return the probability that an edge is invalid, given what was learned."""
    if memory.clock[TABLE_VERSION] != memory.clock[VERSION]:
        _weigh(memory)
    stored, tables = len(memory.worlds), memory.tables
    row = memory.worlds[edge] if edge < stored else memory.added[edge - stored]
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
    weight = np.float64((one + two) + (three + four))
    # The estimate of an added edge counts at most as much as the mean frequency.
    total, smoothing = memory.total[0], memory.total[1]
    if edge >= stored:
        smoothing = max(smoothing, total)
    frequency = memory.frequencies[edge if edge < stored else stored]
    probability = (weight + smoothing * frequency) / (total + smoothing)
    return min(max(probability, 1.0 - memory.certainty), memory.certainty)


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
