"""Motion primitives: short motions of a robot between poses of a lattice."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise

import numpy as np

from sailplan.core.graph import LARGEST_NUMBER, FloatArray
from sailplan.errors import GraphError
from sailplan.graphs.grid.checks import shown
from sailplan.graphs.grid.world import Cell

Pose = tuple[float, float, float]
"""A pose (x, y, heading) in metres and radians."""

FULL_TURN = 2.0 * math.pi
OFF_GRID = 0.1
"""How far the last pose of a primitive may be from the centre of a cell, in cells."""
_SAME = 1e-4
"""Differences in metres or radians below this one are due to rounding in the file."""


def turn_between(start: float, end: float) -> float:
    """Return the signed angle of the shorter turn from one heading to another, in -pi .. pi.

    Examples
    --------
    >>> round(turn_between(0.25, 6.25), 3)
    -0.283
    """
    return (end - start + math.pi) % FULL_TURN - math.pi


@dataclass(frozen=True, eq=False)
class MotionPrimitive:
    """A motion from one heading in the centre of a cell to another heading in the centre of another cell.

    Examples
    --------
    >>> ahead = MotionPrimitive(0, 0, (2, 0), 0.1, [(0.0, 0.0, 0.0), (0.1, 0.0, 0.0)])
    >>> ahead.offset, ahead.poses.shape
    ((2, 0), (2, 3))
    """

    start: int
    """Number of the heading at the start."""
    end: int
    """Number of the heading at the end."""
    offset: Cell
    """From the cell of the start to that of the end."""
    cost: float
    """Cost of the motion, above 0."""
    poses: FloatArray
    """Poses (x, y, heading) along the motion, relative to the centre of the start cell: from the start to the end."""

    def __post_init__(self) -> None:
        try:
            poses = np.array(self.poses, np.float64)
            offset = int(self.offset[0]), int(self.offset[1])
        except (TypeError, ValueError, OverflowError) as error:
            raise GraphError(f"a primitive needs an offset (x, y) and poses (x, y, heading): {error}") from error
        if poses.ndim != 2 or poses.shape[1] != 3 or len(poses) < 2 or not np.isfinite(poses).all():
            raise GraphError(f"a primitive needs two or more finite poses (x, y, heading), got {shown(poses)}")
        poses.flags.writeable = False
        object.__setattr__(self, "poses", poses)
        object.__setattr__(self, "offset", offset)


@dataclass(frozen=True, eq=False)
class MotionPrimitives:
    """The motions that a robot can make from each heading; read them from a file with `read_primitives`.

    Raises
    ------
    GraphError
        If there are no primitives, or one of them has an unknown heading, a cost that is not positive, does not move,
        or ends off the grid.

    Examples
    --------
    >>> ahead = MotionPrimitive(0, 0, (1, 0), 0.5, [(0.0, 0.0, 0.0), (0.5, 0.0, 0.0)])
    >>> MotionPrimitives(0.5, (0.0,), (ahead,), name="train")
    MotionPrimitives('train', 1 headings, 1 primitives, cells of 0.5 m)
    """

    resolution: float
    """Side of a cell in metres."""
    headings: tuple[float, ...]
    """Angle of each heading in radians, in 0 .. 2 pi."""
    primitives: tuple[MotionPrimitive, ...]
    """All primitives, in the order of the file."""
    name: str = field(default="primitives", kw_only=True)
    """The name of the file, for messages."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "headings", _checked_headings(self.headings, self.name))
        object.__setattr__(self, "primitives", tuple(self.primitives))
        if not 0.0 < self.resolution < math.inf:
            raise GraphError(f"{self.name}: the resolution must be above 0, got {shown(self.resolution)}")
        if not self.primitives:
            raise GraphError(f"{self.name}: there are no motion primitives")
        for number, primitive in enumerate(self.primitives):
            fault = self._fault(primitive)
            if fault:
                raise GraphError(f"{self.name}: primitive {number} {fault}")

    def _fault(self, primitive: MotionPrimitive) -> str | None:
        """Return what is wrong with a primitive."""
        last = len(self.headings) - 1
        if not (0 <= primitive.start <= last and 0 <= primitive.end <= last):
            return f"leads from heading {primitive.start} to {primitive.end}, and the headings are 0 .. {last}"
        if not 0.0 < primitive.cost <= LARGEST_NUMBER:
            return f"must have a finite cost above 0, at most {LARGEST_NUMBER:g}, got {primitive.cost}"
        if primitive.offset == (0, 0) and primitive.start == primitive.end:
            return "does not move"
        for pose, heading, (x, y), what in (
            (primitive.poses[0], primitive.start, (0, 0), "starts"),
            (primitive.poses[-1], primitive.end, primitive.offset, "ends"),
        ):
            away = math.hypot(pose[0] - x * self.resolution, pose[1] - y * self.resolution)
            if away > OFF_GRID * self.resolution:
                return f"{what} at ({pose[0]:.6g}, {pose[1]:.6g}), and not in the centre of cell {(x, y)}"
            if abs(turn_between(pose[2], self.headings[heading])) > _SAME:
                return f"{what} at the angle {pose[2]:.6g}, and not at heading {heading}"
        return None

    @cached_property
    def cost_per_metre(self) -> float:
        """Smallest cost of a primitive divided by the straight-line distance between its ends.

        Times a straight-line distance it is a lower bound of the cost. 0 if no primitive leaves its cell.
        """
        rates = [one.cost / (math.hypot(*one.offset) * self.resolution) for one in self.primitives if any(one.offset)]
        return min(rates, default=0.0)

    @cached_property
    def by_heading(self) -> tuple[tuple[MotionPrimitive, ...], ...]:
        """The primitives that start at each heading; of those that end at the same pose, only the cheapest."""
        groups: list[dict[tuple[Cell, int], MotionPrimitive]] = [{} for _ in self.headings]
        for primitive in self.primitives:
            group, key = groups[primitive.start], (primitive.offset, primitive.end)
            if key not in group or primitive.cost < group[key].cost:
                group[key] = primitive
        return tuple(tuple(group.values()) for group in groups)

    def nearest_heading(self, angle: float) -> int:
        """Return the number of the heading closest to an angle in radians; the first of two that are equally close.

        Examples
        --------
        >>> four_ways([(1, 0, 0)], resolution=1.0).nearest_heading(3.0)
        2
        """
        return min(range(len(self.headings)), key=lambda number: abs(turn_between(self.headings[number], angle)))

    def with_reverse(self, multiplier: float = 1.0) -> MotionPrimitives:
        """Return these primitives, and each of them driven backward as well.

        Parameters
        ----------
        multiplier
            Cost of driving backward, as a multiple of the cost of driving forward.

        Returns
        -------
        MotionPrimitives
            The primitives as they are, then the reversed ones. Files of Nav2 for cars have no reversed primitives.

        Raises
        ------
        GraphError
            If the multiplier is not above 0.

        Examples
        --------
        >>> both = four_ways([(1, 0, 0)], resolution=1.0).with_reverse(2.0)
        >>> both.by_heading[0][1].offset, both.by_heading[0][1].cost
        ((-1, 0), 2.0)
        """
        if not 0.0 < multiplier < math.inf:
            raise GraphError(f"the multiplier of driving backward must be above 0, got {shown(multiplier)}")
        backward = [self._reversed(one, multiplier) for one in self.primitives]
        return MotionPrimitives(self.resolution, self.headings, (*self.primitives, *backward), name=self.name)

    def _reversed(self, primitive: MotionPrimitive, multiplier: float) -> MotionPrimitive:
        x, y = primitive.offset
        poses = primitive.poses[::-1] - np.array([x * self.resolution, y * self.resolution, 0.0])
        return MotionPrimitive(primitive.end, primitive.start, (-x, -y), multiplier * primitive.cost, poses)

    def __repr__(self) -> str:
        counts = f"{len(self.headings)} headings, {len(self.primitives)} primitives"
        return f"MotionPrimitives({self.name!r}, {counts}, cells of {self.resolution:.9g} m)"


