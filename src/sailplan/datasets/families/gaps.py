"""A wall across the map with one gap in it: where is the gap?"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sailplan.datasets.families.shapes import empty, free_ends, rectangle

LOW_GAP = (11, 51)
"""Range of the lowest row of a gap near the bottom, in which it is uniform."""
HIGH_GAP = (131, 171)
"""The same of a gap near the top."""
LOW_GAP_PROBABILITY = 0.7
"""How often the gap of `alternating_gaps` is near the bottom."""


def alternating_gaps(shape: tuple[int, int], rng: np.random.Generator) -> NDArray[np.bool_]:
    """One thick wall whose gap is near the bottom, or less often near the top."""
    low = rng.random() < LOW_GAP_PROBABILITY
    return _one_wall(shape, rng.uniform(*(LOW_GAP if low else HIGH_GAP)))


def shifting_gaps(shape: tuple[int, int], rng: np.random.Generator) -> NDArray[np.bool_]:
    """One thick wall whose gap is anywhere."""
    return _one_wall(shape, rng.uniform(LOW_GAP[0], HIGH_GAP[1]))


def build_wall(blocked: NDArray[np.bool_], left: float, right: float, gap: float) -> None:
    """Block the columns from bottom to top but for 19 rows, the lowest of which is `gap`."""
    blocked[rectangle(blocked.shape, left, 0, right, 200)] = True
    blocked[rectangle(blocked.shape, left, gap, right, gap + 18)] = False


def _one_wall(shape: tuple[int, int], gap: float) -> NDArray[np.bool_]:
    blocked = empty(shape)
    build_wall(blocked, 80, 120, gap)
    return free_ends(blocked)
