"""Agreement of stored worlds with the known cells of a search, block by block, and their weighted mean."""

from __future__ import annotations

import math

from sailplan.core.kernel.arrays import INVALID, UNSEEN
from sailplan.core.kernel.compile import inlined, kernel

_AT_ONCE = 64
"""Number of cells that are tested together: most of them have not become known since the last update."""


@kernel
def add_disagreement(status, known, probabilities, by_cell, blocks, doubt_of_blocked, doubt_of_free, totals, touched):
    """Add a doubt to the total of each world in which a cell that has become known has the other state.

    `by_cell` has a row for each cell and a column for each world: 1 if the cell is blocked in the world. `blocks` is
    the row of `totals` for each cell; `touched` is set for these rows. Return the largest difference between a cell
    that has become known and its probability.
    """
    surprise = 0.0
    for first in range(0, len(known), _AT_ONCE):
        if not _has_news(status[first : first + _AT_ONCE], known[first : first + _AT_ONCE]):
            continue
        for cell in range(first, min(first + _AT_ONCE, len(known))):
            if known[cell] or status[cell] == UNSEEN:
                continue
            known[cell] = True
            touched[blocks[cell]] = True
            blocked = status[cell] == INVALID
            surprise = max(surprise, abs(blocked - probabilities[cell]))
            row, total = by_cell[cell], totals[blocks[cell]]
            if blocked:
                for world in range(len(total)):
                    total[world] += doubt_of_blocked * (1 - row[world])
            else:
                for world in range(len(total)):
                    total[world] += doubt_of_free * row[world]
    return surprise


@inlined
def _has_news(status, known):
    """Return whether a cell has become known; without a branch for each cell."""
    news = False
    for index in range(len(known)):
        news |= (status[index] != UNSEEN) & (not known[index])
    return news


@kernel
def weigh(doubts, least, chosen, weights):
    """Select the worlds with the smallest doubts in each block, and compute their weights, which sum to 1.

    Among worlds with the same doubt, the first ones are chosen. Weights below `least` times the largest one are 0.
    """
    for block in range(len(doubts)):
        doubt, worlds, smallest = doubts[block], chosen[block], weights[block]
        last, count = len(worlds) - 1, 0
        for world in range(len(doubt)):
            value = doubt[world]
            if count > last and value >= smallest[last]:
                continue
            place = min(count, last)
            while place > 0 and smallest[place - 1] > value:
                smallest[place], worlds[place] = smallest[place - 1], worlds[place - 1]
                place -= 1
            smallest[place], worlds[place] = value, world
            count += 1
        _weights_of(smallest, least)


@inlined
def _weights_of(doubts, least):
    """Replace ascending doubts by weights."""
    smallest, total = doubts[0], 0.0
    for index in range(len(doubts)):
        weight = math.exp(smallest - doubts[index])
        doubts[index] = weight if weight >= least else 0.0
        total += doubts[index]
    for index in range(len(doubts)):
        doubts[index] /= total


@kernel
def blend(by_world, blocks, occupied, chosen, weights, side, probabilities):
    """Compute the weighted mean of the chosen worlds in some blocks; the weights of a block sum to 1.

    `by_world` has shape (worlds, height, width), `probabilities` has shape (height, width). Blocks of `side` x `side`
    cells are numbered row by row; those at the upper and right border may be smaller. All others are empty in all
    worlds. `occupied` has a row for each world: whether a cell of each of the blocks is blocked.
    """
    height, width = probabilities.shape
    across = (width + side - 1) // side
    probabilities[:] = 0.0
    for row in range(len(blocks)):
        left, low = (blocks[row] % across) * side, (blocks[row] // across) * side
        right, high = min(left + side, width), min(low + side, height)
        for index in range(chosen.shape[1]):
            weight, world = weights[row, index], chosen[row, index]
            if weight == 0.0 or not occupied[world, row]:
                continue
            for y in range(low, high):
                # Slices, whose indices are known not to be negative, take half of the time.
                mean, cells = probabilities[y, left:right], by_world[world, y, left:right]
                for x in range(len(mean)):
                    mean[x] += weight * cells[x]


@kernel
def mix(blended, frequencies, share, before, least, probabilities):
    """Mix the blended worlds with a share of the prior; return whether one differs by more than `least` from before."""
    changed = False
    for cell in range(len(probabilities)):
        probabilities[cell] = (1.0 - share) * blended[cell] + share * frequencies[cell]
        changed |= abs(probabilities[cell] - before[cell]) > least
    return changed
