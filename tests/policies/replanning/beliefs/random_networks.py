"""Learned multipliers that nobody trained: random networks and stored worlds."""

from __future__ import annotations

import numpy as np

from sailplan.datasets import World
from sailplan.policies.replanning.beliefs.learned import LearnedMultipliers
from sailplan.policies.replanning.beliefs.pixel_network import OUTPUTS, Layer, PixelNetwork, layer_shapes
from sailplan.policies.replanning.beliefs.pixels import PIXELS, Floats, PixelFrame, PixelMemory, Recall
from sailplan.policies.replanning.beliefs.prior import Penalty

FRAME = PixelFrame((0.01, 0.01), (0.99, 0.99))
"""About from corner to corner."""


def random_network(rng: np.random.Generator, near: int = 4, far: int = 3, size: float = 0.15) -> PixelNetwork:
    """Draw every number of a network; with size 0 all are zero."""

    def draw(*shape: int) -> Floats:
        return (rng.normal(size=shape) * size).astype(np.float32)

    layers = {
        name: Layer(draw(side, side, inputs, outputs), draw(outputs))
        for name, (side, inputs, outputs) in layer_shapes(near, far).items()
    }
    return PixelNetwork(layers, draw(OUTPUTS, PIXELS, PIXELS))


def random_memory(rng: np.random.Generator, worlds: int = 5, recall: Recall | None = None) -> PixelMemory:
    """Store random worlds of random sizes, with fewer and with more cells than pixels."""
    drawn = [rng.random(rng.integers(1, 100, 2)) < rng.choice([0.1, 0.3]) for _ in range(worlds)]
    return PixelMemory.of([World(blocked) for blocked in drawn], recall)


def random_belief(seed: int, size: float = 0.15) -> LearnedMultipliers:
    """Draw a belief; its doubts are small, so that several stored worlds count."""
    rng = np.random.default_rng(seed)
    network, memory = random_network(rng, size=size), random_memory(rng, recall=Recall(0.3, 0.1, 30.0))
    return LearnedMultipliers(network, memory, FRAME, Penalty(0.5, 3.0, 0.999, 1.5))
