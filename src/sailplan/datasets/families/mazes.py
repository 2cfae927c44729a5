"""Two thin walls and four bars that leave one way through, with dead ends beside it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sailplan.datasets.families.gaps import build_wall
from sailplan.datasets.families.shapes import empty, free_ends, rectangle

UPWARD_PROBABILITY = 0.6
"""How often the way between the walls leads up."""


def mazes(shape: tuple[int, int], rng: np.random.Generator) -> NDArray[np.bool_]:
    """A way through the first wall, up or down between the walls, and through the second."""
    first, second = _gaps(rng)
    lower, upper = sorted((first, second))
    blocked = empty(shape)
    for left, bottom, right in (
        (0, first + 19, 69),
        (65, lower - 5, 135),
        (65, upper + 19, 135),
        (131, second - 5, 200),
    ):
        blocked[rectangle(shape, left, bottom, right, bottom + 4)] = True
    # Walls come last, because on a small grid a bar may be rounded into a gap.
    build_wall(blocked, 65, 69, first)
    build_wall(blocked, 131, 135, second)
    return free_ends(blocked)


def _gaps(rng: np.random.Generator) -> tuple[float, float]:
    """Draw the lowest rows of both gaps, uniform among those at least 20 apart that lead the chosen way."""
    upward = rng.random() < UPWARD_PROBABILITY
    while True:
        first, second = rng.uniform(1, 151), rng.uniform(31, 171)
        climb = second - first if upward else first - second
        if climb >= 20:
            return first, second
