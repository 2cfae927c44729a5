"""Scenes: the obstacles around a robot, as boxes, cylinders and spheres."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import TypeAlias, TypeVar

import numpy as np

from sailplan.core.graph import FloatArray
from sailplan.errors import RobotError
from sailplan.robots.kernel.collision import SceneArrays
from sailplan.robots.transforms import make_transform, rotation_from_quaternion

Triple: TypeAlias = tuple[float, float, float]
Quaternion: TypeAlias = tuple[float, float, float, float]

_COUNTS = {"position": 3, "size": 3, "orientation": 4, "radius": 1, "length": 1}
UPRIGHT: Quaternion = (0.0, 0.0, 0.0, 1.0)


@dataclass(frozen=True)
class Sphere:
    """A spherical obstacle."""

    name: str
    position: Triple
    """The centre."""
    radius: float

    def __post_init__(self) -> None:
        _normalise(self)

    @property
    def pose(self) -> FloatArray:
        """The 4 x 4 transform from the sphere to the world."""
        return make_transform(np.eye(3), self.position)


@dataclass(frozen=True)
class Box:
    """A cuboid obstacle."""

    name: str
    position: Triple
    """The centre."""
    size: Triple
    """Lengths of the edges along x, y and z of the box."""
    orientation: Quaternion = UPRIGHT
    """As a quaternion (x, y, z, w)."""

    def __post_init__(self) -> None:
        _normalise(self)

    @property
    def pose(self) -> FloatArray:
        """The 4 x 4 transform from the box to the world."""
        return make_transform(rotation_from_quaternion(self.orientation), self.position)


@dataclass(frozen=True)
class Cylinder:
    """A cylindrical obstacle; its axis is z, turned by the orientation."""

    name: str
    position: Triple
    """The centre."""
    radius: float
    length: float
    orientation: Quaternion = UPRIGHT
    """As a quaternion (x, y, z, w)."""

    def __post_init__(self) -> None:
        _normalise(self)

    @property
    def pose(self) -> FloatArray:
        """The 4 x 4 transform from the cylinder to the world."""
        return make_transform(rotation_from_quaternion(self.orientation), self.position)


Obstacle: TypeAlias = Sphere | Box | Cylinder
"""What a scene may contain."""
_Kind = TypeVar("_Kind", Sphere, Box, Cylinder)


@dataclass(frozen=True)
class Scene:
    """The obstacles around a robot, in the frame of its root link.

    Parameters
    ----------
    obstacles
        Boxes, cylinders and spheres. Several may have the same name, for example the parts of one table.

    Raises
    ------
    RobotError
        If something else is given as an obstacle. An obstacle raises it if its size is not positive, or if a number is
        not finite.

    Examples
    --------
    >>> scene = Scene((Box("table", (0.5, 0.0, 0.2), (0.8, 1.2, 0.05)), Sphere("ball", (0.4, 0.1, 0.3), 0.06)))
    >>> len(scene)
    2
    >>> scene.names
    ('ball', 'table')
    """

    obstacles: tuple[Obstacle, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "obstacles", tuple(self.obstacles))
        for one in self.obstacles:
            if not isinstance(one, Sphere | Box | Cylinder):
                raise RobotError(f"an obstacle is a Sphere, a Box or a Cylinder, got {type(one).__name__}")

    def __len__(self) -> int:
        return len(self.obstacles)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of the obstacles in the order of the arrays: spheres, boxes, cylinders."""
        ordered: list[Obstacle] = [*self._of(Sphere), *self._of(Box), *self._of(Cylinder)]
        return tuple(one.name for one in ordered)

    @cached_property
    def digest(self) -> str:
        """A hash of the obstacles, the same for equal scenes in every process."""
        return hashlib.sha256(repr(self.obstacles).encode()).hexdigest()

    @cached_property
    def arrays(self) -> SceneArrays:
        """The obstacles for the compiled checker."""
        spheres = [(*one.position, one.radius) for one in self._of(Sphere)]
        boxes = [(*one.position, *one.pose[:3, :3].T.ravel(), *(0.5 * np.array(one.size))) for one in self._of(Box)]
        cylinders = [(*one.position, *one.pose[:3, 2], one.radius, 0.5 * one.length) for one in self._of(Cylinder)]
        return SceneArrays(_rows(spheres, 4), _rows(boxes, 15), _rows(cylinders, 8))

    def _of(self, kind: type[_Kind]) -> list[_Kind]:
        return [one for one in self.obstacles if isinstance(one, kind)]


def _rows(values: Sequence[Sequence[float]], width: int) -> FloatArray:
    return np.array(values, np.float64).reshape(-1, width)


def _normalise(obstacle: Obstacle) -> None:
    """Make all numbers of a new obstacle floats, so that equal obstacles look the same; raises RobotError."""
    where = f"obstacle {obstacle.name!r}"
    for field in fields(obstacle):
        if field.name == "name":
            continue
        count = _COUNTS[field.name]
        try:
            numbers = tuple(float(one) for one in np.asarray(getattr(obstacle, field.name), np.float64).ravel())
        except (TypeError, ValueError) as fault:
            raise RobotError(f"{where}: {field.name} must be {count} finite numbers") from fault
        if len(numbers) != count or not all(map(math.isfinite, numbers)):
            raise RobotError(f"{where}: {field.name} must be {count} finite numbers")
        if field.name in ("size", "radius", "length") and min(numbers) <= 0.0:
            raise RobotError(f"{where}: {field.name} must be positive, got {getattr(obstacle, field.name)}")
        if field.name == "orientation" and not any(numbers):
            raise RobotError(f"{where}: its orientation is a zero quaternion")
        object.__setattr__(obstacle, field.name, numbers if count > 1 else numbers[0])
