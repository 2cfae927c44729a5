"""Pixels of a grid, stored worlds and the network over pixels from their definitions: loops over cells and numbers."""

from __future__ import annotations

from fractions import Fraction
from math import exp, floor, hypot

import numpy as np
from numpy.typing import NDArray

from sailplan.core.kernel.arrays import INVALID, UNSEEN
from sailplan.policies.replanning.beliefs.pixel_network import DILATIONS, OUTPUTS, PLACES, Layer, PixelNetwork
from sailplan.policies.replanning.beliefs.pixels import AREAS, PIXELS, Recall

Numbers = NDArray[np.float64]
Statuses = NDArray[np.uint8]


def cells_of(pixel: int, cells: int) -> list[int]:
    """The cells along one axis from that in which a pixel begins to that in which the next one does; at least one."""
    begin, end = Fraction(pixel * cells, PIXELS), Fraction((pixel + 1) * cells, PIXELS)
    return [cell for cell in range(cells) if floor(begin) <= cell < floor(end)] or [floor(begin)]


def pixel_of(cell: int, cells: int) -> int:
    """The pixel along one axis in which the centre of a cell lies."""
    return floor((cell + Fraction(1, 2)) / cells * PIXELS)


def known_of(status: Statuses) -> Numbers:
    """What is known of each pixel of a grid (rows, columns): any blocked cell, shares blocked and free."""
    known = np.zeros((3, PIXELS, PIXELS))
    for row, column, cells in _pixels(status):
        blocked = sum(here == INVALID for here in cells) / len(cells)
        free = sum(here not in (INVALID, UNSEEN) for here in cells) / len(cells)
        known[:, row, column] = blocked > 0, blocked, free
    return known


def hidden_of(status: Statuses, blocked: NDArray[np.bool_]) -> tuple[Numbers, Numbers]:
    """The share of blocked cells among the unseen cells of each pixel, and the share of unseen cells."""
    shares, weights = np.zeros((2, PIXELS, PIXELS))
    pairs = np.stack([status, blocked], axis=-1)
    for row, column, cells in _pixels(pairs):
        unseen = [walled for here, walled in cells if here == UNSEEN]
        shares[row, column] = sum(map(int, unseen)) / len(unseen) if unseen else 0.0
        weights[row, column] = len(unseen) / len(cells)
    return shares, weights


def spread(values: Numbers, status: Statuses) -> Numbers:
    """The value of its pixel for each unseen cell, and 1 for all others."""
    height, width = status.shape
    multipliers = np.ones(status.shape)
    for y, x in np.argwhere(status == UNSEEN).tolist():
        multipliers[y, x] = values[pixel_of(y, height), pixel_of(x, width)]
    return multipliers


def surprise(status: Statuses, seen: NDArray[np.bool_], expected: Numbers) -> float:
    """How much any cell that is known and was not seen differs from the expected probability of being blocked."""
    height, width = status.shape
    likely = [
        (status[y, x] == INVALID, float(expected[pixel_of(y, height), pixel_of(x, width)]))
        for y, x in np.argwhere((status != UNSEEN) & ~seen).tolist()
    ]
    return max((1.0 - chance if blocked else chance for blocked, chance in likely), default=0.0)


