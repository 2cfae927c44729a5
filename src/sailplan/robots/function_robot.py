"""A robot whose collision checker is a Python function."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sailplan.core.graph import FloatArray
from sailplan.errors import RobotError
from sailplan.graphs.roadmap.checking import sweep
from sailplan.robots.robot import (
    RESOLUTION,
    BoolArray,
    CheckCounts,
    as_configurations,
    check_resolution,
    inside_limits,
    joint_space,
)


class FunctionRobot:
    """A robot whose collision checker is a Python function.

    Parameters
    ----------
    check
        `check(configurations)` returns a bool for each row of joint values; inside the limits, it decides alone.
    lower, upper
        Joint limits.
    names
        Names of the joints; by default joint1, joint2, ...
    continuous
        Whether each joint turns without limit; by default none does.
    resolution
        Largest distance between checked configurations of an edge.

    Raises
    ------
    RobotError
        If the limits are not finite numbers with lower < upper, names or continuous do not match them, or the
        resolution is not positive.

    Examples
    --------
    >>> robot = FunctionRobot(lambda rows: rows[:, 0] < 0.5, [-1.0, -1.0], [1.0, 1.0])
    >>> robot.edge_valid(np.array([[0.0, 0.0]]), np.array([[0.9, 0.0]]))
    array([False])
    >>> robot.counts.edges
    1
    """

    def __init__(
        self,
        check: Callable[[FloatArray], Any],
        lower: ArrayLike,
        upper: ArrayLike,
        *,
        names: Sequence[str] | None = None,
        continuous: ArrayLike = False,
        resolution: float = RESOLUTION,
    ) -> None:
        low, high = (np.array(side, np.float64, ndmin=1) for side in (lower, upper))
        if low.ndim != 1 or low.shape != high.shape or not (low < high).all():
            raise RobotError(f"joint limits must be two rows of numbers, lower < upper, got {low} and {high}")
        count = len(low)
        self.check = check
        self.joint_limits = low, high
        self.joint_names = tuple(names or (f"joint{number}" for number in range(1, count + 1)))
        if len(self.joint_names) != count:
            raise RobotError(f"{count} joints have limits, and {len(self.joint_names)} have names")
        self.continuous: BoolArray = np.broadcast_to(np.asarray(continuous, bool), (count,))
        self.resolution = check_resolution(resolution)
        self.counts = CheckCounts()
        self._space = joint_space(self)

    def valid(self, configurations: ArrayLike) -> BoolArray:
        """Return whether each configuration is inside the limits and passes the check."""
        rows = as_configurations(self, configurations)
        result: BoolArray = np.asarray(inside_limits(self, rows).all(axis=1))
        self.counts.configurations += len(rows)
        if result.any():
            result[result] = _as_verdicts(self.check(rows[result]), int(result.sum()))
        return result

    def edge_valid(self, starts: ArrayLike, ends: ArrayLike) -> BoolArray:
        """Return whether each straight motion is valid; the check is called once for each level of bisection."""
        first, last = as_configurations(self, starts), as_configurations(self, ends)
        self.counts.edges += len(first)
        ends_on_the_way = first + self._space.difference(first, last)
        return sweep(self._space, first, ends_on_the_way, self.valid, self.resolution)


def _as_verdicts(values: Any, count: int) -> BoolArray:
    """Return what a checker returned as an array of bools; raises RobotError if it is something else."""
    verdicts = np.asarray(values)
    if verdicts.dtype != np.bool_ or verdicts.shape != (count,):
        shape = f"{verdicts.dtype} of shape {verdicts.shape}"
        raise RobotError(f"the checker must return a bool for each of {count} configurations, got {shape}")
    return verdicts
