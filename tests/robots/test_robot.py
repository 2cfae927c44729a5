from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from sailplan.core.graph import FloatArray
from sailplan.errors import RobotError
from sailplan.robots import FunctionRobot, Robot, check_configuration
from tests.robots.arms import tiny_robot


def disc(rows: FloatArray) -> np.ndarray:
    """A round obstacle of radius 0.4 around the origin."""
    free: np.ndarray = (rows**2).sum(axis=1) > 0.16
    return free


@pytest.fixture
def robot() -> FunctionRobot:
    return FunctionRobot(disc, [-1.0, -1.0], [1.0, 1.0])


def test_both_kinds_of_robots_follow_the_protocol(robot: FunctionRobot, tmp_path: Path) -> None:
    robots: list[Robot] = [robot, tiny_robot(tmp_path, "arm")]
    for one in robots:
        lower, upper = one.joint_limits
        assert len(one.joint_names) == len(lower) == len(upper) == len(one.continuous) == 2
        one.valid(np.zeros((3, 2)))
        assert one.edge_valid(np.full((2, 2), 0.9), np.full((2, 2), 0.8)).tolist() == [True, True]
        assert one.counts.edges == 2
        assert one.counts.configurations > 3


def test_the_limits_and_the_function_decide(robot: FunctionRobot) -> None:
    assert robot.valid([[0.9, 0.0], [0.1, 0.0], [1.1, 0.0]]).tolist() == [True, False, False]
    assert robot.counts.configurations == 3


def test_motions_through_an_obstacle_are_not_valid(robot: FunctionRobot) -> None:
    starts, ends = [[-0.9, 0.0], [-0.9, 0.5]], [[0.9, 0.0], [0.9, 0.5]]
    assert robot.edge_valid(starts, ends).tolist() == [False, True]


def test_a_continuous_joint_has_no_limits() -> None:
    wheel = FunctionRobot(lambda rows: np.cos(rows[:, 0]) < 0.9, -np.pi, np.pi, continuous=True)
    assert wheel.valid([[9.0], [6.2]]).tolist() == [True, False]
    assert wheel.edge_valid([[2.0]], [[-2.0]])[0], "the way over 180 degrees is shorter and free"


def test_a_start_in_collision_without_names_of_bodies(robot: FunctionRobot) -> None:
    with pytest.raises(RobotError, match=r"^the start is in collision$"):
        check_configuration(robot, [0.0, 0.0], "start")


@pytest.mark.parametrize("answer", [[1.0], [True, True], True, None])
def test_what_the_function_returns_is_checked(answer: object) -> None:
    robot = FunctionRobot(lambda rows: answer, [-1.0], [1.0])
    with pytest.raises(RobotError, match="the checker must return a bool for each of 1 configurations, got"):
        robot.valid([[0.0]])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"lower": [0.0]}, "joint limits must be two rows of numbers, lower < upper, got"),
        ({"lower": [0.0, 2.0]}, "joint limits must be two rows of numbers, lower < upper, got"),
        ({"names": ["a"]}, "2 joints have limits, and 1 have names"),
        ({"resolution": -1.0}, "a resolution must be positive, got -1.0"),
    ],
)
def test_bad_options_are_one_clear_line(options: dict[str, object], message: str) -> None:
    with pytest.raises(RobotError, match=message):
        FunctionRobot(disc, **{"lower": [-1.0, -1.0], "upper": [1.0, 1.0], **options})  # type: ignore[arg-type]
