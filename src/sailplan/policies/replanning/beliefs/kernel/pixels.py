"""A grid reduced to a fixed number of pixels, and components of a mixture that are compared with what is known."""

from __future__ import annotations

import math

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
def pool(blocked, shares):
    """Compute the share of blocked cells of each pixel from an array of shape (height, width)."""
    height, width = blocked.shape
    pixels = shares.shape[0]
    for row in range(pixels):
        low, high = _cells_of(row, pixels, height)
        for column in range(pixels):
            left, right = _cells_of(column, pixels, width)
            count = 0
            for y in range(low, high):
                for x in range(left, right):
                    count += blocked[y, x]
            shares[row, column] = count / ((high - low) * (right - left))


@kernel
def add_evidence(status, seen, width, height, blocked_logs, free_logs, blocked_weight, free_weight, across, evidence):
    """Add the log likelihood of the cells that have become known, in each area and under each component.

    `blocked_logs` and `free_logs` have shape (pixels, pixels, components): the logarithms of the probabilities that a
    cell of a pixel is blocked, and that it is free. `evidence` has shape (areas, components), with `across` areas in a
    row. Cells are marked in `seen`; returns whether any has become known.
    """
    pixels, changed = blocked_logs.shape[0], False
    for y in range(height):
        row = _pixel_of(y, pixels, height)
        for x in range(width):
            cell = y * width + x
            if status[cell] == UNSEEN or seen[cell]:
                continue
            seen[cell] = changed = True
            column = _pixel_of(x, pixels, width)
            total = evidence[row * across // pixels * across + column * across // pixels]
            if status[cell] == INVALID:
                logs, weight = blocked_logs[row, column], blocked_weight
            else:
                logs, weight = free_logs[row, column], free_weight
            for component in range(len(total)):
                total[component] += weight * logs[component]
    return changed


@kernel
def weigh(evidence, prior_logs, carried, local, everywhere, proposed, weights):
    """Propose the weight of each component in each area; return the largest difference from `weights`.

    The posterior by the evidence of all areas has the share 1 - local, the posterior by the evidence that is carried to
    an area the share local. `everywhere` is scratch, one number for each component.
    """
    areas, components = evidence.shape
    for component in range(components):
        everywhere[component] = prior_logs[component]
        for area in range(areas):
            everywhere[component] += evidence[area, component]
    _normalise(everywhere)
    largest = 0.0
    for area in range(areas):
        here = proposed[area]
        for component in range(components):
            here[component] = prior_logs[component]
        for other in range(areas):
            share, others = carried[area, other], evidence[other]
            for component in range(components):
                here[component] += share * others[component]
        _normalise(here)
        for component in range(components):
            here[component] = local * here[component] + (1.0 - local) * everywhere[component]
            largest = max(largest, abs(here[component] - weights[area, component]))
    return largest


@inlined
def _normalise(logs):
    """Replace logarithms of weights by weights whose sum is 1."""
    largest, total = logs[0], 0.0
    for index in range(len(logs)):
        largest = max(largest, logs[index])
    for index in range(len(logs)):
        logs[index] = math.exp(logs[index] - largest)
        total += logs[index]
    for index in range(len(logs)):
        logs[index] /= total


@kernel
def blend(shares, weights, across, least_weight, frequencies, prior, blocked):
    """Compute the probability that an unseen cell of each pixel is blocked.

    `shares` has shape (components, pixels, pixels), `weights` shape (areas, components). Components whose weight is
    smaller than `least_weight` are ignored. `prior` is the share of the frequencies.
    """
    pixels = shares.shape[1]
    for area in range(len(weights)):
        low, high = _rows_of(area // across, across, pixels)
        left, right = _rows_of(area % across, across, pixels)
        for row in range(low, high):
            for column in range(left, right):
                blocked[row, column] = prior * frequencies[row, column]
        for component in range(len(shares)):
            if weights[area, component] < least_weight:
                continue
            weight = (1.0 - prior) * weights[area, component]
            for row in range(low, high):
                for column in range(left, right):
                    blocked[row, column] += weight * shares[component, row, column]


@inlined
def _rows_of(area, across, pixels):
    """Return the first row of the pixels of an area, and the end of its rows."""
    return -(-area * pixels // across), -(-(area + 1) * pixels // across)


@kernel
def penalise(blocked, frequencies, extra, prior_weight, surprise, certainty, sharpness, multipliers):
    """Compute the multiplier of each pixel: that of `Penalty`, plus an extra cost."""
    for row in range(len(blocked)):
        for column in range(len(blocked)):
            likely = certainty * min(blocked[row, column], 1.0) ** sharpness
            multipliers[row, column] = (
                1.0 + prior_weight * frequencies[row, column] + extra[row, column] - surprise * math.log1p(-likely)
            )


@kernel
def spread(values, status, width, height, first, last, least_step, multipliers):
    """Set the multiplier of each unseen cell to the value of its pixel, and that of all others to 1.

    Only rows from `first` on, before `last`. Relative changes up to `least_step` are ignored.
    """
    pixels = values.shape[0]
    for y in range(first, last):
        row = _pixel_of(y, pixels, height)
        for x in range(width):
            cell = y * width + x
            if status[cell] != UNSEEN:
                multipliers[cell] = 1.0
                continue
            value = values[row, _pixel_of(x, pixels, width)]
            if abs(value - multipliers[cell]) > least_step * multipliers[cell]:
                multipliers[cell] = value


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
