"""The protocol of robots: what a roadmap needs to know about a robot and its collision checker."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sailplan.core.graph import FloatArray
from sailplan.errors import RobotError
from sailplan.graphs.roadmap import ConfigurationSpace
from sailplan.robots.kernel.collision import LIMIT_TOLERANCE

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

    def edge_valid(self, starts: FloatArray, ends: FloatArray) -> BoolArray:
        """Return whether the straight motion from each start to each end is valid, both ends included.

        The ends are checked first, then the configurations between them in the order of bisection: the middle, the
        quarters, and so on, up to the first that is not valid.
        """


def joint_space(robot: Robot) -> ConfigurationSpace:
    """Return the configuration space of a robot: its joint limits, continuous joints and names.

    Parameters
    ----------
    robot
        The robot.

    Returns
    -------
    ConfigurationSpace
        Distances in it are Euclidean; a continuous joint takes the shorter way around.

    Raises
    ------
    GraphError
        If a lower limit is not below the upper one.

    Examples
    --------
    >>> from sailplan.robots import FunctionRobot
    >>> wheel = FunctionRobot(lambda rows: rows[:, 0] < 9.0, [-np.pi], [np.pi], continuous=[True])
    >>> joint_space(wheel).difference(np.array([3.0]), np.array([-3.0])).round(3)
    array([0.283])
    """
    return ConfigurationSpace.within(*robot.joint_limits, wraps=robot.continuous, names=robot.joint_names)


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
