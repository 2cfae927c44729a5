"""Learned multipliers that nobody trained: random mixtures, regrets and extra costs."""

from __future__ import annotations

import numpy as np

from sailplan.datasets import World
from sailplan.policies.replanning.beliefs.learned import Elsewhere, LearnedMultipliers
from sailplan.policies.replanning.beliefs.mixture import LEVELS, PixelMixture, Recall
from sailplan.policies.replanning.beliefs.pixels import PIXELS, PixelFrame, blocked_shares
from sailplan.policies.replanning.beliefs.prior import Penalty

FRAME = PixelFrame((0.01, 0.01), (0.99, 0.99))
"""About from corner to corner."""


def random_mixture(rng: np.random.Generator, components: int = 5) -> PixelMixture:
    """Draw components that are blurred worlds of random sizes, with fewer and with more cells than pixels."""
    drawn = [World(rng.random(rng.integers(1, 100, 2)) < rng.choice([0.1, 0.3, 0.6])) for _ in range(components)]
    levels = [LEVELS * (rng.uniform(0.5, 1.0) * blocked_shares(world) + rng.uniform(0.0, 0.1)) for world in drawn]
    return PixelMixture(np.clip(levels, 0, LEVELS).astype(np.uint8), rng.uniform(0.2, 1.0, components))


def mixture_of(*worlds: World) -> PixelMixture:
    """Make a component of each world; all are equally likely."""
    levels = np.rint([LEVELS * blocked_shares(world) for world in worlds]).astype(np.uint8)
    return PixelMixture(levels, np.full(len(worlds), 1.0 / len(worlds)))


def random_belief(seed: int, size: float = 1.0) -> LearnedMultipliers:
    """Draw a belief; its evidence counts little, so that several components keep some weight."""
    rng = np.random.default_rng(seed)
    offsets = (size * rng.normal(size=(PIXELS, PIXELS))).astype(np.float32)
    recall, penalty = Recall(0.3, 0.1, 30.0, 0.4, 0.1), Penalty(0.5, 3.0, 0.999, 1.5)
    mixture = random_mixture(rng)
    regrets = rng.integers(0, LEVELS + 1, mixture.levels.shape).astype(np.uint8)
    elsewhere = Elsewhere(Recall(0.2, 0.2, 20.0, 0.3, 0.2), Penalty(0.1, 2.0, 0.99, 2.0))
    return LearnedMultipliers(mixture, recall, penalty, FRAME, offsets, regrets, 5.0, elsewhere)
