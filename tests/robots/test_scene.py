from __future__ import annotations

import numpy as np
import pytest

from sailplan.errors import RobotError
from sailplan.robots import Box, Cylinder, Scene, Sphere
from sailplan.robots.transforms import quaternion_product, rotation_from_quaternion, rotation_from_rpy

BOX = Box("table", (0.5, 0, 0.2), (0.8, 1.2, 0.05))
BALL = Sphere("ball", (0.4, 0.1, 0.3), 0.06)


def test_equal_scenes_have_equal_digests() -> None:
    whole = Box("table", np.array([0.5, 0.0, 0.2]), np.array([0.8, 1.2, 0.05]), (0, 0, 0, 1))  # type: ignore[arg-type]
    assert Scene((BOX, BALL)) == Scene([whole, BALL])  # type: ignore[arg-type]
    assert Scene((BOX, BALL)).digest == Scene((whole, BALL)).digest
    others = [Scene(), Scene((BOX,)), Scene((BALL, BOX)), Scene((BOX, Sphere("ball", (0.4, 0.1, 0.3), 0.07)))]
    assert len({scene.digest for scene in [Scene((BOX, BALL)), *others]}) == 5


def test_arrays_and_names_have_the_same_order() -> None:
    scene = Scene((BOX, Cylinder("can", (0, 0, 1), 0.1, 0.4), BALL))
    assert scene.names == ("ball", "table", "can")
    assert scene.arrays.spheres.tolist() == [[0.4, 0.1, 0.3, 0.06]]
    assert scene.arrays.boxes[0, 12:].tolist() == [0.4, 0.6, 0.025]
    assert scene.arrays.cylinders.tolist() == [[0, 0, 1, 0, 0, 1, 0.1, 0.2]]


def test_an_obstacle_is_immutable() -> None:
    with pytest.raises(AttributeError):
        BOX.name = "chair"  # type: ignore[misc]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Sphere("x", (0, 0, 0), 0), r"^obstacle 'x': radius must be positive, got 0$"),
        (lambda: Sphere("x", (0, 0, np.nan), 1), r"^obstacle 'x': position must be 3 finite numbers$"),
        (lambda: Sphere("x", (0, 0), 1), r"^obstacle 'x': position must be 3 finite numbers$"),  # type: ignore[arg-type]
        (lambda: Box("x", (0, 0, 0), (1, 1, -1)), r"^obstacle 'x': size must be positive, got \(1, 1, -1\)$"),
        (lambda: Box("x", (0, 0, 0), "big"), r"^obstacle 'x': size must be 3 finite numbers$"),  # type: ignore[arg-type]
        (lambda: Cylinder("x", (0, 0, 0), 1, 1, (0, 0, 0, 0)), r"^obstacle 'x': its orientation is a zero quat.*"),
        (lambda: Scene(("table",)), r"^an obstacle is a Sphere, a Box or a Cylinder, got str$"),  # type: ignore[arg-type]
    ],
)
def test_bad_obstacles_are_one_clear_line(make: object, message: str) -> None:
    with pytest.raises(RobotError, match=message):
        make()  # type: ignore[operator]


def test_rotations_agree_with_each_other() -> None:
    rng = np.random.default_rng(0)
    for _ in range(20):
        first, second = rng.normal(size=(2, 4))
        both = rotation_from_quaternion(quaternion_product(first.tolist(), second.tolist()))
        one, other = (rotation_from_quaternion(turn.tolist()) for turn in (first, second))
        np.testing.assert_allclose(one @ other, both, atol=1e-12)
        np.testing.assert_allclose(both @ both.T, np.eye(3), atol=1e-12)
    half = np.sqrt(0.5)
    np.testing.assert_allclose(
        rotation_from_rpy(0, 0, np.pi / 2), rotation_from_quaternion((0, 0, half, half)), atol=1e-12
    )
