"""A small convolutional network over the cells of a grid, run with numpy alone.

It sees a grid as pixels of side x side cells, each with all that is known of its cells, so that nothing is lost and
few pixels need be computed: 67 x 67 of 201 x 201 cells. A dense layer on each pixel, convolutions of growing dilation
that add to what is there, and a dense layer that gives a number for each cell again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sailplan.errors import ModelError

Floats = NDArray[np.float32]
_MOST_SIDE, _MOST_DILATION = 64, 1000


class Layer(NamedTuple):
    """A dense layer, or a convolution of 3 x 3 pixels as one over the nine of them, row by row."""

    weights: Floats
    """Of shape (inputs, outputs); nine times as many inputs as channels in a convolution."""
    biases: Floats


@dataclass(frozen=True)
class CellNetwork:
    """The layers, and how far apart the pixels are that each convolution looks at."""

    side: int
    """Cells in a row of a pixel."""
    dilations: tuple[int, ...]
    first: Layer
    middle: tuple[Layer, ...]
    last: Layer

    def __call__(self, inputs: Floats) -> Floats:
        """A number for each cell of each pixel, of inputs of shape (rows, columns, numbers for each pixel)."""
        values = np.maximum(inputs @ self.first.weights + self.first.biases, 0.0)
        for layer, dilation in zip(self.middle, self.dilations, strict=True):
            change = _neighbours(values, dilation) @ layer.weights
            change += layer.biases
            values += np.maximum(change, 0.0, out=change)
        outputs: Floats = values @ self.last.weights + self.last.biases
        return outputs


def check_network(network: CellNetwork) -> None:
    """Raise ModelError where layers do not fit each other or numbers are not finite."""
    if not 0 < network.side <= _MOST_SIDE or not all(0 < one <= _MOST_DILATION for one in network.dilations):
        raise ModelError(f"pixels of {network.side} cells, dilations {network.dilations}")
    channels = len(network.first.biases)
    outer = [(network.first, inputs_of(network.side), channels), (network.last, channels, network.side**2)]
    for layer, inputs, outputs in outer + [(layer, 9 * channels, channels) for layer in network.middle]:
        if layer.weights.shape != (inputs, outputs) or layer.biases.shape != (outputs,):
            raise ModelError(f"weights of shape {layer.weights.shape}, not {(inputs, outputs)}")
        if not all(one.dtype == np.float32 and np.isfinite(one).all() for one in layer):
            raise ModelError("weights that are not finite numbers of 32 bits")


def inputs_of(side: int) -> int:
    """How many numbers each pixel has: known to be free, known to be blocked and log odds of each cell, and where."""
    return 3 * side**2 + 2


def as_pixels(cells: NDArray[Any], side: int) -> NDArray[Any]:
    """Cells of shape (..., height, width) as pixels of shape (..., rows, columns, side²), zero outside the grid."""
    *many, height, width = cells.shape
    rows, columns = -(-height // side), -(-width // side)
    if (height, width) != (rows * side, columns * side):
        padding = [(0, 0)] * len(many) + [(0, rows * side - height), (0, columns * side - width)]
        cells = np.pad(cells, padding)
    parts = cells.reshape(*many, rows, side, columns, side)
    return np.moveaxis(parts, -2, -3).reshape(*many, rows, columns, side**2)


def as_cells(pixels: NDArray[Any], shape: tuple[int, int]) -> NDArray[Any]:
    """The inverse of `as_pixels` for one grid of that height and width."""
    rows, columns, squared = pixels.shape
    side = round(squared**0.5)
    cells = np.moveaxis(pixels.reshape(rows, columns, side, side), -3, -2).reshape(rows * side, columns * side)
    return cells[: shape[0], : shape[1]]


def network_inputs(free: NDArray[np.bool_], blocked: NDArray[np.bool_], log_odds: Floats, side: int) -> Floats:
    """What a network sees of grids of shape (..., height, width), of which all have the same log odds."""
    known = [as_pixels(one, side) for one in (free, blocked)]
    shape = known[0].shape[:-1]
    odds = as_pixels(log_odds, side) / np.float32(4.0)
    where = np.stack(np.meshgrid(*(np.linspace(-1.0, 1.0, count) for count in shape[-2:]), indexing="ij"), axis=-1)
    same = np.broadcast_to(np.concatenate([odds, where], axis=-1), (*shape, odds.shape[-1] + 2))
    return np.concatenate([*known, same], axis=-1, dtype=np.float32)


def _neighbours(values: Floats, dilation: int) -> Floats:
    """The nine pixels that a convolution looks at from each pixel, side by side; zero outside."""
    rows, columns, channels = values.shape
    padded = np.zeros((rows + 2 * dilation, columns + 2 * dilation, channels), np.float32)
    padded[dilation : dilation + rows, dilation : dilation + columns] = values
    gathered = np.empty((rows, columns, 9, channels), np.float32)
    for place in range(9):
        down, right = dilation * (place // 3), dilation * (place % 3)
        gathered[:, :, place] = padded[down : down + rows, right : right + columns]
    return gathered.reshape(rows, columns, 9 * channels)
