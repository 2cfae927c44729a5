"""Footprints of robots, and the cells that they cover at a pose and along a motion."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from sailplan.core.graph import FloatArray
from sailplan.errors import GraphError
from sailplan.graphs.grid.checks import shown
from sailplan.graphs.lattice.primitives import Pose, turn_between

Cells = NDArray[np.int64]
"""Rows (x, y)."""

SAMPLES_PER_CELL = 4
"""Between two samples of a motion no point of the footprint moves farther than a cell divided by this."""
_TOUCHING = 1e-9
"""Overlaps of less than this share of a cell do not count: the robot may touch an obstacle."""
_LARGEST_RADIUS = 1000
"""In cells; a motion of a larger robot would cover millions of them."""
_FLAT = 1e-12
"""A segment that is shorter than this along an axis is parallel to the other axis."""


@dataclass(frozen=True)
class Footprint:
    """The shape of a robot seen from above: a polygon or a disc; create one with `as_footprint`."""

    corners: tuple[tuple[float, float], ...]
    """Corners of the polygon in metres, in the frame of the robot: x points ahead, y to the left; empty for a disc."""
    radius: float
    """Radius of the disc, or distance of the farthest corner, in metres."""

    @property
    def is_disc(self) -> bool:
        """Whether the robot is round."""
        return not self.corners

    def outline(self, pose: Pose) -> FloatArray:
        """Return the corners at a pose, shape (corners, 2); 24 points on the circle of a disc."""
        outline: FloatArray = self._outlines(np.array([pose]))[0]
        return outline

    def cells(self, pose: Pose, resolution: float) -> Cells:
        """Return the cells that the robot overlaps at a pose, sorted.

        Parameters
        ----------
        pose
            Pose (x, y, heading) of the robot; the origin is the centre of cell (0, 0).
        resolution
            Side of a cell in metres.

        Returns
        -------
        numpy.ndarray
            Rows (x, y).

        Examples
        --------
        >>> as_footprint([(0, -0.4), (1.4, -0.4), (1.4, 0.4), (0, 0.4)]).cells((0.0, 0.0, 0.0), 1.0).tolist()
        [[0, 0], [1, 0]]
        """
        return self._covered(np.array([pose]), resolution, margin=0.0)

    def sweep(self, poses: FloatArray, resolution: float, *, conservative: bool = True) -> Cells:
        """Return the cells that the robot overlaps along a motion, sorted.

        Between two poses, position and heading change linearly. The motion is sampled such that no point of the
        footprint moves farther than a quarter of a cell from one sample to the next.

        Parameters
        ----------
        poses
            Poses (x, y, heading) along the motion; the origin is the centre of cell (0, 0).
        resolution
            Side of a cell in metres.
        conservative
            Whether to enlarge every cell by half of this distance, an eighth of a cell. Then every cell is found that
            the robot overlaps at any moment; otherwise a cell may be missed that it overlaps between samples only.

        Returns
        -------
        numpy.ndarray
            Rows (x, y).

        Examples
        --------
        >>> as_footprint(0.3).sweep(np.array([(0.0, 0.0, 0.0), (2.0, 0.0, 0.0)]), 1.0).tolist()
        [[0, 0], [1, 0], [2, 0]]
        """
        step = resolution / SAMPLES_PER_CELL
        return self._covered(sampled(poses, step, self.radius), resolution, margin=0.5 * step if conservative else 0.0)

    def _covered(self, poses: FloatArray, resolution: float, margin: float) -> Cells:
        """Return the cells, enlarged by a margin on each side, that the robot overlaps at any of the poses."""
        half = 0.5 * resolution * (1.0 - _TOUCHING) + margin
        if (self.radius + half) / resolution > _LARGEST_RADIUS:
            raise GraphError(f"a footprint of radius {self.radius:g} m is too large for cells of {resolution:g} m")
        reach = math.ceil((self.radius + half) / resolution) + 1
        window = np.mgrid[-reach : reach + 1, -reach : reach + 1].reshape(2, -1).T
        # Shape (poses, cells around each of them, 2).
        cells = np.rint(poses[:, None, :2] / resolution).astype(np.int64) + window
        centres = np.multiply(cells, resolution, dtype=np.float64)
        if self.is_disc:
            beyond = np.maximum(np.abs(centres - poses[:, None, :2]) - half, 0.0)
            covered = (beyond**2).sum(axis=2) <= self.radius**2
        else:
            outlines = self._outlines(poses)
            covered = np.zeros(cells.shape[:2], np.bool_)
            for number in range(len(self.corners)):
                start, end = outlines[:, number - 1, None], outlines[:, number, None]
                covered ^= _is_left_of(start, end, centres)
            for number in range(len(self.corners)):
                covered |= _crosses(outlines[:, number - 1, None], outlines[:, number, None], centres, half)
        return np.unique(cells[covered], axis=0)

    def _outlines(self, poses: FloatArray) -> FloatArray:
        """Return the corners at each pose, shape (poses, corners, 2)."""
        corners = np.array(self.corners or _circle(self.radius))
        cosine, sine = np.cos(poses[:, 2, None]), np.sin(poses[:, 2, None])
        x, y = corners[:, 0], corners[:, 1]
        turned: FloatArray = np.stack([cosine * x - sine * y, sine * x + cosine * y], axis=2)
        return poses[:, None, :2] + turned


FootprintLike: TypeAlias = Footprint | float | Sequence[Sequence[float]] | FloatArray
"""A footprint, a radius in metres, or corners (x, y) in metres."""


def as_footprint(given: FootprintLike) -> Footprint:
    """Return a footprint for a radius or for the corners of a polygon.

    Parameters
    ----------
    given
        A radius in metres, or corners (x, y) in metres in the frame of the robot: x points ahead, y to the left. The
        polygon need not be convex, must not cross itself and is closed by itself. A `Footprint` is returned unchanged.

    Returns
    -------
    Footprint
        The footprint.

    Raises
    ------
    GraphError
        If it is neither, a number is not finite, the radius is negative, or the polygon has no area.

    Examples
    --------
    >>> round(as_footprint([(-0.1, -0.2), (0.4, -0.2), (0.4, 0.2), (-0.1, 0.2)]).radius, 3)
    0.447
    >>> as_footprint(0.25).is_disc
    True
    """
    if isinstance(given, Footprint):
        return given
    try:
        numbers = np.asarray(given, np.float64)
    except (TypeError, ValueError) as error:
        raise GraphError(f"a footprint is a radius or corners (x, y) in metres, got {shown(given)}") from error
    if isinstance(given, bool) or not np.isfinite(numbers).all():
        raise GraphError(f"a footprint needs finite numbers, got {shown(given)}")
    if numbers.ndim == 0:
        if numbers < 0.0:
            raise GraphError(f"the radius of a footprint must not be negative, got {shown(given)}")
        return Footprint((), float(numbers))
    if numbers.ndim != 2 or numbers.shape[1] != 2 or len(numbers) < 3:
        raise GraphError(f"a footprint needs three or more corners (x, y), got {shown(given)}")
    ahead = np.roll(numbers, -1, axis=0)
    if abs((numbers[:, 0] * ahead[:, 1] - numbers[:, 1] * ahead[:, 0]).sum()) < 1e-12:
        raise GraphError(f"the polygon of a footprint needs an area, got {shown(given)}")
    corners = tuple((float(x), float(y)) for x, y in numbers)
    return Footprint(corners, float(np.hypot(*numbers.T).max()))


def sampled(poses: FloatArray, step: float, radius: float) -> FloatArray:
    """Return poses along a motion, the given ones among them, such that no point within `radius` moves beyond `step`.

    Examples
    --------
    >>> sampled(np.array([(0.0, 0.0, 0.0), (1.0, 0.0, 0.0)]), 0.5, 0.3).tolist()
    [[0.0, 0.0, 0.0], [0.5, 0.0, 0.0], [1.0, 0.0, 0.0]]
    """
    found = [poses[:1]]
    for before, after in pairwise(poses):
        change = after - before
        change[2] = turn_between(before[2], after[2])
        moved = math.hypot(change[0], change[1]) + abs(change[2]) * radius
        shares = np.arange(1, max(1, math.ceil(moved / step - 1e-9)) + 1)
        found.append(before + change * (shares / shares[-1])[:, None])
    return np.concatenate(found)


def _circle(radius: float) -> FloatArray:
    angles = np.linspace(0.0, 2.0 * np.pi, 24, endpoint=False)
    return radius * np.stack([np.cos(angles), np.sin(angles)], axis=1)


def _is_left_of(start: FloatArray, end: FloatArray, points: FloatArray) -> NDArray[np.bool_]:
    """Return which points have a segment to their right; inside a polygon the number of such edges is odd."""
    y = points[..., 1]
    spans = (start[..., 1] > y) != (end[..., 1] > y)
    height = np.where(spans, end[..., 1] - start[..., 1], 1.0)
    at_y = start[..., 0] + (y - start[..., 1]) * (end[..., 0] - start[..., 0]) / height
    left: NDArray[np.bool_] = spans & (points[..., 0] < at_y)
    return left


def _crosses(start: FloatArray, end: FloatArray, centres: FloatArray, half: float) -> NDArray[np.bool_]:
    """Return which squares around the centres a segment passes through, by clipping it at their sides."""
    change = end - start
    flat = np.abs(change) < _FLAT
    safe = np.where(flat, 1.0, change)
    one, other = (centres - half - start) / safe, (centres + half - start) / safe
    entry = np.where(flat, -math.inf, np.minimum(one, other)).max(axis=-1)
    leave = np.where(flat, math.inf, np.maximum(one, other)).min(axis=-1)
    beside = (flat & (np.abs(centres - start) >= half)).any(axis=-1)
    crossed: NDArray[np.bool_] = ~beside & (np.maximum(entry, 0.0) < np.minimum(leave, 1.0))
    return crossed
