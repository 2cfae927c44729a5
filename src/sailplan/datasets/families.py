"""Generated worlds: the eight families of the paper, each world determined by its seed and index alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import overload

import numpy as np
from numpy.typing import NDArray

from sailplan.datasets import family_shapes
from sailplan.datasets.kernel import connected
from sailplan.datasets.scenario import LazySequence
from sailplan.errors import WorldError
from sailplan.graphs.grid.world import World

Family = Callable[[tuple[int, int], np.random.Generator], NDArray[np.bool_]]
"""Draws the blocked cells of a world of shape (height, width), bottom row first; start and goal are free."""

FAMILIES: dict[str, Family] = {
    "alternating_gaps": family_shapes.alternating_gaps,
    "single_bugtrap": family_shapes.single_bugtrap,
    "shifting_gaps": family_shapes.shifting_gaps,
    "forest": family_shapes.forest,
    "bugtrap_forest": family_shapes.bugtrap_forest,
    "gaps_and_forest": family_shapes.gaps_and_forest,
    "mazes": family_shapes.mazes,
    "multiple_bugtraps": family_shapes.multiple_bugtraps,
}
"""The function that draws the worlds of each family, by name."""

MAYBE_UNSOLVABLE = frozenset({"gaps_and_forest"})
"""The families whose real maps include some without a path (88 of the 800 training maps)."""

LARGEST_WORLD = 100_000_000
"""Cells of the largest world that is drawn."""
MOST_WORLDS = 1_000_000_000
"""Largest number of worlds of one seed."""
MAX_DRAWS = 200
"""How often an unsolvable world is redrawn before an empty world is returned instead."""


def generate_world(family: str, seed: int, index: int, *, width: int = 201, height: int = 201) -> World:
    """Draw one world of a family; it does not depend on which other worlds are drawn.

    Parameters
    ----------
    family
        A key of `FAMILIES`.
    seed, index
        Together they determine the world. Worlds of different seeds are independent.
    width, height
        Size in cells. Obstacles scale with the size.

    Returns
    -------
    World
        A path joins its bottom-left and top-right cells, except in the families of `MAYBE_UNSOLVABLE`. If the
        size is too small for the obstacles to leave a path, the world is empty.

    Raises
    ------
    WorldError
        If the family is unknown or a number is out of range.

    Examples
    --------
    >>> generate_world("mazes", seed=0, index=3)
    World('mazes/3', 201 x 201, 8% blocked)
    """
    _check_family(family)
    _check_at_least(0, seed=seed, index=index)
    _check_size(width, height)
    rng = np.random.default_rng([seed, index])
    return World(_draw_blocked(family, (height, width), rng), name=f"{family}/{index}")


@dataclass(frozen=True)
class GeneratedWorlds(Sequence[World]):
    """Worlds 0 .. size - 1 of a family, each drawn when it is accessed."""

    family: str
    """A key of `FAMILIES`."""
    size: int
    """Number of worlds."""
    seed: int
    """Worlds of different seeds are independent."""
    width: int = 201
    """Number of columns of every world."""
    height: int = 201
    """Number of rows of every world."""

    def __post_init__(self) -> None:
        _check_family(self.family)
        _check_at_least(0, size=self.size, seed=self.seed)
        _check_size(self.width, self.height)
        if self.size > MOST_WORLDS:
            raise WorldError(f"size must be at most {MOST_WORLDS}, got {self.size}")

    def __len__(self) -> int:
        return self.size

    @overload
    def __getitem__(self, index: int) -> World: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[World]: ...
    def __getitem__(self, index: int | slice) -> World | Sequence[World]:
        return LazySequence(range(self.size), self._make)[index]

    def _make(self, index: int) -> World:
        return generate_world(self.family, self.seed, index, width=self.width, height=self.height)


def _draw_blocked(family: str, shape: tuple[int, int], rng: np.random.Generator) -> NDArray[np.bool_]:
    height, width = shape
    for _ in range(MAX_DRAWS):
        blocked = FAMILIES[family](shape, rng)
        if family in MAYBE_UNSOLVABLE or connected(blocked, 0, 0, width - 1, height - 1):
            return blocked
    return family_shapes.empty(shape)


def _check_family(family: str) -> None:
    if family not in FAMILIES:
        raise WorldError(f"unknown family {family!r}; known are {', '.join(FAMILIES)}")


def _check_at_least(least: int, **numbers: int) -> None:
    for name, number in numbers.items():
        if number < least:
            raise WorldError(f"{name} must be at least {least}, got {number}")


def _check_size(width: int, height: int) -> None:
    _check_at_least(1, width=width, height=height)
    if width * height > LARGEST_WORLD:
        raise WorldError(f"width times height must be at most {LARGEST_WORLD}, got {width} x {height}")
