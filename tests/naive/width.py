"""The key of a best-first width search, straight from its definition."""

from __future__ import annotations

import math

from tests.naive.best_first import Key, Place


def novelty_then_distance() -> Key:
    """The key (w, h) of each vertex that enters the open list of one search, in this order."""
    met: list[tuple[Place, float]] = []

    def key(cost: float, here: Place, goal: Place, invalid: list[Place]) -> tuple[int, float]:
        distance = math.sqrt(sum((one - other) * (one - other) for one, other in zip(here, goal, strict=True)))
        new_atoms = [
            axis
            for axis, value in enumerate(here)
            if all(distance < other for place, other in met if place[axis] == value)
        ]
        met.append((here, distance))
        return (1 if new_atoms else 2), distance

    return key