def build_primitive(
    headings: Sequence[float],
    resolution: float,
    *,
    start: int,
    end: int,
    offset: Cell,
    poses: Iterable[Sequence[float]],
    length: float,
    turn_cost: float,
    multiplier: float = 1.0,
) -> MotionPrimitive:
    """Return a primitive of a file: with exact first and last poses, and with its cost.

    The cost is `multiplier` times the larger of the length and `turn_cost` times the angle between both headings. This
    is the cost that SBPL defines, with `turn_cost` as metres per radian. The length is at least the straight line.

    Parameters
    ----------
    headings, resolution
        Angles of the headings in radians, and side of a cell in metres.
    start, end, offset
        Numbers of the first and the last heading, and the cell of the last pose.
    poses
        Poses of the file, relative to the centre of the first cell; the first and the last may be left out.
    length
        Length of the motion in metres.
    turn_cost, multiplier
        Cost of turning by one radian, and multiplier of the cost.

    Returns
    -------
    MotionPrimitive
        The primitive.
    """
    first = (0.0, 0.0, headings[start])
    last = (offset[0] * resolution, offset[1] * resolution, headings[end])
    length = max(length, math.hypot(last[0], last[1]))
    cost = multiplier * max(length, turn_cost * abs(turn_between(headings[start], headings[end])))
    between = [tuple(pose) for pose in poses if not (_same_pose(pose, first) or _same_pose(pose, last))]
    return MotionPrimitive(start, end, offset, cost, np.array([first, *between, last]))


