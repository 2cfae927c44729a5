"""Volumes of free and blocked voxels, in voxels and in metres."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field, fields, replace
from operator import index
from typing import Any, Self, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sailplan.core.graph import FloatArray
from sailplan.errors import GraphError, ProblemError
from sailplan.graphs.grid.checks import described, shown
from sailplan.graphs.grid.clearance import NO_OBSTACLE
from sailplan.graphs.voxels.clearance import inflate, squared_clearance

Voxel: TypeAlias = tuple[int, int, int]
"""A voxel (x, y, z); z points up."""


@dataclass(frozen=True, eq=False)
class Volume:
    """A boolean volume with its place in metres; immutable."""

    blocked: NDArray[np.bool_]
    """Whether each voxel is blocked, indexed [x, y, z]."""
    resolution: float | None = field(default=None, kw_only=True)
    """Side of a voxel in metres, if it is known."""
    origin: tuple[float, float, float] = field(default=(0.0, 0.0, 0.0), kw_only=True)
    """The corner of voxel (0, 0, 0) with the smallest coordinates, in metres."""
    name: str = field(default="voxels", kw_only=True)
    """The name of the volume, for messages."""

    def __post_init__(self) -> None:
        blocked = np.asarray(self.blocked)
        if blocked.ndim != 3 or blocked.size == 0 or blocked.dtype != np.bool_:
            got = described(blocked)
            raise GraphError(f"{self.name}: voxels need a boolean array with three dimensions, got {got}")
        if self.resolution is not None and not 0.0 < _as_number(self.resolution) < math.inf:
            raise GraphError(f"{self.name}: the resolution must be a positive number, got {shown(self.resolution)}")
        frozen = np.array(blocked, order="C")
        frozen.flags.writeable = False
        object.__setattr__(self, "blocked", frozen)
        object.__setattr__(self, "origin", as_point(self.origin, f"{self.name}: the origin"))

    def __getstate__(self) -> dict[str, object]:
        # A copy makes its arrays for the compiled engine from its voxels.
        return {one.name: getattr(self, one.name) for one in fields(self)}

    def __setstate__(self, state: dict[str, object]) -> None:
        # An array that can be written to is another type to Numba: all kernels would be compiled again for a copy.
        self.__dict__.update(state)
        self.blocked.flags.writeable = False

    @property
    def shape(self) -> tuple[int, int, int]:
        """Number of voxels along x, y and z."""
        x, y, z = self.blocked.shape
        return x, y, z

    def voxel(self, vertex: int) -> Voxel:
        """Return the voxel (x, y, z) of a vertex."""
        column, z = divmod(int(vertex), self.shape[2])
        x, y = divmod(column, self.shape[1])
        return x, y, z

    def coordinates(self, vertices: Sequence[int]) -> FloatArray:
        """Return the voxels (x, y, z) of vertices, shape (vertices, 3)."""
        return np.stack(np.unravel_index(np.asarray(vertices, np.int64), self.shape), axis=1).astype(np.float64)

    def in_metres(self, voxel: Voxel) -> tuple[float, float, float]:
        """Return the centre of a voxel in metres; `voxel_at` is the inverse.

        Raises
        ------
        GraphError
            If the graph has no resolution.
        """
        side = self.side()
        x, y, z = (low + (at + 0.5) * side for low, at in zip(self.origin, as_voxel(voxel), strict=True))
        return x, y, z

    def voxel_at(self, x: float, y: float, z: float) -> Voxel:
        """Return the voxel that holds a point in metres; it may lie outside the volume.

        Raises
        ------
        GraphError
            If the graph has no resolution, or the point is not three finite numbers.

        Examples
        --------
        >>> from sailplan.graphs import VoxelGraph
        >>> VoxelGraph(np.zeros((4, 4, 4), bool), resolution=0.5, origin=(-1.0, 0.0, 0.0)).voxel_at(-0.9, 0.6, 0.1)
        (0, 1, 0)
        """
        side, point = self.side(), as_point((x, y, z), f"{self.name}: a point in metres")
        to_x, to_y, to_z = (math.floor((at - low) / side) for at, low in zip(point, self.origin, strict=True))
        return to_x, to_y, to_z

    def points(self, path: Sequence[int]) -> FloatArray:
        """Return the centres of vertices in metres, shape (vertices, 3), for example of the path of a result."""
        side = self.side()
        metres: FloatArray = np.array(self.origin) + (self.coordinates(path) + 0.5) * side
        return metres

    def clearance(self) -> FloatArray:
        """Return the distance of each voxel's centre to that of the nearest blocked voxel, in voxels; exact.

        Infinite if nothing is blocked; the outside of the volume is not an obstacle.
        """
        squares = squared_clearance(self.blocked)
        return np.where(squares == NO_OBSTACLE, np.inf, np.sqrt(squares))

    def inflated(self, radius: float, *, metres: bool = False) -> Self:
        """Return the graph for a robot that is a sphere.

        Parameters
        ----------
        radius
            Every voxel is blocked whose `clearance` is at most this radius.
        metres
            Whether the radius is in metres, not in voxels.

        Returns
        -------
        VoxelGraph
            A graph over the inflated volume, otherwise equal to this one.

        Raises
        ------
        GraphError
            If the radius is negative or not finite, or is in metres and the graph has no resolution.

        Examples
        --------
        >>> blocked = np.zeros((1, 1, 4), bool)
        >>> blocked[0, 0, 0] = True
        >>> from sailplan.graphs import VoxelGraph
        >>> VoxelGraph(blocked).inflated(1.0).blocked.tolist()
        [[[True, True, False, False]]]
        """
        if not 0.0 <= _as_number(radius) < math.inf:
            raise GraphError(f"{self.name}: a radius must be a finite number that is not negative, got {shown(radius)}")
        in_voxels = radius / self.side() if metres else radius
        return replace(self, blocked=inflate(self.blocked, in_voxels)) if in_voxels > 0.0 else self

    def side(self) -> float:
        """Return the side of a voxel in metres; raises GraphError if it is not known."""
        if self.resolution is None:
            raise GraphError(f"{self.name}: the voxels have no resolution, so metres cannot be converted")
        return float(self.resolution)


def as_voxel(voxel: Any, role: str = "a voxel") -> Voxel:
    """Return a voxel as three Python integers; raises ProblemError if it is anything else."""
    try:
        if isinstance(voxel, Set | Mapping):
            raise TypeError("no order")
        x, y, z = voxel
        if any(isinstance(at, bool) for at in (x, y, z)):
            raise TypeError("a flag")
        return index(x), index(y), index(z)
    except (TypeError, ValueError) as error:
        raise ProblemError(f"{role} must be three integers (x, y, z), got {shown(voxel)}") from error


def _as_number(value: object) -> float:
    """Return a number as a float, NaN if it is none, infinity if it is an integer that is too large."""
    is_number = isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)
    try:
        return float(value) if is_number else math.nan  # type: ignore[arg-type]
    except OverflowError:
        return math.inf


def as_point(
    point: ArrayLike, what: str, error: type[GraphError | ProblemError] = GraphError
) -> tuple[float, float, float]:
    """Return a point as three finite floats; raises an error of the given class if it is anything else."""
    try:
        x, y, z = (float(at) for at in np.asarray(point, np.float64))
    except (TypeError, ValueError) as reason:
        raise error(f"{what} must be three numbers (x, y, z), got {shown(point)}") from reason
    if not all(map(math.isfinite, (x, y, z))):
        raise error(f"{what} must be three finite numbers (x, y, z), got {shown(point)}")
    return x, y, z
