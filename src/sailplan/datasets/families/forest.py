"""Square trees in four groves, with two bars that never move."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sailplan.datasets.families.shapes import empty, free_ends, rectangle

GROVES = ((50, 50), (130, 130), (10, 90), (170, 90))
"""Mean of the lower left corner (x, y) of the trees of each grove."""
GROVE_SPREAD = 160**0.5
"""Standard deviation of either coordinate around it."""
GROVE_TREES = 15
"""How many trees the groves have together."""
MEAN_STRAY_TREES = 1
"""Mean of the Poisson number of trees that stand anywhere."""
LEFT_RANGE, BOTTOM_RANGE = (5, 175), (5, 205)
"""Where the lower left corner of any tree may lie."""


def forest(shape: tuple[int, int], rng: np.random.Generator) -> NDArray[np.bool_]:
    """Trees in two groves on the diagonal and two that the border cuts off, and a few strays."""
    blocked = empty(shape)
    blocked[rectangle(shape, 0, 150, 70, 160)] = True
    blocked[rectangle(shape, 130, 50, 200, 60)] = True
    for _ in range(GROVE_TREES):
        plant_tree(blocked, *_grove_tree(rng))
    for _ in range(rng.poisson(MEAN_STRAY_TREES)):
        plant_tree(blocked, rng.uniform(*LEFT_RANGE), rng.uniform(*BOTTOM_RANGE))
    return free_ends(blocked)


def plant_tree(blocked: NDArray[np.bool_], left: float, bottom: float) -> None:
    """Block the 21 x 21 cells that have this lower left corner."""
    blocked[rectangle(blocked.shape, left, bottom, left + 20, bottom + 20)] = True


def _grove_tree(rng: np.random.Generator) -> tuple[float, float]:
    while True:
        mean_left, mean_bottom = GROVES[rng.integers(len(GROVES))]
        left, bottom = rng.normal(mean_left, GROVE_SPREAD), rng.normal(mean_bottom, GROVE_SPREAD)
        if LEFT_RANGE[0] <= left <= LEFT_RANGE[1] and BOTTOM_RANGE[0] <= bottom <= BOTTOM_RANGE[1]:
            return left, bottom
