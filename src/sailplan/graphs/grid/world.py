"""A world: an occupancy grid, with what its map file says about metres, unknown cells and terrain costs."""

from __future__ import annotations

import math
from collections.abc import Mapping, Set
from dataclasses import dataclass, field, replace
from functools import cached_property
from operator import index
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sailplan.errors import ProblemError, WorldError
from sailplan.graphs.grid.checks import checked_costs, described, shown, wrong_type
from sailplan.graphs.grid.clearance import inflate, squared_clearance

__all__ = ["FREE_ABOVE", "UNKNOWN_GRAY", "Cell", "Unknown", "World", "corner_cells"]

FREE_ABOVE = 127
"""A gray value above this one is free."""
UNKNOWN_GRAY = 205
"""The gray value of unknown cells, by the convention of ROS."""


Cell: TypeAlias = tuple[int, int]
"""A cell (x, y); x points right, y points up, (0, 0) is the bottom-left cell."""

Unknown: TypeAlias = Literal["free", "blocked"]
"""What the unknown cells of a map count as."""


@dataclass(frozen=True, eq=False)
class World:
    """An occupancy grid of any shape; immutable.

    Parameters
    ----------
    blocked
        A boolean array; other types are refused. For images, with row 0 at the *top*, use `from_image` (a mask of
        free cells) or `from_gray` (gray values).

    Raises
    ------
    WorldError
        If an array has the wrong shape, type or values.

    Examples
    --------
    >>> world = World(np.array([[False, True], [False, False]]), name="tiny")
    >>> world
    World('tiny', 2 x 2, 25% blocked)
    >>> world.is_free((1, 0)), world.is_free((1, 1))
    (False, True)
    """

    blocked: NDArray[np.bool_]
    """Whether each cell is blocked, shape (height, width), indexed [y, x]: row 0 is the *bottom* row."""
    name: str = field(default="world", kw_only=True)
    """The name of the map, for tables and messages."""
    resolution: float | None = field(default=None, kw_only=True)
    """Side of a cell in metres, if the map file gives it."""
    origin: tuple[float, float, float] | None = field(default=None, kw_only=True)
    """Pose (x, y, yaw) of the bottom-left corner in metres and radians, if the map file gives it."""
    unknown_cells: int = field(default=0, kw_only=True)
    """Number of cells that the map file marks as unknown."""
    unknown: Unknown = field(default="blocked", kw_only=True)
    """What these cells count as in `blocked`."""
    costs: NDArray[np.float64] | None = field(default=None, kw_only=True)
    """Terrain cost of each cell, at least 1, indexed like `blocked`; a move costs its length times the mean of both."""

    def __post_init__(self) -> None:
        blocked = _as_grid(self.blocked, self.name)
        if blocked.dtype != np.bool_:
            raise WorldError(f"{self.name}: {wrong_type(blocked)}")
        object.__setattr__(self, "blocked", _frozen(blocked))
        if self.costs is not None:
            object.__setattr__(self, "costs", _frozen(checked_costs(self.costs, blocked.shape, self.name)))

    def __setstate__(self, state: dict[str, object]) -> None:
        # A copy that comes out of a pickle must be as immutable as the original.
        self.__dict__.update(state)
        for array in (self.blocked, self.costs):
            if array is not None:
                array.flags.writeable = False

    @classmethod
    def from_image(
        cls,
        free: ArrayLike,
        *,
        name: str = "world",
        resolution: float | None = None,
        origin: tuple[float, float, float] | None = None,
        unknown_cells: int = 0,
        unknown: Unknown = "blocked",
    ) -> World:
        """Make a world of a mask in which True (or 1) is free and row 0 is the *top* row.

        Raises
        ------
        WorldError
            If the mask is neither boolean nor made of the integers 0 and 1.

        Examples
        --------
        >>> World.from_image([[1, 1, 0], [0, 1, 1]]).blocked.tolist()
        [[True, False, False], [False, False, True]]
        """
        mask = _as_grid(free, name)
        if mask.dtype != np.bool_ and (mask.dtype.kind not in "iu" or mask.min() < 0 or mask.max() > 1):
            raise WorldError(f"{name}: a mask of free cells is boolean, or 0 and 1, got {described(mask)}")
        return cls(
            mask[::-1] == 0,
            name=name,
            resolution=resolution,
            origin=origin,
            unknown_cells=unknown_cells,
            unknown=unknown,
        )

    @classmethod
    def from_gray(cls, pixels: ArrayLike, *, name: str = "world", unknown: Unknown = "blocked") -> World:
        """Make a world of a gray image: values above 127 are free, the value 205 is unknown, row 0 is the *top* row.

        Raises
        ------
        WorldError
            If the array is not of type uint8, or holds only 0 and 1, so that it looks like a mask.

        Examples
        --------
        >>> World.from_gray(np.array([[0, 255, 205]], np.uint8), unknown="free")
        World('world', 3 x 1, 33% blocked)
        """
        gray = _as_grid(pixels, name)
        if gray.dtype != np.uint8:
            raise WorldError(f"{name}: a gray image is an array of uint8, got {described(gray)}")
        if gray.max() <= 1:
            raise WorldError(
                f"{name}: the gray values are all 0 or 1, so this looks like a mask: "
                "give a boolean array in which True is free"
            )
        is_unknown = gray == UNKNOWN_GRAY
        free = np.where(is_unknown, check_unknown(unknown) == "free", gray > FREE_ABOVE)
        return cls.from_image(free, name=name, unknown_cells=int(is_unknown.sum()), unknown=unknown)

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
        x, y = as_cell(cell)
        return 0 <= x < self.width and 0 <= y < self.height

    def is_free(self, cell: Cell) -> bool:
        """Whether the cell lies inside the world and is not blocked."""
        x, y = as_cell(cell)
        return self.contains((x, y)) and not self.blocked[y, x]

    def in_metres(self, cell: Cell) -> tuple[float, float]:
        """Return the centre of a cell in the frame of the map; `cell_at` is the inverse.

        Raises
        ------
        WorldError
            If the world has no resolution.

        Examples
        --------
        >>> World(np.zeros((4, 4), bool), resolution=0.5, origin=(-1.0, 2.0, 0.0)).in_metres((0, 1))
        (-0.75, 2.75)
        """
        resolution, (x, y, yaw) = self._frame()
        along, across = ((number + 0.5) * resolution for number in as_cell(cell))
        return x + math.cos(yaw) * along - math.sin(yaw) * across, y + math.sin(yaw) * along + math.cos(yaw) * across

    def cell_at(self, x: float, y: float) -> Cell:
        """Return the cell that holds a point in metres; it may lie outside the world.

        Raises
        ------
        WorldError
            If the world has no resolution, or the point is not two finite numbers.

        Examples
        --------
        >>> World(np.zeros((4, 4), bool), resolution=0.5, origin=(-1.0, 2.0, 0.0)).cell_at(-0.75, 2.75)
        (0, 1)
        """
        resolution, (left, bottom, yaw) = self._frame()
        try:
            right, up = float(x) - left, float(y) - bottom
            along, across = math.cos(yaw) * right + math.sin(yaw) * up, math.cos(yaw) * up - math.sin(yaw) * right
            return math.floor(along / resolution), math.floor(across / resolution)
        except (TypeError, ValueError, OverflowError) as error:
            point = f"({shown(x)}, {shown(y)})"
            raise WorldError(f"{self.name}: a point in metres is two finite numbers, got {point}") from error

    def clearance(self) -> NDArray[np.float64]:
        """Return the distance of each cell's centre to that of the nearest blocked cell, in cells; exact.

        Infinite if nothing is blocked; the outside of the map is not an obstacle.

        Examples
        --------
        >>> World(np.array([[True, False, False]])).clearance().tolist()
        [[0.0, 1.0, 2.0]]
        """
        if not self.blocked.any():
            return np.full(self.blocked.shape, np.inf)
        return np.sqrt(squared_clearance(self.blocked))

    def inflated(self, radius: float) -> World:
        """Return the world for a round robot: every cell is blocked whose `clearance` is at most `radius` cells.

        Examples
        --------
        >>> World(np.array([[True, False, False]])).inflated(1.0).blocked.tolist()
        [[True, True, False]]
        """
        return replace(self, blocked=inflate(self.blocked, radius)) if radius > 0 else self

    def _frame(self) -> tuple[float, tuple[float, float, float]]:
        if self.resolution is None:
            raise WorldError(f"{self.name}: the world has no resolution, so it cannot convert metres; use cells")
        return self.resolution, self.origin or (0.0, 0.0, 0.0)

    def __repr__(self) -> str:
        return f"World({self.name!r}, {self.width} x {self.height}, {self.blocked.mean():.0%} blocked)"


