"""A small convolutional network over the pixels of a grid, in numpy.

Two by two pixels make a place. Convolutions run over places and, with increasing dilation, over two by two of them, and
return two numbers for each pixel. The network is trained with torch (`learning/algorithms/planner/network.py`) and run
without.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from sailplan.errors import ModelError
from sailplan.policies.replanning.beliefs.belief import Tensors
from sailplan.policies.replanning.beliefs.pixels import PIXELS, Floats

INPUTS = 6
"""Numbers of each pixel: known (3), frequency in training, two recollections."""
POSITIONS = 6
"""Numbers of each place: its position in the map and relative to goal and start."""
OUTPUTS = 2
"""Numbers that are returned for each pixel."""
DILATIONS = (1, 2, 4)
"""Dilations of the convolutions over two by two places."""
PLACES = (PIXELS + 1) // 2
_MOST_CHANNELS = 1024


class Layer(NamedTuple):
    """A convolution."""

    weights: Floats
    """Shape (side, side, inputs, outputs)."""
    biases: Floats
    """Shape (outputs,)."""


def layer_shapes(near: int, far: int) -> dict[str, tuple[int, int, int]]:
    """Return side, inputs and outputs of each layer, by name, for numbers of channels of places and of two by two."""
    wide = {f"wide{index}": (3, far, far) for index in range(len(DILATIONS))}
    return {
        "first": (3, 4 * INPUTS + POSITIONS, near),
        "near": (3, near, near),
        "down": (3, near, far),
        **wide,
        "up": (1, near + far, near),
        "after": (3, near, near),
        "last": (1, near, 4 * OUTPUTS),
    }


@dataclass(frozen=True, eq=False)
class PixelNetwork:
    """The layers of the network, and what is added to its outputs.

    Raises
    ------
    ModelError
        If shapes do not match or a number is not finite.
    """

    layers: dict[str, Layer]
    """The layers by name; see `layer_shapes`."""
    offsets: Floats
    """Shape (OUTPUTS, PIXELS, PIXELS): added to the outputs."""

    def __post_init__(self) -> None:
        for name, (side, inputs, outputs) in layer_shapes(*self.channels).items():
            weights, biases = self.layers[name]
            if weights.shape != (side, side, inputs, outputs) or biases.shape != (outputs,):
                raise ModelError(f"weights of shape {weights.shape}, not {(side, side, inputs, outputs)}")
        if self.offsets.shape != (OUTPUTS, PIXELS, PIXELS):
            raise ModelError(f"offsets of shape {self.offsets.shape}")
        arrays = [self.offsets, *(one for layer in self.layers.values() for one in layer)]
        if not all(one.dtype == np.float32 and np.isfinite(one).all() for one in arrays):
            raise ModelError("weights that are not finite numbers of 32 bits")

    @property
    def channels(self) -> tuple[int, int]:
        """Number of channels of places, and of two by two places."""
        near, far = len(self.layers["first"].biases), len(self.layers["down"].biases)
        if max(near, far) > _MOST_CHANNELS:
            raise ModelError(f"{near} and {far} channels")
        return near, far

    def __call__(self, inputs: Floats, positions: Floats, *, framed: bool) -> Floats:
        """Return the outputs, shape (OUTPUTS, PIXELS, PIXELS).

        The inputs have shape (INPUTS, PIXELS, PIXELS), the positions shape (POSITIONS, PIXELS, PIXELS). The offsets are
        added if the frame of the problem is that of the training.
        """
        layers = self.layers
        if not layers["last"].weights.any():
            return self._untrained(framed)
        near = _relu(_convolve(_places(inputs, positions), layers["first"]))
        near += _relu(_convolve(near, layers["near"]))
        far = _relu(_convolve(near, layers["down"], stride=2))
        for index, dilation in enumerate(DILATIONS):
            far += _relu(_convolve(far, layers[f"wide{index}"], dilation=dilation))
        large = np.repeat(np.repeat(far, 2, axis=0), 2, axis=1)[:PLACES, :PLACES]
        near += _relu(_convolve(np.concatenate([large, near], axis=-1), layers["up"]))
        near += _relu(_convolve(near, layers["after"]))
        last = _convolve(near, layers["last"]).reshape(PLACES, PLACES, OUTPUTS, 2, 2)
        pixels = last.transpose(2, 0, 3, 1, 4).reshape(OUTPUTS, 2 * PLACES, 2 * PLACES)
        outputs: Floats = pixels[:, :PIXELS, :PIXELS]
        return outputs + self.offsets if framed else outputs

    def _untrained(self, framed: bool) -> Floats:
        """Return the outputs if they do not depend on the inputs."""
        biases = self.layers["last"].biases.reshape(OUTPUTS, 1, 2, 1, 2)
        pixels = np.broadcast_to(biases, (OUTPUTS, PLACES, 2, PLACES, 2)).reshape(OUTPUTS, 2 * PLACES, 2 * PLACES)
        outputs: Floats = pixels[:, :PIXELS, :PIXELS]
        return outputs + self.offsets if framed else outputs

    def halfway(self, other: PixelNetwork) -> PixelNetwork:
        """Return the network whose weights are the means of those of two networks of the same shape."""
        layers = {}
        for name, (weights, biases) in self.layers.items():
            others = other.layers[name]
            layers[name] = Layer(_mean(weights, others.weights), _mean(biases, others.biases))
        return PixelNetwork(layers, _mean(self.offsets, other.offsets))

    def describe(self) -> Tensors:
        """Return the tensors for a model file."""
        tensors = {"offsets": self.offsets}
        for name, layer in self.layers.items():
            tensors[f"{name}.weights"], tensors[f"{name}.biases"] = layer
        return tensors

    @classmethod
    def build(cls, tensors: Tensors) -> PixelNetwork:
        """Create a network from what `describe` returned."""
        names = layer_shapes(0, 0)
        layers = {name: Layer(tensors[f"{name}.weights"], tensors[f"{name}.biases"]) for name in names}
        return cls(layers, tensors["offsets"])


def _places(inputs: Floats, positions: Floats) -> Floats:
    """Return the inputs of each place, shape (PLACES, PLACES, 4 INPUTS + POSITIONS)."""
    odd = 2 * PLACES - PIXELS
    padded = np.pad(inputs, ((0, 0), (0, odd), (0, odd)))
    four = padded.reshape(len(inputs), PLACES, 2, PLACES, 2).transpose(1, 3, 0, 2, 4).reshape(PLACES, PLACES, -1)
    return np.concatenate([four, np.moveaxis(positions[:, ::2, ::2], 0, -1)], axis=-1)


def _convolve(values: Floats, layer: Layer, *, stride: int = 1, dilation: int = 1) -> Floats:
    """Return the convolution of values of shape (rows, columns, channels), which are zero outside."""
    side = len(layer.weights)
    gathered = values if side == 1 else _gather(values, side, stride, dilation)
    weights = layer.weights.reshape(-1, len(layer.biases))
    outputs: Floats = gathered.reshape(-1, len(weights)) @ weights + layer.biases
    return outputs.reshape(*gathered.shape[:2], -1)


def _gather(values: Floats, side: int, stride: int, dilation: int) -> Floats:
    """Return the side x side places in the receptive field of each place, concatenated; zero outside."""
    rows, columns, channels = values.shape
    padded = np.zeros((rows + 2 * dilation, columns + 2 * dilation, channels), np.float32)
    padded[dilation:-dilation, dilation:-dilation] = values
    firsts = [dilation * index for index in range(side)]
    parts = [padded[y : y + rows : stride, x : x + columns : stride] for y in firsts for x in firsts]
    return np.concatenate(parts, axis=-1)


def _mean(one: Floats, other: Floats) -> Floats:
    return np.asarray(0.5 * (one + other), np.float32)


def _relu(values: Floats) -> Floats:
    return np.maximum(values, 0.0, out=values)
