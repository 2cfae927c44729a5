"""Networks of beliefs with random weights."""

from __future__ import annotations

import numpy as np

from sailplan.graphs import Problem
from sailplan.policies.replanning.beliefs.cell_network import CellNetwork, Layer, inputs_of
from sailplan.policies.replanning.beliefs.network import NetworkBelief
from sailplan.policies.replanning.beliefs.prior import Frame, Penalty


def random_network(rng: np.random.Generator, side: int = 2, channels: int = 5, size: float = 0.4) -> CellNetwork:
    """Draw the weights of a network with two convolutions; with size 0 all are zero."""

    def layer(inputs: int, outputs: int) -> Layer:
        weights, biases = (rng.normal(size=shape) * size for shape in ((inputs, outputs), outputs))
        return Layer(weights.astype(np.float32), biases.astype(np.float32))

    middle = (layer(9 * channels, channels), layer(9 * channels, channels))
    return CellNetwork(side, (1, 3), layer(inputs_of(side), channels), middle, layer(channels, side**2))


def random_belief(problem: Problem, seed: int, size: float = 0.4) -> NetworkBelief:
    """Draw a belief of the frame of a problem."""
    rng, frame = np.random.default_rng(seed), Frame.of(problem)
    assert frame is not None
    frequencies = rng.uniform(0.01, 0.6, frame.width * frame.height)
    return NetworkBelief(frame, random_network(rng, size=size), frequencies, Penalty(0.5, 3.0))
