"""Worlds of a family, each made from its seed and index alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import overload

import numpy as np
from numpy.typing import NDArray

from sailplan.datasets.families.family import FAMILIES, MAYBE_UNSOLVABLE
from sailplan.datasets.families.shapes import empty
from sailplan.datasets.kernel import connected
from sailplan.datasets.lazy import LazySequence
from sailplan.errors import WorldError
from sailplan.graphs.grid.world import World

MAX_DRAWS = 200
"""How often an unsolvable world is drawn anew before its obstacles are given up."""


def generate_world(family: str, seed: int, index: int, *, width: int = 201, height: int = 201) -> World:
    """Draw world `index` of a family, the same whatever other worlds are drawn.

    A path joins the bottom-left and top-right cells, except that `MAYBE_UNSOLVABLE` families promise none.
    A shape too small for the obstacles to leave a path gives an empty world.
    """
    _check_family(family)
    _check_at_least(0, seed=seed, index=index)
    _check_at_least(1, width=width, height=height)
    rng = np.random.default_rng([seed, index])
    return World(_draw_blocked(family, (height, width), rng), name=f"{family}/{index}")


@dataclass(frozen=True)
class GeneratedWorlds(Sequence[World]):
    """Worlds 0 .. size - 1 of a family, each made when it is asked for."""

    family: str
    """A key of `FAMILIES`."""
    size: int
    """How many worlds there are."""
    seed: int
    """Worlds of different seeds are independent."""
    width: int = 201
    """Number of columns of every world."""
    height: int = 201
    """Number of rows of every world."""

    def __post_init__(self) -> None:
        _check_family(self.family)
        _check_at_least(0, size=self.size, seed=self.seed)
        _check_at_least(1, width=self.width, height=self.height)

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
    return empty(shape)


def _check_family(family: str) -> None:
    if family not in FAMILIES:
        raise WorldError(f"unknown family {family!r}; known are {', '.join(FAMILIES)}")


def _check_at_least(least: int, **numbers: int) -> None:
    for name, number in numbers.items():
        if number < least:
            raise WorldError(f"{name} must be at least {least}, got {number}")
