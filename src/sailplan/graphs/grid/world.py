"""A world: what is hidden from a search until it looks."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sailplan.errors import WorldError

Cell = tuple[int, int]
"""A cell (x, y); x points right, y points up, (0, 0) is the bottom-left cell."""


@dataclass(frozen=True, eq=False)
class World:
    """An occupancy grid of any shape; immutable."""

    blocked: NDArray[np.bool_]
    """Whether each cell is blocked, shape (height, width), indexed [y, x]: row 0 is the *bottom* row."""
    name: str = field(default="world", kw_only=True)
    """Where the world came from, for tables and messages."""
    resolution: float | None = field(default=None, kw_only=True)
    """Side of a cell in metres, where the format says so."""
    origin: tuple[float, float, float] | None = field(default=None, kw_only=True)
    """Pose (x, y, yaw) of the bottom-left corner in metres and radians, where the format says so."""

    costs: NDArray[np.float64] | None = field(default=None, kw_only=True)
    """Cost of each cell, at least 1, shape as `blocked`; a move costs its length times the mean of both cells."""

    def __post_init__(self) -> None:
        blocked = np.array(self.blocked, dtype=np.bool_, order="C")
        if blocked.ndim != 2 or blocked.size == 0:
            raise WorldError(f"{self.name}: a world needs two dimensions and a cell, got shape {blocked.shape}")
        blocked.flags.writeable = False
        object.__setattr__(self, "blocked", blocked)

    def __setstate__(self, state: dict[str, object]) -> None:
        # A copy that comes out of a pickle must be as immutable as the original.
        self.__dict__.update(state)
        self.blocked.flags.writeable = False

    @classmethod
    def from_image(
        cls,
        free: ArrayLike,
        *,
        name: str = "world",
        resolution: float | None = None,
        origin: tuple[float, float, float] | None = None,
    ) -> World:
        """Make a world of an array in which true is free and row 0 is the *top* row, as in an image."""
        blocked = ~np.asarray(free, dtype=np.bool_)
        return cls(blocked[::-1] if blocked.ndim else blocked, name=name, resolution=resolution, origin=origin)

    def image(self) -> NDArray[np.bool_]:
        """Whether each cell is free, top row first: the inverse of `from_image`."""
        return ~self.blocked[::-1]

    @cached_property
    def width(self) -> int:
        """Number of columns."""
        return int(self.blocked.shape[1])

    @cached_property
    def height(self) -> int:
        """Number of rows."""
        return int(self.blocked.shape[0])

    def contains(self, cell: Cell) -> bool:
        """Whether the cell lies inside the world."""
        x, y = cell
        return 0 <= x < self.width and 0 <= y < self.height

    def is_free(self, cell: Cell) -> bool:
        """Whether the cell lies inside the world and is not blocked."""
        x, y = cell
        return self.contains(cell) and not self.blocked[y, x]

    def in_metres(self, cell: Cell) -> tuple[float, float]:
        """The centre of a cell in the frame of the map; needs a resolution."""
        if self.resolution is None:
            raise WorldError(f"{self.name}: the world has no resolution")
        x, y, yaw = self.origin or (0.0, 0.0, 0.0)
        along, across = ((number + 0.5) * self.resolution for number in cell)
        return x + math.cos(yaw) * along - math.sin(yaw) * across, y + math.sin(yaw) * along + math.cos(yaw) * across

    def __repr__(self) -> str:
        return f"World({self.name!r}, {self.width} x {self.height}, {self.blocked.mean():.0%} blocked)"


def corner_cells(world: World) -> tuple[Cell, Cell]:
    """The bottom-left and the top-right cell."""
    return (0, 0), (world.width - 1, world.height - 1)
