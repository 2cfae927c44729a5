"""A planning task as a benchmark lists it, random start and goal cells, and lazy sequences of tasks or worlds."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, Literal, TypeVar, overload

import numpy as np

from sailplan.datasets.kernel import connected
from sailplan.graphs.grid.world import Cell, World, corner_cells

Endpoints = Literal["auto", "corners", "random"]
"""Where searches start and end: at the bottom-left and top-right corners, at random free cells, or (auto) at the
corners if both are free and at random free cells otherwise."""

MAX_DRAWS = 1000
"""How many pairs of cells are drawn before the corners are used instead."""
LEAST_DISTANCE = 0.5
"""Least distance of random start and goal cells, as a share of the longer side."""

Key = TypeVar("Key")
Item = TypeVar("Item")


@dataclass(frozen=True, eq=False)
class Scenario:
    """A start and a goal in a world, and the path cost that the benchmark lists."""

    world: World
    """The world, shared by all scenarios of one map."""
    start: Cell
    """A free cell."""
    goal: Cell
    """A free cell."""
    listed_cost: float | None = None
    """Cost of a shortest path according to the file, under the two rules below."""
    corner_cutting: bool = True
    """Whether a diagonal move needs only its target free, or both cells beside it as well."""
    diagonal_cost: float = math.sqrt(2)
    """Cost of a diagonal move; a straight move costs 1."""


def random_cells(world: World, rng: np.random.Generator) -> tuple[Cell, Cell]:
    """Draw a start and a goal uniformly from the pairs of free cells that are connected and far enough apart.

    Parameters
    ----------
    world
        The world to draw from.
    rng
        The source of randomness.

    Returns
    -------
    tuple of Cell
        Start and goal, at least `LEAST_DISTANCE` of the longer side apart. If `MAX_DRAWS` draws yield no such
        pair, the bottom-left and top-right cells.

    Examples
    --------
    >>> world = World(np.zeros((1, 2), dtype=bool))
    >>> sorted(random_cells(world, np.random.default_rng(0)))
    [(0, 0), (1, 0)]
    """
    rows, columns = np.nonzero(~world.blocked)
    for _ in range(MAX_DRAWS if len(rows) else 0):
        drawn = rng.integers(len(rows), size=2)
        (x, to_x), (y, to_y) = columns[drawn].tolist(), rows[drawn].tolist()
        far = (x - to_x) ** 2 + (y - to_y) ** 2 >= (LEAST_DISTANCE * max(world.width, world.height)) ** 2
        if far and connected(world.blocked, x, y, to_x, to_y):
            return (x, y), (to_x, to_y)
    return corner_cells(world)


@dataclass(frozen=True, eq=False, repr=False)
class LazySequence(Sequence[Item], Generic[Key, Item]):
    """A sequence that computes `make(key)` at each access; a slice is lazy too.

    Examples
    --------
    >>> squares = LazySequence(range(1000), lambda number: number**2)
    >>> squares[12], list(squares[2:5])
    (144, [4, 9, 16])
    """

    keys: Sequence[Key]
    """What identifies the items: paths or numbers."""
    make: Callable[[Key], Item]
    """Computes the item of a key."""

    def __len__(self) -> int:
        return len(self.keys)

    @overload
    def __getitem__(self, index: int) -> Item: ...
    @overload
    def __getitem__(self, index: slice) -> LazySequence[Key, Item]: ...
    def __getitem__(self, index: int | slice) -> Item | LazySequence[Key, Item]:
        if isinstance(index, slice):
            return LazySequence(self.keys[index], self.make)
        return self.make(self.keys[index])

    def __repr__(self) -> str:
        return f"<{len(self)} items, computed on access>"
