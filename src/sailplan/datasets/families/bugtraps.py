"""Three-sided traps that open towards the start, where a greedy search is caught."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sailplan.datasets.families.shapes import empty, free_ends, rectangle


def single_bugtrap(shape: tuple[int, int], rng: np.random.Generator) -> NDArray[np.bool_]:
    """One trap inside the map, open below or open to the left."""
    blocked = empty(shape)
    left, bottom = _jittered_lattice(rng, 125), _jittered_lattice(rng, 115)
    if rng.random() < 0.5:
        trap_open_below(blocked, left, bottom + 10, left + 75, bottom + 85, thickness=11)
    else:
        trap_open_left(blocked, left, bottom, left + 75, bottom + 85, thickness=11)
    return free_ends(blocked)


def multiple_bugtraps(shape: tuple[int, int], rng: np.random.Generator) -> NDArray[np.bool_]:
    """A trap open to the left between two open below, each moving on its own and partly off the map."""
    blocked = empty(shape)
    for leftmost, rightmost in ((-35, 15), (115, 165)):
        left, bottom = rng.uniform(leftmost, rightmost), rng.uniform(35, 105)
        trap_open_below(blocked, left, bottom, left + 70, bottom + 75, thickness=6)
    bottom = rng.uniform(-15, 105)
    trap_open_left(blocked, 75, bottom, 125, bottom + 110, thickness=6)
    return free_ends(blocked)


def trap_open_below(
    blocked: NDArray[np.bool_], left: float, bottom: float, right: float, top: float, *, thickness: int
) -> None:
    """Block the left, top and right sides of a box."""
    inset = thickness - 1
    blocked[rectangle(blocked.shape, left, bottom, left + inset, top)] = True
    blocked[rectangle(blocked.shape, left, top - inset, right, top)] = True
    blocked[rectangle(blocked.shape, right - inset, bottom, right, top)] = True


def trap_open_left(
    blocked: NDArray[np.bool_], left: float, bottom: float, right: float, top: float, *, thickness: int
) -> None:
    """Block the bottom, right and top sides of a box."""
    inset = thickness - 1
    blocked[rectangle(blocked.shape, left, bottom, right, bottom + inset)] = True
    blocked[rectangle(blocked.shape, right - inset, bottom, right, top)] = True
    blocked[rectangle(blocked.shape, left, top - inset, right, top)] = True


def _jittered_lattice(rng: np.random.Generator, last: int) -> float:
    """Draw a cell from 7 before to 2 after 0, 40, 80 or 120, anew until it lies in 0 .. last."""
    while True:
        # Half a cell more on either side, so that the first and the last cell are as likely as the others.
        coordinate = float(40 * rng.integers(4) + rng.uniform(-7.5, 2.5))
        if -0.5 <= coordinate <= last + 0.5:
            return coordinate
