"""Planners of OMPL with the checker of a robot, so that edges and configurations are counted as in our searches."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from ompl import base, geometric, util

from sailplan.robots import ArmProblem, SphereRobot

PLANNERS: dict[str, tuple[Callable[[Any], Any], bool]] = {
    "RRTConnect": (geometric.RRTConnect, True),
    "BIT*": (geometric.BITstar, True),
    "BIT* (time limit)": (geometric.BITstar, False),
    "PRM": (geometric.PRM, True),
}
"""The planners, and whether each stops at its first path."""


class CountedMotions(base.MotionValidator):  # type: ignore[misc]
    """The checker of edges, for OMPL."""

    def __init__(self, information: Any, robot: SphereRobot) -> None:
        super().__init__(information)
        self._robot = robot

    def checkMotion(self, start: Any, end: Any) -> bool:
        robot = self._robot
        return bool(robot.edge_valid(_values(robot, start), _values(robot, end))[0])


def run_planner(name: str, robot: SphereRobot, problem: ArmProblem, seconds: float) -> float:
    """Run a planner up to a time limit and return the length of its path, infinite if there is none."""
    make, stops_at_first = PLANNERS[name]
    util.setLogLevel(util.LOG_NONE)
    space = _space(robot)
    information = base.SpaceInformation(space)
    information.setStateValidityChecker(lambda state: bool(robot.valid(_values(robot, state))[0]))
    information.setMotionValidator(CountedMotions(information, robot))
    information.setup()
    task = base.ProblemDefinition(information)
    task.setStartAndGoalStates(_state(space, problem.start), _state(space, problem.goal))
    planner = make(information)
    planner.setProblemDefinition(task)
    planner.setup()
    if stops_at_first and hasattr(planner, "setStopOnSolnImprovement"):
        planner.setStopOnSolnImprovement(True)
    planner.solve(base.timedPlannerTerminationCondition(seconds))
    return float(task.getSolutionPath().length()) if task.hasExactSolution() else np.inf


def set_seed(seed: int) -> None:
    """Set the seed of all random numbers of OMPL; only the first call in a process has an effect."""
    util.RNG.setSeed(seed)


def _space(robot: SphereRobot) -> Any:
    lower, upper = robot.joint_limits
    space, bounds = base.RealVectorStateSpace(len(lower)), base.RealVectorBounds(len(lower))
    for joint, (low, high) in enumerate(zip(lower, upper, strict=True)):
        bounds.setLow(joint, low)
        bounds.setHigh(joint, high)
    space.setBounds(bounds)
    return space


def _state(space: Any, configuration: Any) -> Any:
    state = space.allocState()
    for joint, value in enumerate(configuration):
        state[joint] = float(value)
    return state


def _values(robot: SphereRobot, state: Any) -> np.ndarray[Any, np.dtype[np.float64]]:
    return np.array([[state[joint] for joint in range(len(robot.joint_names))]])
