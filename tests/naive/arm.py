"""Forward kinematics and collisions of a sphere model, one matrix product and one distance at a time."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations

import numpy as np

from sailplan.core.graph import FloatArray
from sailplan.robots import Box, Cylinder, Obstacle, Scene, Sphere
from sailplan.robots.urdf import RobotModel


def joint_values(model: RobotModel, given: Mapping[str, float]) -> dict[str, float]:
    """Return the value of every joint; joints that are not given are 0, or at the limit next to 0."""

    def value(name: str) -> float:
        joint = model.joints[name]
        if joint.mimic:
            return joint.mimic.multiplier * value(joint.mimic.joint) + joint.mimic.offset
        return given.get(name, min(max(0.0, joint.lower), joint.upper))

    return {name: value(name) for name in model.joints}


def link_transforms(model: RobotModel, given: Mapping[str, float]) -> dict[str, FloatArray]:
    """Return the 4 x 4 transform of every link."""
    values = joint_values(model, given)
    transforms = {model.links[0]: np.eye(4)}
    for link in model.links[1:]:
        joint = model.joint_above[link]
        motion = np.eye(4)
        if joint.kind == "prismatic":
            motion[:3, 3] = values[joint.name] * joint.axis
        elif joint.kind != "fixed":
            motion[:3, :3] = _rotation(joint.axis, values[joint.name])
        transforms[link] = transforms[joint.parent] @ joint.origin @ motion
    return transforms


def _rotation(axis: FloatArray, angle: float) -> FloatArray:
    """Rotate by a quaternion, which is another formula than the one under test."""
    w, (x, y, z) = np.cos(angle / 2), np.sin(angle / 2) * axis
    return np.array(
        [
            [w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z],
        ]
    )


def world_spheres(model: RobotModel, given: Mapping[str, float]) -> dict[str, FloatArray]:
    """Return the spheres of every link: rows of centre and radius."""
    transforms = link_transforms(model, given)
    return {
        link: np.array([[*(transforms[link] @ [x, y, z, 1.0])[:3], radius] for x, y, z, radius in rows]).reshape(-1, 4)
        for link, rows in model.spheres.items()
    }


def distance(obstacle: Obstacle, point: FloatArray) -> float:
    """Return the distance of a point to an obstacle, 0 inside of it."""
    if isinstance(obstacle, Sphere):
        return max(float(np.linalg.norm(point - obstacle.position)) - obstacle.radius, 0.0)
    local = np.linalg.inv(obstacle.pose) @ [*point, 1.0]
    if isinstance(obstacle, Box):
        beyond = np.maximum(np.abs(local[:3]) - 0.5 * np.array(obstacle.size), 0.0)
        return float(np.linalg.norm(beyond))
    assert isinstance(obstacle, Cylinder)
    across = max(float(np.hypot(local[0], local[1])) - obstacle.radius, 0.0)
    along = max(abs(float(local[2])) - 0.5 * obstacle.length, 0.0)
    return float(np.hypot(across, along))


def contacts(
    model: RobotModel, scene: Scene, given: Mapping[str, float], unchecked: frozenset[frozenset[str]]
) -> tuple[set[tuple[str, str]], float]:
    """Return the pairs of bodies that collide, and how close to touching the closest call is."""
    spheres = world_spheres(model, given)
    found: set[tuple[str, str]] = set()
    margin = np.inf
    for link, rows in spheres.items():
        for obstacle in scene.obstacles:
            gaps = [distance(obstacle, row[:3]) - row[3] for row in rows]
            margin = min([margin, *map(abs, gaps)])
            found |= {(link, obstacle.name)} if min(gaps, default=1.0) <= 0.0 else set()
    for one, other in combinations([link for link in model.links if len(spheres[link])], 2):
        if frozenset((one, other)) in unchecked:
            continue
        gaps = [np.linalg.norm(a[:3] - b[:3]) - a[3] - b[3] for a in spheres[one] for b in spheres[other]]
        margin = min([margin, *map(abs, gaps)])
        found |= {(one, other)} if min(gaps) <= 0.0 else set()
    return found, float(margin)