def four_ways(steps: Iterable[tuple[int, int, int]], *, resolution: float, turn_cost: float = 1.0) -> MotionPrimitives:
    """Return primitives for the headings right, up, left and down, for tests and examples.

    Parameters
    ----------
    steps
        Motions of a robot that faces right: cells ahead, cells to the left, and quarter turns to the left. They are
        rotated for the other headings, and go along straight lines.
    resolution
        Side of a cell in metres.
    turn_cost
        Cost of turning by one radian, in metres.

    Returns
    -------
    MotionPrimitives
        The primitives.

    Examples
    --------
    >>> four_ways([(1, 0, 0), (1, 1, 1)], resolution=0.5)
    MotionPrimitives('four ways', 4 headings, 8 primitives, cells of 0.5 m)
    """
    headings = tuple(quarter * math.pi / 2.0 for quarter in range(4))
    primitives = []
    for heading in range(4):
        for ahead, left, turns in steps:
            x, y = ((ahead, left), (-left, ahead), (-ahead, -left), (left, -ahead))[heading]
            primitive = build_primitive(
                headings,
                resolution,
                start=heading,
                end=(heading + turns) % 4,
                offset=(x, y),
                poses=(),
                length=0.0,
                turn_cost=turn_cost,
            )
            primitives.append(primitive)
    return MotionPrimitives(resolution, headings, tuple(primitives), name="four ways")


def _same_pose(one: Sequence[float], other: Sequence[float]) -> bool:
    near = all(abs(a - b) < _SAME for a, b in zip(one[:2], other[:2], strict=True))
    return near and abs(turn_between(one[2], other[2])) < _SAME


def _checked_headings(given: Iterable[float], name: str) -> tuple[float, ...]:
    try:
        headings = tuple(float(angle) for angle in given)
    except (TypeError, ValueError) as error:
        raise GraphError(f"{name}: headings must be angles in radians: {error}") from error
    rising = all(one < other for one, other in pairwise(headings))
    if not headings or not rising or not 0.0 <= headings[0] <= headings[-1] < FULL_TURN:
        raise GraphError(f"{name}: headings must be increasing angles in 0 .. 2 pi, got {shown(headings)}")
    return headings
