"""Robots with meshes, checked by roboplan (on pinocchio and coal); needs `pip install sailplan[robots]`."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sailplan.core.graph import FloatArray
from sailplan.errors import RobotError
from sailplan.files import FilePath, fault_line, file_bytes
from sailplan.robots.model_robot import ModelRobot
from sailplan.robots.robot import (
    RESOLUTION,
    BoolArray,
    as_configurations,
    check_resolution,
    inside_limits,
    joint_space,
    segment_counts,
)
from sailplan.robots.scene import Box, Cylinder, Obstacle, Scene

_WORLD = "universe"
"""The name of the fixed frame in pinocchio."""


@dataclass(frozen=True, eq=False)
class RoboplanRobot(ModelRobot["RoboplanModel"]):
    """A robot with any collision geometry, in a scene; create one with `RoboplanRobot.from_files`.

    All robots that `in_scene` returns share one roboplan scene, whose obstacles are exchanged when another of them
    checks something. Do not use them from several threads. If an edge is not valid, all of its configurations count as
    checked.
    """

    @classmethod
    def from_files(
        cls,
        urdf: FilePath,
        srdf: FilePath,
        *,
        group: str,
        packages: Sequence[FilePath] = (),
        fixed: Mapping[str, float] | None = None,
        resolution: float = RESOLUTION,
    ) -> RoboplanRobot:
        """Read a robot from URDF, SRDF and mesh files.

        Parameters
        ----------
        urdf
            The file with links and joints.
        srdf
            The file with groups of joints and with the pairs of links that need no check.
        group
            The group of joints to plan for.
        packages
            Folders in which `package://` addresses of meshes are looked up.
        fixed
            Values of joints that are not in the group; by default 0, or the limit next to it.
        resolution
            Largest distance between checked configurations of an edge, in radians and metres.

        Returns
        -------
        RoboplanRobot
            The robot, in an empty scene.

        Raises
        ------
        RobotError
            If roboplan is not installed, or a file, a mesh, the group or a joint is missing.
        """
        model = _load(urdf, srdf, group, packages, fixed or {})
        return cls(model, resolution=check_resolution(resolution))

    def valid(self, configurations: ArrayLike) -> BoolArray:
        """Return whether each configuration is inside the limits and free of collisions."""
        rows = as_configurations(self, configurations)
        inside = np.asarray(inside_limits(self, rows).all(axis=1))
        self.counts.configurations += len(rows)
        collides = self.model.in_scene(self.scene).hasCollisions
        free = [bool(good) and not collides(self.model.full(row)) for good, row in zip(inside, rows, strict=True)]
        return np.array(free, bool)

    def edge_valid(self, starts: ArrayLike, ends: ArrayLike, *, endpoints: bool = True) -> BoolArray:
        """Return whether the straight motion from each start to each end is valid, by one call of roboplan for each."""
        from roboplan.core import hasCollisionsAlongPath

        first, last = as_configurations(self, starts), as_configurations(self, ends)
        segments = segment_counts(joint_space(self).difference(first, last), self.resolution)
        inside = np.asarray((inside_limits(self, first) & inside_limits(self, last)).all(axis=1))
        self.counts.edges += len(first)
        self.counts.configurations += int(segments.sum()) + (1 if endpoints else -1) * len(first)
        scene, full = self.model.in_scene(self.scene), self.model.full
        free = [
            bool(good) and not hasCollisionsAlongPath(scene, full(one), full(other), self.resolution, True, endpoints)
            for good, one, other in zip(inside, first, last, strict=True)
        ]
        return np.array(free, bool)

    def collisions(self, configuration: ArrayLike) -> list[tuple[str, str]]:
        """Return which obstacles the robot collides with at a configuration, and whether it collides with itself.

        Parameters
        ----------
        configuration
            One joint value for each joint.

        Returns
        -------
        list of tuple of str
            Pairs of "robot" and the name of an obstacle, or "itself".
        """
        (row,) = as_configurations(self, np.asarray(configuration)[None], "configuration")
        full = self.model.full(row)
        if self.model.in_scene(Scene()).hasCollisions(full):
            return [("robot", "itself")]
        meets = [one for one in self.scene.obstacles if self.model.in_scene(Scene((one,))).hasCollisions(full)]
        return [("robot", one.name) for one in meets]


@dataclass(eq=False)
class RoboplanModel:
    """The joints of a group, and a roboplan scene whose obstacles can be exchanged."""

    engine: Any
    """The `roboplan.core.Scene`."""
    joint_names: tuple[str, ...]
    lower: FloatArray
    upper: FloatArray
    continuous: BoolArray
    columns: NDArray[np.int64]
    """The place of each joint in a full configuration; a continuous joint has a cosine there and a sine behind it."""
    rest: FloatArray
    """A full configuration with the values of all other joints."""
    loaded: Scene = field(default_factory=Scene)
    """The obstacles that are in the engine."""

    def full(self, row: FloatArray) -> FloatArray:
        """Return the configuration of all joints."""
        whole = self.rest.copy()
        whole[self.columns] = np.where(self.continuous, np.cos(row), row)
        turning = self.continuous
        whole[self.columns[turning] + 1] = np.sin(row[turning])
        return whole

    def in_scene(self, scene: Scene) -> Any:
        """Return the engine with the given obstacles in it."""
        if scene is self.loaded:
            return self.engine
        for number in range(len(self.loaded)):
            self.engine.removeGeometry(f"obstacle {number}")
        names = [f"obstacle {number}" for number in range(len(scene))]
        for name, obstacle in zip(names, scene.obstacles, strict=True):
            _add(self.engine, name, obstacle)
        # Obstacles may touch each other, which is no collision of the robot.
        pairs = [(one, other) for place, one in enumerate(names) for other in names[:place]]
        if pairs:
            self.engine.setCollisions(pairs, False)
        self.loaded = scene
        return self.engine


def _load(
    urdf: FilePath, srdf: FilePath, group: str, packages: Sequence[FilePath], fixed: Mapping[str, float]
) -> RoboplanModel:
    try:
        from roboplan import core
    except ImportError as fault:
        raise RobotError("robots with meshes need roboplan: pip install sailplan[robots]") from fault
    semantics = file_bytes(srdf, error=RobotError).decode("utf-8", errors="replace")
    file_bytes(urdf, error=RobotError)
    try:
        engine = core.Scene("sailplan", core.loadUrdfSceneDescription(Path(urdf), [Path(one) for one in packages]))
    except (RuntimeError, ValueError) as fault:
        raise RobotError(f"{urdf}: {fault_line(fault)}") from fault
    try:
        engine.importSrdf(semantics)
        engine.allowAdjacentLinkCollisions()
        names = tuple(engine.getJointGroupInfo(group).joint_names)
    except (RuntimeError, ValueError) as fault:
        raise RobotError(f"{srdf}: {fault_line(fault)}") from fault
    continuous = np.array([engine.getJointInfo(name).type == core.JointType.CONTINUOUS for name in names], bool)
    limits = [_limits(engine, name) for name in names]
    lower = np.where(continuous, -math.pi, [low for low, _ in limits])
    upper = np.where(continuous, math.pi, [high for _, high in limits])
    columns = np.array([engine.getJointPositionIndices([name])[0] for name in names], np.int64)
    rest = _rest(engine, [name for name in engine.getJointNames() if name not in names], fixed, str(urdf))
    return RoboplanModel(engine, names, lower, upper, continuous, columns, rest)


def _limits(engine: Any, name: str) -> tuple[float, float]:
    limits = engine.getJointInfo(name).limits
    return float(limits.min_position[0]), float(limits.max_position[0])


def _rest(engine: Any, others: Sequence[str], fixed: Mapping[str, float], source: str) -> FloatArray:
    """Return a full configuration in which the other joints have their fixed values."""
    for name in fixed:
        if name not in others:
            raise RobotError(f"{source}: no joint {name!r} outside the group")
    whole: FloatArray = np.array(engine.getCurrentJointPositions(), np.float64)
    for name in others:
        value = float(fixed.get(name, np.clip(0.0, *_limits(engine, name))))
        places = engine.getJointPositionIndices([name])
        whole[places] = (math.cos(value), math.sin(value)) if len(places) == 2 else value
    return whole


def _add(engine: Any, name: str, obstacle: Obstacle) -> None:
    from roboplan import core

    pose, colour = np.asfortranarray(obstacle.pose), np.array([0.6, 0.6, 0.6, 1.0])
    if isinstance(obstacle, Box):
        engine.addBoxGeometry(name, _WORLD, core.Box(*obstacle.size), pose, colour)
    elif isinstance(obstacle, Cylinder):
        engine.addCylinderGeometry(name, _WORLD, core.Cylinder(obstacle.radius, obstacle.length), pose, colour)
    else:
        engine.addSphereGeometry(name, _WORLD, core.Sphere(obstacle.radius), pose, colour)
