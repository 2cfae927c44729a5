"""The obstacles of the paper's eight families, drawn on a grid of any shape.

Every coordinate is a cell of the 201 x 201 maps of the paper; `rectangle` scales it to the grid.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

PAPER_SIDE = 201
"""Side of the maps in whose cells every family is written."""


def empty(shape: tuple[int, int]) -> NDArray[np.bool_]:
    """Return a grid of shape (height, width) without obstacles."""
    return np.zeros(shape, dtype=np.bool_)


def rectangle(shape: tuple[int, int], left: float, bottom: float, right: float, top: float) -> tuple[slice, slice]:
    """Index [y, x] of the cells from one corner to the other, both included, scaled to the shape.

    The result is at least one cell wide and high. Coordinates outside the grid are moved to its border, so
    even a rectangle that lies entirely outside draws a line there, as in the maps of the paper.
    """
    height, width = shape
    return _scaled(bottom, top, height), _scaled(left, right, width)


def free_ends(blocked: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Clear the start (bottom left) and the goal (top right), which obstacles of a small grid may cover."""
    blocked[0, 0] = blocked[-1, -1] = False
    return blocked


def _scaled(first: float, last: float, length: int) -> slice:
    scale = length / PAPER_SIDE
    low = min(max(round(first * scale), 0), length - 1)
    end = min(max(round((last + 1) * scale), low + 1), length)
    return slice(low, end)


LOW_GAP = (11, 51)
"""Range of the lowest row of a gap near the bottom (uniform)."""
HIGH_GAP = (131, 171)
"""The same for a gap near the top."""
LOW_GAP_PROBABILITY = 0.7
"""Probability that the gap of `alternating_gaps` is near the bottom."""


def alternating_gaps(shape: tuple[int, int], rng: np.random.Generator) -> NDArray[np.bool_]:
    """One thick wall whose gap is near the bottom or, less often, near the top."""
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
    """Draw a cell from 7 before to 2 after 0, 40, 80 or 120, and repeat until it lies in 0 .. last."""
    while True:
        # Half a cell more on either side, so that the first and the last cell are as likely as the others.
        coordinate = float(40 * rng.integers(4) + rng.uniform(-7.5, 2.5))
        if -0.5 <= coordinate <= last + 0.5:
            return coordinate


GROVES = ((50, 50), (130, 130), (10, 90), (170, 90))
"""Mean of the lower left corner (x, y) of the trees of each grove."""
GROVE_SPREAD = 160**0.5
"""Standard deviation of either coordinate around it."""
GROVE_TREES = 15
"""Number of trees in all groves together."""
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


UPWARD_PROBABILITY = 0.6
"""Probability that the way between the walls leads up."""


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
