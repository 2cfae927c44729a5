"""Rigid transforms as 4 x 4 matrices, from the rotations that robot and scene files contain."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sailplan.core.graph import FloatArray


def make_transform(rotation: FloatArray, translation: Sequence[float] | FloatArray) -> FloatArray:
    """Return the 4 x 4 matrix of a rotation and a translation."""
    matrix = np.eye(4)
    matrix[:3, :3] = rotation
    matrix[:3, 3] = translation
    return matrix


def rotation_about(axis: Sequence[float] | FloatArray, angle: float) -> FloatArray:
    """Return the rotation by an angle about a unit axis (the formula of Rodrigues)."""
    x, y, z = axis
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    rotation: FloatArray = np.eye(3) + np.sin(angle) * cross + (1.0 - np.cos(angle)) * (cross @ cross)
    return rotation


def rotation_from_rpy(roll: float, pitch: float, yaw: float) -> FloatArray:
    """Return the rotation of URDF: by roll about x, then pitch about y, then yaw about z, all axes fixed."""
    return rotation_about((0, 0, 1), yaw) @ rotation_about((0, 1, 0), pitch) @ rotation_about((1, 0, 0), roll)


def rotation_from_quaternion(quaternion: Sequence[float]) -> FloatArray:
    """Return the rotation of a quaternion (x, y, z, w), which is normalised first."""
    x, y, z, w = np.asarray(quaternion, np.float64) / np.linalg.norm(quaternion)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )


def quaternion_product(first: Sequence[float], second: Sequence[float]) -> tuple[float, float, float, float]:
    """Return the quaternion (x, y, z, w) of the rotation by `second` followed by the rotation by `first`."""
    a, b, c, d = first
    x, y, z, w = second
    return (
        d * x + a * w + b * z - c * y,
        d * y - a * z + b * w + c * x,
        d * z + a * y - b * x + c * w,
        d * w - a * x - b * y - c * z,
    )
