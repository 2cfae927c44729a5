"""Learned policies that nobody trained: random networks, small enough to be quick and large enough to be odd."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from sailplan.policies.features import feature_set
from sailplan.policies.learned.network import DenseNetwork, Scaling
from sailplan.policies.learned.policy import RESCORE_CODES, LearnedPolicy

RULES = list(RESCORE_CODES)


def random_network(seed: int, columns: int, hidden: tuple[int, ...] = (5, 3)) -> DenseNetwork:
    """Draw every number of a network."""
    rng = np.random.default_rng(seed)
    sizes = (columns, *hidden, 1)
    return DenseNetwork(
        tuple(
            (rng.normal(size=(inputs, outputs)).astype(np.float32), rng.normal(size=outputs).astype(np.float32))
            for inputs, outputs in pairwise(sizes)
        ),
        Scaling(rng.normal(size=columns), rng.uniform(0.5, 2.0, columns)),
        rng.normal(size=columns) * rng.integers(0, 2, columns),
        unit=float(rng.uniform(0.5, 2.0)),
        offset=float(rng.normal()),
    )


def random_policy(seed: int, features: str = "paper17", rescore: str = "frozen") -> LearnedPolicy:
    """Order by a random network over a preset."""
    chosen = feature_set(features)
    return LearnedPolicy(chosen, random_network(seed, len(chosen.columns)), rescore)


def weighted_columns(rescore: str = "frozen", features: str = "paper17", **weights: float) -> LearnedPolicy:
    """Order by a weighted sum of columns, and nothing else."""
    chosen = feature_set(features)
    width = len(chosen.columns)
    linear = np.array([weights.get(name, 0.0) for name in chosen.columns])
    nothing = np.zeros((width, 1), np.float32), np.zeros(1, np.float32)
    return LearnedPolicy(chosen, DenseNetwork((nothing,), Scaling.none(width), linear), rescore)
