"""Slow twins of the parts of roadmaps: nearest neighbours, pairs within a radius, components."""

from __future__ import annotations

import math
from collections.abc import Sequence

Point = Sequence[float]


def distance(one: Point, other: Point, weights: Sequence[float], periods: Sequence[float]) -> float:
    """The weighted distance; a dimension with a finite period wraps."""
    total = 0.0
    for a, b, weight, period in zip(one, other, weights, periods, strict=True):
        offset = min(abs(a - b), abs(abs(a - b) - period))
        total += (weight * offset) ** 2
    return math.sqrt(total)


def nearest(points: Sequence[Point], query: Point, weights: Sequence[float], periods: Sequence[float]) -> list[int]:
    """All points from the nearest to the farthest."""
    return sorted(range(len(points)), key=lambda at: (distance(points[at], query, weights, periods), at))


def components(vertex_count: int, edges: Sequence[tuple[int, int]]) -> list[int]:
    """The smallest vertex that each vertex is joined to."""
    labels = list(range(vertex_count))
    for _ in range(vertex_count):
        for one, other in edges:
            labels[one] = labels[other] = min(labels[one], labels[other])
    return labels
