"""Families that put a forest around the obstacles of another."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sailplan.datasets.families.bugtraps import trap_open_left
from sailplan.datasets.families.forest import plant_tree
from sailplan.datasets.families.gaps import HIGH_GAP, LOW_GAP, build_wall
from sailplan.datasets.families.shapes import empty, free_ends

LOWEST_TREE, HIGHEST_TREE = 10, 170
"""Bounds of the lower edge of a tree, in both families."""


def bugtrap_forest(shape: tuple[int, int], rng: np.random.Generator) -> NDArray[np.bool_]:
    """A large trap that moves up and down, and about ten trees anywhere."""
    blocked = empty(shape)
    bottom = rng.uniform(-20, 100)
    trap_open_left(blocked, 65, bottom, 135, bottom + 120, thickness=11)
    _plant_strip(blocked, rng, 10, 170, mean_trees=10)
    return free_ends(blocked)


def gaps_and_forest(shape: tuple[int, int], rng: np.random.Generator) -> NDArray[np.bool_]:
    """Two walls, the first with a high gap and the second with a low one; trees may fill the gaps."""
    blocked = empty(shape)
    build_wall(blocked, 45, 75, rng.uniform(*HIGH_GAP))
    build_wall(blocked, 125, 155, rng.uniform(*LOW_GAP))
    for leftmost, rightmost in ((-10, 40), (60, 120), (140, 190)):
        _plant_strip(blocked, rng, leftmost, rightmost, mean_trees=3)
    return free_ends(blocked)


def _plant_strip(
    blocked: NDArray[np.bool_],
    rng: np.random.Generator,
    leftmost: float,
    rightmost: float,
    *,
    mean_trees: float,
) -> None:
    """Plant a Poisson number of trees, uniform over a strip from the lowest to the highest."""
    for _ in range(rng.poisson(mean_trees)):
        plant_tree(blocked, rng.uniform(leftmost, rightmost), rng.uniform(LOWEST_TREE, HIGHEST_TREE))
