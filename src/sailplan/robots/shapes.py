"""Surfaces of obstacles and spheres as quadrilaterals, for pictures."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from sailplan.core.graph import FloatArray
from sailplan.robots.scene import Box, Cylinder, Obstacle

_LIGHT = np.array([0.4, -0.5, 0.77])
_TILES = 6
"""Large faces are divided, because faces are sorted by the depth of their middles."""


def sphere_faces(spheres: FloatArray) -> FloatArray:
    """Return the faces of spheres, given as rows of centre and radius: an array of shape (faces, 4, 3)."""
    unit = _unit_sphere()
    faces: FloatArray = spheres[:, None, None, :3] + spheres[:, None, None, 3:] * unit
    return faces.reshape(-1, 4, 3)


def obstacle_faces(obstacle: Obstacle) -> FloatArray:
    """Return the faces of an obstacle: an array of shape (faces, 4, 3)."""
    if isinstance(obstacle, Box):
        local = _unit_box() * obstacle.size
    elif isinstance(obstacle, Cylinder):
        local = _unit_cylinder() * (obstacle.radius, obstacle.radius, obstacle.length)
    else:
        local = _unit_sphere() * obstacle.radius
    faces: FloatArray = local @ obstacle.pose[:3, :3].T + obstacle.pose[:3, 3]
    return faces


def shaded(faces: FloatArray, colour: tuple[float, ...]) -> FloatArray:
    """Return a colour for each face: brighter where it faces the light."""
    normals = np.cross(faces[:, 2] - faces[:, 0], faces[:, 3] - faces[:, 1])
    lengths = np.linalg.norm(normals, axis=1, keepdims=True)
    bright = 0.72 + 0.28 * np.abs(normals / np.where(lengths > 0.0, lengths, 1.0) @ _LIGHT)
    return np.column_stack([np.outer(bright, colour[:3]), np.full(len(faces), colour[3])])


@lru_cache(maxsize=1)
def _unit_sphere() -> FloatArray:
    tilts, angles = np.meshgrid(np.linspace(0.0, np.pi, 7), np.linspace(0.0, 2.0 * np.pi, 11))
    return _grid_faces(np.sin(tilts) * np.cos(angles), np.sin(tilts) * np.sin(angles), np.cos(tilts))


@lru_cache(maxsize=1)
def _unit_cylinder() -> FloatArray:
    around = np.linspace(0.0, 2.0 * np.pi, 17)
    heights, angles = np.meshgrid(np.linspace(-0.5, 0.5, 4), around)
    side = _grid_faces(np.cos(angles), np.sin(angles), heights)
    radii, angles = np.meshgrid([0.0, 1.0], around)
    ends = [_grid_faces(radii * np.cos(angles), radii * np.sin(angles), np.full(radii.shape, z)) for z in (-0.5, 0.5)]
    return np.concatenate([side, *ends])


@lru_cache(maxsize=1)
def _unit_box() -> FloatArray:
    x, y = np.meshgrid(np.linspace(-0.5, 0.5, _TILES + 1), np.linspace(-0.5, 0.5, _TILES + 1))
    faces = [_grid_faces(x, y, np.full(x.shape, z)) for z in (-0.5, 0.5)]
    return np.concatenate([np.roll(face, turn, axis=2) for face in faces for turn in range(3)])


def _grid_faces(x: FloatArray, y: FloatArray, z: FloatArray) -> FloatArray:
    """Return the quadrilaterals between neighbouring points of a grid of points."""
    points = np.stack([x, y, z], axis=-1)
    corners = points[:-1, :-1], points[1:, :-1], points[1:, 1:], points[:-1, 1:]
    return np.stack(corners, axis=2).reshape(-1, 4, 3)
