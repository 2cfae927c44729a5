"""The protocol of robots: what a roadmap needs to know about a robot and its collision checker."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sailplan.core.graph import FloatArray
from sailplan.errors import RobotError
from sailplan.robots.kernel.collision import LIMIT_TOLERANCE
from sailplan.robots.kernel.edges import fill_bisection

BoolArray: TypeAlias = NDArray[np.bool_]

RESOLUTION = 0.05
"""Largest distance between checked configurations of an edge, in the joint space (radians and metres)."""


@dataclass
class CheckCounts:
    """How much a robot has checked so far."""

    configurations: int = 0
    """Configurations checked, those of edges among them."""
    edges: int = 0
    """Edges checked."""


class Robot(Protocol):
    """A robot with joints, in a scene, and a collision checker.

    `FunctionRobot` makes one from a function. An optional method `collisions(configuration)` returns the pairs of names
    of bodies that collide, for messages.
    """

    @property
    def joint_names(self) -> tuple[str, ...]:
        """The names of the joints, in the order of the columns of configurations."""

    @property
    def joint_limits(self) -> tuple[FloatArray, FloatArray]:
        """The lower and upper limits of the joints; those of a continuous joint are -π and π."""

    @property
    def continuous(self) -> BoolArray:
        """Whether each joint turns without limit, so that values that differ by 2π are the same."""

    @property
    def counts(self) -> CheckCounts:
        """What was checked so far."""

    def valid(self, configurations: FloatArray) -> BoolArray:
        """Return whether each configuration, a row of joint values, is inside the limits and free of collisions."""

    def edge_valid(self, starts: FloatArray, ends: FloatArray, *, endpoints: bool = True) -> BoolArray:
        """Return whether the straight motion from each start to each end is free of collisions.

        The configurations between the ends are checked in the order of bisection: the middle, the quarters, and so on,
        up to the first that is not valid. The ends are checked before them, unless `endpoints` is False.
        """


def joint_difference(robot: Robot, starts: ArrayLike, ends: ArrayLike) -> FloatArray:
    """Return the shortest motions from starts to ends; continuous joints take the shorter way around.

    Parameters
    ----------
    robot
        The robot.
    starts, ends
        Configurations, one row each, or a single one.

    Returns
    -------
    numpy.ndarray
        The differences of the joint values, of the same shape.

    Examples
    --------
    >>> from sailplan.robots import FunctionRobot
    >>> wheel = FunctionRobot(lambda rows: np.full(len(rows), True), [-np.pi], [np.pi], continuous=[True])
    >>> joint_difference(wheel, [3.0], [-3.0]).round(3)
    array([0.283])
    """
    difference: FloatArray = np.asarray(ends, np.float64) - np.asarray(starts, np.float64)
    turns = np.where(robot.continuous, np.round(difference / (2.0 * math.pi)), 0.0)
    return difference - 2.0 * math.pi * turns


def check_configuration(robot: Robot, configuration: ArrayLike, what: str = "configuration") -> FloatArray:
    """Return a configuration as an array after checking that a plan can start or end there.

    Parameters
    ----------
    robot
        The robot.
    configuration
        One joint value for each joint.
    what
        What the configuration is, for messages.

    Returns
    -------
    numpy.ndarray
        The configuration.

    Raises
    ------
    RobotError
        If it has the wrong length, is not made of finite numbers, exceeds the joint limits or is in collision. The
        message names the joint or the bodies that collide.

    Examples
    --------
    >>> from sailplan.robots import FunctionRobot
    >>> robot = FunctionRobot(lambda rows: np.full(len(rows), True), [-1.0, -1.0], [1.0, 1.0], names=["hip", "knee"])
    >>> check_configuration(robot, [0.5, 2.0], "goal")
    Traceback (most recent call last):
        ...
    sailplan.errors.RobotError: the goal is outside the joint limits: knee = 2 is not in -1 .. 1
    """
    row: FloatArray = as_configurations(robot, np.asarray(configuration)[None], what)[0]
    lower, upper = robot.joint_limits
    outside = ~inside_limits(robot, row)
    if outside.any():
        joint = int(outside.argmax())
        limits = f"{lower[joint]:g} .. {upper[joint]:g}"
        message = f"{robot.joint_names[joint]} = {row[joint]:g} is not in {limits}"
        raise RobotError(f"the {what} is outside the joint limits: {message}")
    if not robot.valid(row[None])[0]:
        pairs = robot.collisions(row) if hasattr(robot, "collisions") else []
        bodies = ", ".join(f"{one} with {other}" for one, other in pairs)
        raise RobotError(f"the {what} is in collision" + (f": {bodies}" if bodies else ""))
    return row


def as_configurations(robot: Robot, values: ArrayLike, what: str = "configurations") -> FloatArray:
    """Return rows of joint values as a contiguous array; raises RobotError if they are not finite numbers."""
    try:
        rows = np.ascontiguousarray(values, np.float64)
    except (TypeError, ValueError) as fault:
        raise RobotError(f"{what}: joint values must be numbers") from fault
    joints = len(robot.joint_names)
    if rows.ndim != 2 or rows.shape[1] != joints:
        found = rows.shape[-1] if rows.ndim == 2 else rows.shape
        raise RobotError(f"{what}: {joints} joint values are needed ({', '.join(robot.joint_names)}), got {found}")
    if not np.isfinite(rows).all():
        row, joint = np.argwhere(~np.isfinite(rows))[0]
        raise RobotError(f"{what}: {robot.joint_names[joint]} is {rows[row, joint]}")
    return rows


def inside_limits(robot: Robot, configurations: FloatArray) -> BoolArray:
    """Return whether each joint value is inside its limits, with a tolerance for rounded values."""
    lower, upper = robot.joint_limits
    near = (configurations >= lower - LIMIT_TOLERANCE) & (configurations <= upper + LIMIT_TOLERANCE)
    inside: BoolArray = robot.continuous | near
    return inside


def check_resolution(resolution: float) -> float:
    """Return a resolution of edges; raises RobotError unless it is positive."""
    if not resolution > 0.0:
        raise RobotError(f"a resolution must be positive, got {resolution}")
    return resolution


def segment_counts(differences: FloatArray, resolution: float) -> NDArray[np.int64]:
    """Return into how many equal parts each motion is divided, so that none is longer than the resolution."""
    lengths = np.sqrt((differences**2).sum(axis=1))
    counts: NDArray[np.int64] = np.maximum(np.ceil(lengths / resolution), 1.0).astype(np.int64)
    return counts


@lru_cache(maxsize=256)
def bisection_order(count: int) -> tuple[int, ...]:
    """Return 1 .. count - 1 in the order of bisection.

    Examples
    --------
    >>> bisection_order(8)
    (4, 2, 6, 1, 3, 5, 7)
    """
    order = np.empty(max(count - 1, 0), np.int64)
    fill_bisection(count, order)
    return tuple(order.tolist())


def edges_by_bisection(
    robot: Robot, starts: ArrayLike, ends: ArrayLike, resolution: float, *, endpoints: bool = True
) -> BoolArray:
    """Check edges with the `valid` method of a robot, one configuration at a time, in the order of bisection.

    Parameters
    ----------
    robot
        The robot; its `counts.edges` is increased.
    starts, ends
        Configurations, one row for each edge.
    resolution
        Largest distance between checked configurations.
    endpoints
        Whether the ends of the edges are checked as well.

    Returns
    -------
    numpy.ndarray
        A bool for each edge.
    """
    first = as_configurations(robot, starts)
    differences = joint_difference(robot, first, as_configurations(robot, ends))
    counts = segment_counts(differences, resolution)
    robot.counts.edges += len(first)

    def passes(row: int) -> bool:
        count = int(counts[row])
        ends_first = (count, 0) if endpoints else ()
        return all(
            robot.valid((first[row] + step / count * differences[row])[None])[0]
            for step in (*ends_first, *bisection_order(count))
        )

    return np.array([passes(row) for row in range(len(first))], bool)
