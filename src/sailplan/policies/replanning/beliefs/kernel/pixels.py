"""A grid reduced to a fixed number of pixels, and stored worlds that are compared with what is known of it."""

from __future__ import annotations

import math

import numpy as np

from sailplan.core.kernel.arrays import INVALID, UNSEEN
from sailplan.core.kernel.compile import inlined, kernel


@inlined
def _cells_of(pixel, pixels, cells):
    """Return the first cell of a pixel along one axis, and the end of its cells; at least one cell."""
    first = pixel * cells // pixels
    return first, max((pixel + 1) * cells // pixels, first + 1)


@inlined
def _pixel_of(cell, pixels, cells):
    """Return the pixel in which the centre of a cell lies along one axis."""
    return (2 * cell + 1) * pixels // (2 * cells)


@kernel
def pool_known(status, width, height, known):
    """Compute what is known of each pixel.

    `known` has shape (3, pixels, pixels): 1 if a cell is known to be blocked, and the shares of the cells of the pixel
    that are known to be blocked and known to be free.
    """
    pixels = known.shape[1]
    for row in range(pixels):
        low, high = _cells_of(row, pixels, height)
        for column in range(pixels):
            left, right = _cells_of(column, pixels, width)
            blocked, free = 0, 0
            for y in range(low, high):
                for x in range(left, right):
                    here = status[y * width + x]
                    blocked += here == INVALID
                    free += here != INVALID and here != UNSEEN
            count = (high - low) * (right - left)
            known[0, row, column] = 1.0 if blocked else 0.0
            known[1, row, column] = blocked / count
            known[2, row, column] = free / count


@kernel
def pool_hidden(status, blocked, width, height, shares, weights):
    """Compute the share of blocked cells among the unseen cells of each pixel, and the share of unseen cells."""
    pixels = shares.shape[0]
    for row in range(pixels):
        low, high = _cells_of(row, pixels, height)
        for column in range(pixels):
            left, right = _cells_of(column, pixels, width)
            unseen, hidden = 0, 0
            for y in range(low, high):
                for x in range(left, right):
                    if status[y * width + x] == UNSEEN:
                        unseen += 1
                        hidden += blocked[y * width + x]
            shares[row, column] = hidden / unseen if unseen else 0.0
            weights[row, column] = unseen / ((high - low) * (right - left))


@kernel
def spread(values, status, width, height, multipliers):
    """Set the multiplier of each unseen cell to the value of its pixel, and that of all others to 1."""
    pixels = values.shape[0]
    for y in range(height):
        row = _pixel_of(y, pixels, height)
        for x in range(width):
            cell = y * width + x
            multipliers[cell] = values[row, _pixel_of(x, pixels, width)] if status[cell] == UNSEEN else 1.0


@kernel
def collect(gradient, status, width, height, values):
    """Add the gradient of the multiplier of each unseen cell to that of its pixel: the transpose of `spread`."""
    pixels = values.shape[0]
    values[:] = 0.0
    for y in range(height):
        row = _pixel_of(y, pixels, height)
        for x in range(width):
            cell = y * width + x
            if status[cell] == UNSEEN:
                values[row, _pixel_of(x, pixels, width)] += gradient[cell]


@kernel
def largest_surprise(status, seen, expected, width, height):
    """Return how much any cell that has become known differs from the expected probability of being blocked.

    Such cells are marked in `seen`.
    """
    pixels, largest = expected.shape[0], 0.0
    for y in range(height):
        row = _pixel_of(y, pixels, height)
        for x in range(width):
            cell = y * width + x
            if status[cell] == UNSEEN or seen[cell]:
                continue
            seen[cell] = True
            likely = expected[row, _pixel_of(x, pixels, width)]
            largest = max(largest, 1.0 - likely if status[cell] == INVALID else likely)
    return largest


@kernel
def add_doubts(levels, most_level, known, before, edges, doubt_of_blocked, doubt_of_free, doubts):
    """Add the doubt in each stored world that follows from what has become known.

    `levels` has shape (pixels, pixels, worlds): the share of blocked cells in steps of 1 / most_level. `doubts` has a
    row for each area; the areas are squares that begin at the rows and columns `edges`. `before` is what `known` was at
    the last call, and is updated.
    """
    across, worlds = len(edges) - 1, doubts.shape[1]
    for area in range(len(doubts)):
        total = doubts[area]
        for row in range(edges[area // across], edges[area // across + 1]):
            for column in range(edges[area % across], edges[area % across + 1]):
                blocked = known[1, row, column] - before[1, row, column]
                free = known[2, row, column] - before[2, row, column]
                if blocked == 0.0 and free == 0.0:
                    continue
                before[1, row, column], before[2, row, column] = known[1, row, column], known[2, row, column]
                shares = levels[row, column]
                always = blocked * doubt_of_blocked
                factor = (free * doubt_of_free - always) / most_level
                for world in range(worlds):
                    total[world] += always + factor * shares[world]


@kernel
def blend(levels, most_level, doubts, edges, least_weight, shares):
    """Compute the mean share of blocked cells in each pixel over the stored worlds, with weights exp(-doubt).

    `levels` has shape (worlds, pixels, pixels). `doubts` has a row for each area, as in `add_doubts`. Worlds whose
    weight is smaller than `least_weight` times the largest one are ignored.
    """
    across, span = len(edges) - 1, -math.log(least_weight)
    shares[:] = 0.0
    for area in range(len(doubts)):
        low, high = edges[area // across], edges[area // across + 1]
        left, right = edges[area % across], edges[area % across + 1]
        least = doubts[area, 0]
        for world in range(len(levels)):
            least = min(least, doubts[area, world])
        total = shares[low, left]
        for world in range(len(levels)):
            if doubts[area, world] - least > span:
                continue
            weight = np.float32(math.exp(least - doubts[area, world]))
            total += weight
            for row in range(low, high):
                for column in range(left, right):
                    shares[row, column] += weight * levels[world, row, column]
        for row in range(low, high):
            for column in range(left, right):
                shares[row, column] /= total * most_level
