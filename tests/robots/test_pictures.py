from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageSequence

from sailplan.errors import RobotError
from sailplan.robots import Box, Cylinder, Scene, Sphere, SphereRobot
from sailplan.robots.shapes import obstacle_faces, shaded, sphere_faces
from tests.robots.arms import tiny_robot

pytest.importorskip("matplotlib")

from sailplan.robots.pictures import View, animate_plan, draw_plan

PLAN = [[0.0, 0.0], [1.0, 0.5], [2.0, -0.5]]
EDGES = [[0.0, 0.0], [1.0, 0.0]], [[1.0, 0.0], [1.0, 1.0]]


@pytest.fixture
def robot(tmp_path: Path) -> SphereRobot:
    obstacles = (
        Box("box", (0.3, 0.6, 0.0), (0.1, 0.2, 0.3)),
        Cylinder("can", (-0.5, 0.5, 0.0), 0.1, 0.2),
        Sphere("ball", (0.0, -0.5, 0.0), 0.1),
    )
    return tiny_robot(tmp_path, "arm").in_scene(Scene(obstacles))


def test_a_picture_shows_the_plan_and_what_was_evaluated(robot: SphereRobot, tmp_path: Path) -> None:
    plain, full = tmp_path / "plain.png", tmp_path / "full.png"
    draw_plan(robot, PLAN, plain, View("finger", title="a $plan"))
    draw_plan(robot, PLAN, full, View("finger", title="a $plan"), evaluated=EDGES)
    first, second = (np.asarray(Image.open(path).convert("RGB")) for path in (plain, full))
    assert first.shape == second.shape
    assert (first != second).any()
    assert robot.counts.edges == 0, "drawing does not count"


def test_an_animation_has_frames_that_differ(robot: SphereRobot, tmp_path: Path) -> None:
    animate_plan(robot, PLAN, tmp_path / "plan.gif", View("finger"), frames=3)
    with Image.open(tmp_path / "plan.gif") as film:
        assert len(list(ImageSequence.Iterator(film))) == 3
        frames = []
        for number in range(3):
            film.seek(number)
            frames.append(np.asarray(film.convert("RGB")))
    assert (frames[0] != frames[1]).any()
    assert (frames[1] != frames[2]).any()


def test_bad_input_is_one_clear_line(robot: SphereRobot, tmp_path: Path) -> None:
    with pytest.raises(RobotError, match=r"^robot 'tiny' has no link 'toe'$"):
        draw_plan(robot, PLAN, tmp_path / "plan.png", View("toe"))
    with pytest.raises(RobotError, match=r"^configurations: 2 joint values are needed"):
        draw_plan(robot, [[0.0]], tmp_path / "plan.png", View("finger"))
    with pytest.raises(RobotError, match="at least one frame, got 0"):
        animate_plan(robot, PLAN, tmp_path / "plan.gif", View("finger"), frames=0)
    assert not list(tmp_path.glob("plan.*"))


def test_faces_are_on_the_surface() -> None:
    rows = np.array([[1.0, 0.0, 0.0, 0.5], [0.0, 2.0, 0.0, 0.1]])
    corners = sphere_faces(rows).reshape(2, -1, 3)
    for (*centre, radius), points in zip(rows, corners, strict=True):
        np.testing.assert_allclose(np.linalg.norm(points - centre, axis=1), radius)
    box = obstacle_faces(Box("box", (1, 2, 3), (2, 4, 6))).reshape(-1, 3) - (1, 2, 3)
    assert (np.abs(box).max(axis=0) == (1, 2, 3)).all()
    assert np.isclose(np.abs(box) / (1, 2, 3), 1.0).any(axis=1).all()
    can = obstacle_faces(Cylinder("can", (0, 0, 0), 0.5, 2.0)).reshape(-1, 3)
    assert np.hypot(can[:, 0], can[:, 1]).max() == pytest.approx(0.5)
    assert np.abs(can[:, 2]).max() == pytest.approx(1.0)
    colours = shaded(sphere_faces(rows), (1.0, 0.5, 0.0, 0.3))
    assert ((colours >= 0.0) & (colours <= 1.0)).all()