def recollect(worlds: Numbers, known: Numbers, recall: Recall, left_out: int | None = None) -> Numbers:
    """The mean of stored shares with weights exp(-doubt): by all that is known, and by what is known around each area.

    The worlds have shape (worlds, PIXELS, PIXELS): the share of blocked cells.
    """
    kept = [index for index in range(len(worlds)) if index != left_out or len(worlds) == 1]
    doubts = np.zeros((AREAS, AREAS, len(kept)))
    # The area of a row is the last one that begins at or before it.
    area = [max(one for one in range(AREAS) if one * PIXELS // AREAS <= row) for row in range(PIXELS)]
    for row, column in np.argwhere((known[1] > 0) | (known[2] > 0)).tolist():
        shares = worlds[kept, row, column]
        blocked, free = known[1, row, column], known[2, row, column]
        doubts[area[row], area[column]] += blocked * recall.of_blocked * (1.0 - shares) + free * recall.of_free * shares
    result = np.empty((2, PIXELS, PIXELS))
    result[0] = _mean(worlds[kept], doubts.sum(axis=(0, 1)))
    for y, x in np.ndindex(AREAS, AREAS):
        carried = sum(
            exp(-PIXELS / AREAS * hypot(y - other_y, x - other_x) / recall.reach) * doubts[other_y, other_x]
            for other_y, other_x in np.ndindex(AREAS, AREAS)
        )
        here = np.ix_([one == y for one in area], [one == x for one in area])
        result[1][here] = _mean(worlds[kept], np.asarray(carried))[here]
    return result


def forward(network: PixelNetwork, inputs: Numbers, positions: Numbers) -> Numbers:
    """The outputs of the network, convolved place by place."""
    layers = network.layers
    places = np.zeros((PLACES, PLACES, 4 * len(inputs) + len(positions)))
    for row, column in np.ndindex(PLACES, PLACES):
        corners = [(2 * row + down, 2 * column + right) for down in (0, 1) for right in (0, 1)]
        four = [[one[corner] if max(corner) < PIXELS else 0.0 for corner in corners] for one in inputs]
        places[row, column] = [number for one in four for number in one] + [one[corners[0]] for one in positions]
    near = _convolve(places, layers["first"])
    near = near + _convolve(near, layers["near"])
    far = _convolve(near, layers["down"], stride=2)
    for index, dilation in enumerate(DILATIONS):
        far = far + _convolve(far, layers[f"wide{index}"], dilation=dilation)
    both = np.zeros((PLACES, PLACES, far.shape[-1] + near.shape[-1]))
    for row, column in np.ndindex(PLACES, PLACES):
        both[row, column] = [*far[row // 2, column // 2], *near[row, column]]
    near = near + _convolve(both, layers["up"])
    near = near + _convolve(near, layers["after"])
    last = _convolve(near, layers["last"], rectified=False)
    outputs = network.offsets.astype(float)
    for output, row, column in np.ndindex(OUTPUTS, PIXELS, PIXELS):
        outputs[output, row, column] += last[row // 2, column // 2, 4 * output + 2 * (row % 2) + column % 2]
    return outputs


def _convolve(values: Numbers, layer: Layer, *, stride: int = 1, dilation: int = 1, rectified: bool = True) -> Numbers:
    rows, columns = values.shape[:2]
    side, weights = len(layer.weights), layer.weights.astype(float)
    outputs = np.zeros((-(-rows // stride), -(-columns // stride), len(layer.biases)))
    for row, column in np.ndindex(*outputs.shape[:2]):
        total = layer.biases.astype(float)
        for down, right in np.ndindex(side, side):
            y, x = stride * row + dilation * (down - side // 2), stride * column + dilation * (right - side // 2)
            if 0 <= y < rows and 0 <= x < columns:
                total = total + values[y, x] @ weights[down, right]
        outputs[row, column] = np.maximum(total, 0.0) if rectified else total
    return outputs


def _mean(worlds: Numbers, doubts: Numbers) -> Numbers:
    """The mean over worlds with weights exp(-doubt); those below a thousandth of the largest are ignored."""
    weights = [exp(doubts.min() - doubt) for doubt in doubts]
    weights = [weight if weight >= 1e-3 else 0.0 for weight in weights]
    total: Numbers = sum(weight * world for weight, world in zip(weights, worlds, strict=True)) / sum(weights)
    return total


def _pixels(grid: NDArray[np.generic]) -> list[tuple[int, int, list[NDArray[np.generic]]]]:
    """Each pixel: its row, its column and its cells."""
    rows, columns = ([cells_of(pixel, size) for pixel in range(PIXELS)] for size in grid.shape[:2])
    return [
        (row, column, [grid[y, x] for y in ys for x in xs])
        for row, ys in enumerate(rows)
        for column, xs in enumerate(columns)
    ]
