"""The mixture of typical worlds, fitted to training worlds by expectation maximisation, and the regrets in them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from sailplan.core.graph import FloatArray, Problem
from sailplan.oracle import cost_to_go
from sailplan.parallel import run_all
from sailplan.policies.replanning.beliefs.learned import MOST_REGRET
from sailplan.policies.replanning.beliefs.mixture import LEVELS, RAREST, PixelMixture
from sailplan.policies.replanning.beliefs.pixels import PIXELS, Floats, blocked_shares, world_of

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
_LEAST_COUNT = 0.05
"""Regrets are means over at least this many worlds."""
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
        belongs = _belonging(worlds, centres, weights, min(1.0, _FIRST_SHARPNESS * _GROWTH**step))
        sizes = belongs.sum(axis=0)
        centres = (belongs.T.astype(np.float32) @ worlds + _MEAN_WORLDS * mean) / (sizes + _MEAN_WORLDS)[:, None]
        weights = (sizes + _WEIGHT_WORLDS) / (sizes + _WEIGHT_WORLDS).sum()
        empty = np.flatnonzero(sizes < _NEARLY_EMPTY)
        if len(empty) and step < _LAST_BEGINNING * _STEPS:
            centres[empty] = _begin(worlds, mean, len(empty), rng)
    levels = np.rint(LEVELS * centres).clip(0, LEVELS).astype(np.uint8)
    return PixelMixture(levels.reshape(-1, PIXELS, PIXELS), weights.astype(np.float64))


def fit_regrets(mixture: PixelMixture, problems: Sequence[Problem], jobs: int) -> NDArray[np.uint8]:
    """Return the mean regret of the oracle in each pixel, over the worlds of each component.

    The regret of a pixel is the length of the shortest path through it less that of the shortest path. Worlds in which
    it is blocked do not count.

    Parameters
    ----------
    mixture
        The typical worlds.
    problems
        Problems on grids that have a path, with at most one cell for each pixel.
    jobs
        Number of threads.

    Returns
    -------
    numpy.ndarray
        Shape (components, PIXELS, PIXELS), as `LearnedMultipliers.regrets`.
    """
    shares = np.stack([blocked_shares(world_of(problem)) for problem in problems])
    regrets = np.stack(run_all(_regrets_of, problems, jobs)).reshape(len(problems), -1)
    centres = mixture.shares.reshape(len(mixture), -1)
    belongs = _belonging(shares.reshape(len(shares), -1), centres, mixture.weights, 1.0).T
    sums, counts = belongs @ np.nan_to_num(regrets), belongs @ np.isfinite(regrets)
    # A component has a bit of every world, which must not count where all of its own are blocked.
    means = np.where(counts > _LEAST_COUNT, sums / np.maximum(counts, _LEAST_COUNT), 0.0)
    levels: NDArray[np.uint8] = np.rint(LEVELS / MOST_REGRET * means).astype(np.uint8).reshape(mixture.levels.shape)
    return levels


def _regrets_of(problem: Problem) -> FloatArray:
    """The regret of each pixel in sides of the map, at most MOST_REGRET; NaN where it is blocked."""
    world = world_of(problem)
    ahead, behind = cost_to_go(problem), cost_to_go(replace(problem, start=problem.goal, goal=problem.start))
    cells = world.width * world.height
    regrets = np.where(world.blocked.ravel(), np.nan, ahead[:cells] + behind[:cells] - ahead[problem.start])
    y, x = ((2 * np.arange(PIXELS) + 1) * size // (2 * PIXELS) for size in (world.height, world.width))
    by_pixel = regrets.reshape(world.height, world.width)[np.ix_(y, x)] / max(world.width, world.height)
    limited: FloatArray = by_pixel.clip(0.0, MOST_REGRET)
    return limited


def _belonging(worlds: Floats, centres: Floats, weights: FloatArray, sharpness: float) -> FloatArray:
    """The probability that each world (row) belongs to each component (column)."""
    kept = np.clip(centres, RAREST, 1.0 - RAREST)
    logs = worlds @ np.log(kept / (1.0 - kept)).T + np.log(1.0 - kept).sum(axis=1)
    logs = sharpness * logs + np.log(weights)
    belongs = np.exp(logs - logs.max(axis=1, keepdims=True))
    shares: FloatArray = belongs / belongs.sum(axis=1, keepdims=True)
    return shares


def _begin(worlds: Floats, mean: Floats, count: int, rng: np.random.Generator) -> Floats:
    drawn = worlds[rng.choice(len(worlds), count, replace=False)]
    return np.asarray((1.0 - _BLUR) * drawn + _BLUR * mean, np.float32)
