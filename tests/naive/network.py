"""A dense network number by number."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from sailplan.policies.learned.kernel import NetworkArrays
from sailplan.policies.learned.network import DenseNetwork


def forward(network: NetworkArrays, row: list[float]) -> float:
    """Return what the network makes of a row, in the precision of the kernels."""
    values = [np.float32(number) for number in row]
    weights, biases = network.weights.tolist(), network.biases.tolist()
    sizes = network.sizes.tolist()
    for layer, (inputs, outputs) in enumerate(pairwise(sizes)):
        sums = [np.float32(biases.pop(0)) for _ in range(outputs)]
        for source in range(inputs):
            for target in range(outputs):
                weight = np.float32(weights.pop(0))
                if values[source] != 0.0:
                    sums[target] = sums[target] + values[source] * weight
        values = sums if layer == len(sizes) - 2 else [max(number, np.float32(0.0)) for number in sums]
    result = float(values[0])
    for weight, number in zip(network.linear.tolist(), row, strict=True):
        if weight != 0.0:
            result += weight * number
    return result


def score(network: DenseNetwork, row: list[float]) -> float:
    """Return the same from the definition, scaling first, in double precision."""
    values = (np.array(row) - network.scaling.mean) / network.scaling.deviation
    for weights, biases in network.layers[:-1]:
        values = np.maximum(values @ weights.astype(float) + biases, 0.0)
    weights, biases = network.layers[-1]
    (last,) = values @ weights.astype(float) + biases
    return float(last * network.unit + network.offset + np.dot(network.linear, row))
