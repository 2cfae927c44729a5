"""Clearance: the exact Euclidean distance of every voxel to the nearest blocked one, in voxels.

Distances are measured between the centres of voxels. The outside of the volume is not an obstacle.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from sailplan.graphs.grid.clearance import NO_OBSTACLE, ROUNDING
from sailplan.graphs.voxels.kernel.clearance import measure_lines


def squared_clearance(blocked: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return the squared distance of each voxel to the nearest blocked one, as exact integers.

    One pass along each axis, each linear in the number of voxels. NO_OBSTACLE if nothing is blocked.
    """
    if not blocked.any():
        return np.full(blocked.shape, NO_OBSTACLE)
    # Larger than every distance in the volume.
    far = 1 + sum(size**2 for size in blocked.shape)
    squares = np.where(blocked, np.int64(0), np.int64(far))
    for axis in range(3):
        lines = np.ascontiguousarray(np.moveaxis(squares, axis, 2))
        length = lines.shape[2]
        measured = np.empty_like(lines)
        scratch = np.empty((2, length), np.int64)
        measure_lines(lines.reshape(-1, length), measured.reshape(-1, length), scratch[0], scratch[1])
        squares = np.moveaxis(measured, 2, axis)
    return np.ascontiguousarray(squares)


def inflate(blocked: NDArray[np.bool_], radius: float) -> NDArray[np.bool_]:
    """Block every voxel whose distance to a blocked voxel is at most `radius` voxels."""
    # No voxel is farther away. The square of a huge radius would overflow, or block voxels without any obstacle.
    radius = min(radius, math.hypot(*(size - 1 for size in blocked.shape)))
    inflated: NDArray[np.bool_] = squared_clearance(blocked) <= (radius * (1.0 + ROUNDING)) ** 2
    return inflated
