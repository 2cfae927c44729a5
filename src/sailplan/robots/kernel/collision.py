"""Collisions of a sphere model with the obstacles of a scene and with itself."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from sailplan.core.kernel.compile import inlined, kernel, piece
from sailplan.robots.kernel.pose import place

LIMIT_TOLERANCE = 1e-4
"""A configuration may exceed a joint limit by this amount, because files of configurations are rounded."""


class SceneArrays(NamedTuple):
    """The obstacles of a scene; they are numbered in this order."""

    spheres: np.ndarray
    """Rows of centre and radius."""
    boxes: np.ndarray
    """Rows of centre, rotation from the world to the box (by rows) and half edges."""
    cylinders: np.ndarray
    """Rows of centre, unit axis, radius and half length."""


@inlined
def _meets_sphere(spheres, one, x, y, z, radius):
    reach = radius + spheres[one, 3]
    return (x - spheres[one, 0]) ** 2 + (y - spheres[one, 1]) ** 2 + (z - spheres[one, 2]) ** 2 <= reach * reach


@inlined
def _meets_box(boxes, one, x, y, z, radius):
    x, y, z = x - boxes[one, 0], y - boxes[one, 1], z - boxes[one, 2]
    squared = 0.0
    for axis in range(3):
        along = boxes[one, 3 + 3 * axis] * x + boxes[one, 4 + 3 * axis] * y + boxes[one, 5 + 3 * axis] * z
        outside = abs(along) - boxes[one, 12 + axis]
        if outside > 0.0:
            squared += outside * outside
    return squared <= radius * radius


@inlined
def _meets_cylinder(cylinders, one, x, y, z, radius):
    x, y, z = x - cylinders[one, 0], y - cylinders[one, 1], z - cylinders[one, 2]
    u, v, w = cylinders[one, 3], cylinders[one, 4], cylinders[one, 5]
    along = x * u + y * v + z * w
    across = math.sqrt((x - along * u) ** 2 + (y - along * v) ** 2 + (z - along * w) ** 2)
    beside = max(across - cylinders[one, 6], 0.0)
    beyond = max(abs(along) - cylinders[one, 7], 0.0)
    return beside * beside + beyond * beyond <= radius * radius


@inlined
def _meets(scene, obstacle, x, y, z, radius):
    """Return whether a sphere meets an obstacle; touching is meeting."""
    if obstacle < len(scene.spheres):
        return _meets_sphere(scene.spheres, obstacle, x, y, z, radius)
    obstacle -= len(scene.spheres)
    if obstacle < len(scene.boxes):
        return _meets_box(scene.boxes, obstacle, x, y, z, radius)
    return _meets_cylinder(scene.cylinders, obstacle - len(scene.boxes), x, y, z, radius)


@inlined
def _link_meets(arm, scene, pose, link, obstacle):
    """Return whether a link meets an obstacle of the scene."""
    x, y, z = pose.bounds[link, 0], pose.bounds[link, 1], pose.bounds[link, 2]
    if not _meets(scene, obstacle, x, y, z, arm.bounds[link, 3]):
        return False
    for sphere in range(arm.first[link], arm.first[link + 1]):
        x, y, z = pose.spheres[sphere, 0], pose.spheres[sphere, 1], pose.spheres[sphere, 2]
        if _meets(scene, obstacle, x, y, z, arm.spheres[sphere, 3]):
            return True
    return False


@inlined
def _near(centres, radii, one, other):
    reach = radii[one, 3] + radii[other, 3]
    x, y, z = (
        centres[one, 0] - centres[other, 0],
        centres[one, 1] - centres[other, 1],
        centres[one, 2] - centres[other, 2],
    )
    return x * x + y * y + z * z <= reach * reach


@inlined
def _links_meet(arm, pose, one, other):
    """Return whether two links of the robot meet."""
    if not _near(pose.bounds, arm.bounds, one, other):
        return False
    for sphere in range(arm.first[one], arm.first[one + 1]):
        for against in range(arm.first[other], arm.first[other + 1]):
            if _near(pose.spheres, arm.spheres, sphere, against):
                return True
    return False


@piece
def is_valid(arm, scene, pose, configuration):
    """Return whether a configuration is inside the joint limits and free of collisions."""
    for joint in range(len(arm.lower)):
        value = configuration[joint]
        if not arm.lower[joint] - LIMIT_TOLERANCE <= value <= arm.upper[joint] + LIMIT_TOLERANCE:
            return False
    place(arm, configuration, pose)
    obstacles = len(scene.spheres) + len(scene.boxes) + len(scene.cylinders)
    for link in range(len(arm.link_frames)):
        for obstacle in range(obstacles):
            if _link_meets(arm, scene, pose, link, obstacle):
                return False
    for pair in range(len(arm.pairs)):
        if _links_meet(arm, pose, arm.pairs[pair, 0], arm.pairs[pair, 1]):
            return False
    return True


@kernel
def check_configurations(arm, scene, pose, configurations, valid):
    """Check configurations, one row each."""
    for row in range(len(configurations)):
        valid[row] = is_valid(arm, scene, pose, configurations[row])


@kernel
def list_contacts(arm, scene, pose, configuration, with_obstacles, with_links):
    """Mark the pairs (link, obstacle) and the pairs of links that meet at a configuration."""
    place(arm, configuration, pose)
    for link in range(with_obstacles.shape[0]):
        for obstacle in range(with_obstacles.shape[1]):
            with_obstacles[link, obstacle] = _link_meets(arm, scene, pose, link, obstacle)
    for pair in range(len(arm.pairs)):
        with_links[pair] = _links_meet(arm, pose, arm.pairs[pair, 0], arm.pairs[pair, 1])
