"""Lattices the slow way: overlaps by clipping polygons, motions by dense samples, successors from the primitives."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

from sailplan.datasets import World
from sailplan.graphs import MotionPrimitive, MotionPrimitives

Point = tuple[float, float]


def placed(corners: Sequence[Point], pose: Sequence[float]) -> list[Point]:
    """Return the corners of a footprint at a pose."""
    x, y, heading = pose
    cosine, sine = math.cos(heading), math.sin(heading)
    return [(x + cosine * a - sine * b, y + sine * a + cosine * b) for a, b in corners]


def overlap(polygon: Sequence[Point], centre: Point, side: float) -> float:
    """Return the area that a polygon shares with a square, by clipping at each side (Sutherland and Hodgman)."""
    rest = list(polygon)
    for axis in (0, 1):
        for sign in (1.0, -1.0):
            limit = sign * centre[axis] + 0.5 * side
            rest = _clip(rest, axis, sign, limit)
    return abs(sum(a[0] * b[1] - a[1] * b[0] for a, b in zip(rest, [*rest[1:], *rest[:1]], strict=True))) / 2.0


def _clip(polygon: list[Point], axis: int, sign: float, limit: float) -> list[Point]:
    kept: list[Point] = []
    for one, other in zip(polygon, [*polygon[1:], *polygon[:1]], strict=True):
        here, there = limit - sign * one[axis], limit - sign * other[axis]
        if here >= 0.0:
            kept.append(one)
        if (here > 0.0 > there) or (here < 0.0 < there):
            share = here / (here - there)
            kept.append((one[0] + share * (other[0] - one[0]), one[1] + share * (other[1] - one[1])))
    return kept


def covered_cells(
    corners: Sequence[Point], pose: Sequence[float], resolution: float, enlarged: float = 1.0
) -> dict[tuple[int, int], float]:
    """Return the cells, enlarged around their centres by a factor, that a footprint shares an area with."""
    polygon = placed(corners, pose)
    columns, rows = ([round(point[axis] / resolution) for point in polygon] for axis in (0, 1))
    areas = {
        (x, y): overlap(polygon, (x * resolution, y * resolution), enlarged * resolution)
        for x in range(min(columns) - 1, max(columns) + 2)
        for y in range(min(rows) - 1, max(rows) + 2)
    }
    return {cell: area for cell, area in areas.items() if area > 0.0}


def dense_poses(primitive: MotionPrimitive, most: float) -> list[tuple[float, float, float]]:
    """Return poses along a primitive that are at most this many metres, and radians, apart."""
    rows = [tuple(pose) for pose in primitive.poses.tolist()]
    found = [rows[0]]
    for (x, y, angle), (to_x, to_y, to_angle) in pairwise(rows):
        turn = math.remainder(to_angle - angle, 2.0 * math.pi)
        count = max(1, math.ceil(max(math.hypot(to_x - x, to_y - y), abs(turn)) / most))
        shares = [number / count for number in range(1, count + 1)]
        found += [(x + share * (to_x - x), y + share * (to_y - y), angle + share * turn) for share in shares]
    return found


def swept_cells(
    corners: Sequence[Point], primitive: MotionPrimitive, resolution: float, most: float, enlarged: float = 1.0
) -> dict[tuple[int, int], float]:
    """Return the cells that a footprint overlaps along a primitive, and the largest area of each overlap."""
    areas: dict[tuple[int, int], float] = {}
    for pose in dense_poses(primitive, most):
        for cell, area in covered_cells(corners, pose, resolution, enlarged).items():
            areas[cell] = max(area, areas.get(cell, 0.0))
    return areas


def is_free(world: World, cell: tuple[int, int], offset: tuple[int, int]) -> bool:
    """Return whether the cell at an offset is inside of the world and free."""
    return world.is_free((cell[0] + offset[0], cell[1] + offset[1]))


def successors(
    world: World, primitives: MotionPrimitives, cell: tuple[int, int], heading: int
) -> dict[tuple[int, int, int], float]:
    """Return the poses (x, y, heading) that primitives lead to, and the cost of the cheapest to each."""
    found: dict[tuple[int, int, int], float] = {}
    for one in primitives.primitives:
        target = cell[0] + one.offset[0], cell[1] + one.offset[1]
        if one.start == heading and world.contains(target):
            key = (*target, one.end)
            found[key] = min(one.cost, found.get(key, math.inf))
    return found
