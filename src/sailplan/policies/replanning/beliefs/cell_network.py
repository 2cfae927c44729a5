"""A small convolutional network over the cells of a grid, in numpy.

The grid is divided into pixels of side x side cells. A pixel contains the information of all its cells, so that nothing
is lost and fewer pixels have to be computed: 67 x 67 for 201 x 201 cells. The network has a dense layer on each pixel,
residual convolutions of increasing dilation, and a dense layer that returns one number per cell.
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
    """A dense layer, or a convolution of 3 x 3 pixels as a dense layer over the nine pixels, row by row."""

    weights: Floats
    """Shape (inputs, outputs); a convolution has nine times as many inputs as channels."""
    biases: Floats
    """Shape (outputs,)."""


@dataclass(frozen=True)
class CellNetwork:
    """The layers of the network."""

    side: int
    """Side length of a pixel in cells."""
    dilations: tuple[int, ...]
    """The dilation of each convolution."""
    first: Layer
    """The dense layer on each pixel."""
    middle: tuple[Layer, ...]
    """The convolutions."""
    last: Layer
    """The dense layer that returns a number for each cell."""

    def __call__(self, inputs: Floats) -> Floats:
        """Return a number for each cell of each pixel; the inputs have shape (rows, columns, inputs of a pixel)."""
        values = np.maximum(inputs @ self.first.weights + self.first.biases, 0.0)
        for layer, dilation in zip(self.middle, self.dilations, strict=True):
            change = _neighbours(values, dilation) @ layer.weights
            change += layer.biases
            values += np.maximum(change, 0.0, out=change)
        outputs: Floats = values @ self.last.weights + self.last.biases
        return outputs


def check_network(network: CellNetwork) -> None:
    """Raise ModelError if the shapes of layers do not match or weights are not finite."""
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
    """Return the number of inputs of a pixel: free, blocked and log odds of each cell, and the position."""
    return 3 * side**2 + 2


def as_pixels(cells: NDArray[Any], side: int) -> NDArray[Any]:
    """Reshape cells (..., height, width) to pixels (..., rows, columns, side²), padded with zeros."""
    *many, height, width = cells.shape
    rows, columns = -(-height // side), -(-width // side)
    if (height, width) != (rows * side, columns * side):
        padding = [(0, 0)] * len(many) + [(0, rows * side - height), (0, columns * side - width)]
        cells = np.pad(cells, padding)
    parts = cells.reshape(*many, rows, side, columns, side)
    return np.moveaxis(parts, -2, -3).reshape(*many, rows, columns, side**2)


def as_cells(pixels: NDArray[Any], shape: tuple[int, int]) -> NDArray[Any]:
    """Invert `as_pixels` for one grid of shape (height, width)."""
    rows, columns, squared = pixels.shape
    side = round(squared**0.5)
    cells = np.moveaxis(pixels.reshape(rows, columns, side, side), -3, -2).reshape(rows * side, columns * side)
    return cells[: shape[0], : shape[1]]


def network_inputs(free: NDArray[np.bool_], blocked: NDArray[np.bool_], log_odds: Floats, side: int) -> Floats:
    """Return the inputs of a network for grids of shape (..., height, width) with the same log odds."""
    known = [as_pixels(one, side) for one in (free, blocked)]
    shape = known[0].shape[:-1]
    odds = as_pixels(log_odds, side) / np.float32(4.0)
    where = np.stack(np.meshgrid(*(np.linspace(-1.0, 1.0, count) for count in shape[-2:]), indexing="ij"), axis=-1)
    same = np.broadcast_to(np.concatenate([odds, where], axis=-1), (*shape, odds.shape[-1] + 2))
    return np.concatenate([*known, same], axis=-1, dtype=np.float32)


def _neighbours(values: Floats, dilation: int) -> Floats:
    """Return the nine pixels in the receptive field of each pixel, concatenated; zero outside."""
    rows, columns, channels = values.shape
    padded = np.zeros((rows + 2 * dilation, columns + 2 * dilation, channels), np.float32)
    padded[dilation : dilation + rows, dilation : dilation + columns] = values
    gathered = np.empty((rows, columns, 9, channels), np.float32)
    for place in range(9):
        down, right = dilation * (place // 3), dilation * (place % 3)
        gathered[:, :, place] = padded[down : down + rows, right : right + columns]
    return gathered.reshape(rows, columns, 9 * channels)
