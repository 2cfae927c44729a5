"""Forward kinematics of a sphere model.

A frame is a moving joint, or the world (frame 0). A transform is twelve numbers: the rotation by rows, then the
translation. Links without spheres are not stored.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from sailplan.core.kernel.compile import inlined, kernel, piece


class ArmArrays(NamedTuple):
    """A robot: frames (parents first), the spheres of each link, and the pairs of links that may collide."""

    parents: np.ndarray
    """The parent of each frame; frame 0 is the world."""
    offsets: np.ndarray
    """Transforms from the parent frame to the frame at joint value 0, shape (frames, 12)."""
    axes: np.ndarray
    """Unit axes of the joints, in the frame, shape (frames, 3)."""
    prismatic: np.ndarray
    """Whether the joint of a frame translates."""
    inputs: np.ndarray
    """The column of a configuration that moves each frame."""
    scales: np.ndarray
    """The value of the joint is scale times the column plus shift (mimic joints; 1 and 0 for others)."""
    shifts: np.ndarray
    spheres: np.ndarray
    """Rows of centre, in the frame of its link, and radius; sorted by link."""
    first: np.ndarray
    """The spheres of link i are first[i] .. first[i + 1] - 1."""
    link_frames: np.ndarray
    """The frame that each link moves with."""
    bounds: np.ndarray
    """A sphere around all spheres of each link, like `spheres`."""
    pairs: np.ndarray
    """Pairs of links that are checked for collision with each other."""
    lower: np.ndarray
    """Joint limits; infinite for continuous joints."""
    upper: np.ndarray


class PoseArrays(NamedTuple):
    """Scratch: where everything is at one configuration."""

    frames: np.ndarray
    """Transforms of the frames, shape (frames, 12)."""
    spheres: np.ndarray
    """Centres of the spheres in the world, shape (spheres, 3)."""
    bounds: np.ndarray
    """Centres of the bounding spheres in the world, shape (links, 3)."""


@inlined
def _map_point(transforms, frame, points, point, results):
    """Transform the first three numbers of row `point` of `points`."""
    x, y, z = points[point, 0], points[point, 1], points[point, 2]
    for row in range(3):
        results[point, row] = (
            transforms[frame, 3 * row] * x
            + transforms[frame, 3 * row + 1] * y
            + transforms[frame, 3 * row + 2] * z
            + transforms[frame, 9 + row]
        )


@inlined
def _turn(x, y, z, value):
    """Return the rotation about an axis, by rows (the formula of Rodrigues)."""
    s, c = math.sin(value), math.cos(value)
    d = 1.0 - c
    return (
        c + d * x * x, d * x * y - s * z, d * x * z + s * y,
        d * x * y + s * z, c + d * y * y, d * y * z - s * x,
        d * x * z - s * y, d * y * z + s * x, c + d * z * z,
    )  # fmt: skip


@inlined
def _place_frame(arm, configuration, frames, frame):
    """Compute the transform of a frame from that of its parent."""
    parent = arm.parents[frame]
    offset = arm.offsets[frame]
    value = arm.scales[frame] * configuration[arm.inputs[frame]] + arm.shifts[frame]
    x, y, z = arm.axes[frame, 0], arm.axes[frame, 1], arm.axes[frame, 2]
    slide = value if arm.prismatic[frame] else 0.0
    turn = _turn(x, y, z, 0.0 if arm.prismatic[frame] else value)
    for row in range(3):
        # One row of the parent's rotation times the offset, then times the motion of the joint.
        p, q, r = frames[parent, 3 * row], frames[parent, 3 * row + 1], frames[parent, 3 * row + 2]
        a = p * offset[0] + q * offset[3] + r * offset[6]
        b = p * offset[1] + q * offset[4] + r * offset[7]
        c = p * offset[2] + q * offset[5] + r * offset[8]
        shift = p * offset[9] + q * offset[10] + r * offset[11] + slide * (a * x + b * y + c * z)
        frames[frame, 9 + row] = frames[parent, 9 + row] + shift
        frames[frame, 3 * row] = a * turn[0] + b * turn[3] + c * turn[6]
        frames[frame, 3 * row + 1] = a * turn[1] + b * turn[4] + c * turn[7]
        frames[frame, 3 * row + 2] = a * turn[2] + b * turn[5] + c * turn[8]


@piece
def place(arm, configuration, pose):
    """Compute the transforms of all frames and the centres of all spheres; `pose.frames[0]` is set already."""
    for frame in range(1, len(arm.parents)):
        _place_frame(arm, configuration, pose.frames, frame)
    for link in range(len(arm.link_frames)):
        frame = arm.link_frames[link]
        _map_point(pose.frames, frame, arm.bounds, link, pose.bounds)
        for sphere in range(arm.first[link], arm.first[link + 1]):
            _map_point(pose.frames, frame, arm.spheres, sphere, pose.spheres)


@kernel
def place_robot(arm, pose, configuration):
    """Compute where frames and spheres are at a configuration."""
    place(arm, configuration, pose)
