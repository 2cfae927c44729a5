"""A small dense network, one input at a time."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sailplan.kernels.compile import kernel, piece
from sailplan.kernels.policy_arrays import NetworkArrays

_ZERO = np.float32(0.0)


def allocate_network(layers: Sequence[tuple[NDArray, NDArray]], linear: NDArray) -> NetworkArrays:
    """The arrays of dense layers (weights of shape (inputs, outputs), biases) and the linear term beside them."""
    sizes = [len(layers[0][0]), *(len(biases) for _, biases in layers)]
    return NetworkArrays(
        sizes=np.array(sizes, np.int64),
        weights=np.concatenate([np.asarray(weights, np.float32).reshape(-1) for weights, _ in layers]),
        biases=np.concatenate([np.asarray(biases, np.float32) for _, biases in layers]),
        linear=np.asarray(linear, np.float64),
        scratch=np.empty((2, max(sizes)), np.float32),
    )


@piece
def forward(network, row):
    """What the network makes of an input."""
    for index in range(len(row)):
        network.scratch[0, index] = row[index]
    first_weight, first_bias, side = 0, 0, 0
    layers = len(network.sizes) - 1
    for layer in range(layers):
        inputs, outputs = network.sizes[layer], network.sizes[layer + 1]
        below, above = network.scratch[side], network.scratch[1 - side, :outputs]
        for target in range(outputs):
            above[target] = network.biases[first_bias + target]
        for source in range(inputs):
            value = below[source]
            # Many are: those that ReLU has cut off, and cells of a patch that nobody has seen.
            if value != _ZERO:
                weights = network.weights[first_weight : first_weight + outputs]
                for target in range(outputs):
                    above[target] += value * weights[target]
            first_weight += outputs
        if layer < layers - 1:
            for target in range(outputs):
                above[target] = max(above[target], _ZERO)
        first_bias += outputs
        side = 1 - side
    result = np.float64(network.scratch[side, 0])
    for index in range(len(row)):
        # An input without a linear term may be infinite.
        if network.linear[index] != 0.0:
            result += network.linear[index] * row[index]
    return result


@kernel
def forward_rows(network, rows, results):
    """What the network makes of each row."""
    for index in range(len(rows)):
        results[index] = forward(network, rows[index])