def corner_cells(world: World) -> tuple[Cell, Cell]:
    """Return the bottom-left and the top-right cell."""
    return (0, 0), (world.width - 1, world.height - 1)


def _as_grid(given: Any, name: str) -> NDArray[Any]:
    """Return a two-dimensional array that is not empty."""
    try:
        array = np.asarray(given)
    except ValueError as error:
        raise WorldError(f"{name}: a world needs rows of equal length") from error
    if array.ndim != 2 or array.size == 0:
        raise WorldError(f"{name}: a world needs two dimensions and a cell, got shape {array.shape}")
    return array


def _frozen(array: NDArray[Any]) -> NDArray[Any]:
    """Return a copy that cannot be written to."""
    copy = np.array(array, order="C")
    copy.flags.writeable = False
    return copy


def as_cell(cell: Any, role: str = "cell") -> Cell:
    """Return a cell as two Python integers, whatever integer types it is given in.

    Raises
    ------
    ProblemError
        If it is not a pair of integers.

    Examples
    --------
    >>> as_cell(np.array([200, 201], np.uint8))
    (200, 201)
    """
    try:
        # Asked of tuples first: a problem on a small grid would spend most of its time on the abstract classes.
        if not isinstance(cell, tuple) and isinstance(cell, Set | Mapping):
            raise TypeError("no order")
        x, y = cell
        if isinstance(x, bool) or isinstance(y, bool):
            raise TypeError("a flag")
        return index(x), index(y)
    except (TypeError, ValueError) as error:
        raise ProblemError(f"the {role} must be a pair of integers (x, y), got {shown(cell)}") from error


def check_unknown(unknown: Unknown) -> Unknown:
    """Return the argument if it is "free" or "blocked"; raise WorldError otherwise."""
    if unknown not in get_args(Unknown):
        raise WorldError(f'unknown must be "free" or "blocked", got {shown(unknown)}')
    return unknown
