"""The mixture of typical worlds, fitted to training worlds by expectation maximisation."""

from __future__ import annotations

import numpy as np

from sailplan.policies.replanning.beliefs.mixture import LEVELS, RAREST, PixelMixture
from sailplan.policies.replanning.beliefs.pixels import PIXELS, Floats

_STEPS = 40
_FIRST_SHARPNESS, _GROWTH = 0.02, 1.25
"""The log likelihood counts this much in the first step, and grows up to 1: otherwise a component would keep the worlds
that its random beginning gave it."""
_BLUR = 0.4
"""A component begins as a random world, mixed with as much of the mean of all."""
_MEAN_WORLDS, _WEIGHT_WORLDS = 0.5, 0.3
"""Every component also describes as many mean worlds, and its weight is that of as many worlds more."""
_NEARLY_EMPTY = 1.0
"""A component of fewer worlds begins again..."""
_LAST_BEGINNING = 0.7
"""... in the first part of the steps."""
_LEAST_WORLDS = 8
"""There is at most one component for as many worlds."""


def fit_mixture(shares: Floats, components: int, rng: np.random.Generator) -> PixelMixture:
    """Fit a mixture of products of Bernoulli distributions.

    Parameters
    ----------
    shares
        Shape (worlds, PIXELS, PIXELS): the share of blocked cells of each pixel.
    components
        The number of components; fewer for less than eight worlds each.
    rng
        Chooses the worlds with which components begin.

    Returns
    -------
    PixelMixture
        The mixture.
    """
    worlds = shares.reshape(len(shares), -1)
    mean, count = worlds.mean(axis=0), min(components, max(1, len(worlds) // _LEAST_WORLDS))
    centres = _begin(worlds, mean, count, rng)
    weights = np.full(count, 1.0 / count)
    for step in range(_STEPS):
        kept = np.clip(centres, RAREST, 1.0 - RAREST)
        logs = worlds @ np.log(kept / (1.0 - kept)).T + np.log(1.0 - kept).sum(axis=1)
        logs = min(1.0, _FIRST_SHARPNESS * _GROWTH**step) * logs + np.log(weights)
        belongs = np.exp(logs - logs.max(axis=1, keepdims=True))
        belongs /= belongs.sum(axis=1, keepdims=True)
        sizes = belongs.sum(axis=0)
        centres = (belongs.T.astype(np.float32) @ worlds + _MEAN_WORLDS * mean) / (sizes + _MEAN_WORLDS)[:, None]
        weights = (sizes + _WEIGHT_WORLDS) / (sizes + _WEIGHT_WORLDS).sum()
        empty = np.flatnonzero(sizes < _NEARLY_EMPTY)
        if len(empty) and step < _LAST_BEGINNING * _STEPS:
            centres[empty] = _begin(worlds, mean, len(empty), rng)
    levels = np.rint(LEVELS * centres).clip(0, LEVELS).astype(np.uint8)
    return PixelMixture(levels.reshape(-1, PIXELS, PIXELS), weights.astype(np.float64))


def _begin(worlds: Floats, mean: Floats, count: int, rng: np.random.Generator) -> Floats:
    drawn = worlds[rng.choice(len(worlds), count, replace=False)]
    return np.asarray((1.0 - _BLUR) * drawn + _BLUR * mean, np.float32)
