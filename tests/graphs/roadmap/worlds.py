"""A square with a wall across it, as checkers of several kinds."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sailplan.graphs import Roadmap

Floats = NDArray[np.float64]

START, GOAL = (0.1, 0.5), (0.9, 0.5)
RESOLUTION = 0.01


def behind_no_wall(configurations: Floats) -> NDArray[np.bool_]:
    """A wall at x = 0.5 is open above y = 0.8."""
    valid: NDArray[np.bool_] = (abs(configurations[:, 0] - 0.5) > 0.05) | (configurations[:, 1] > 0.8)
    return valid


class Square:
    """A checker of configurations, which counts its calls."""

    def __init__(self) -> None:
        self.calls: list[Floats] = []

    def valid(self, configurations: Floats) -> NDArray[np.bool_]:
        self.calls.append(configurations)
        return behind_no_wall(configurations)


def edge_valid(starts: Floats, ends: Floats) -> NDArray[np.bool_]:
    """Check edges at 101 configurations each, without any bisection."""
    fractions = np.linspace(0.0, 1.0, 101)[:, None, None]
    rows = starts + fractions * (ends - starts)
    return np.array([behind_no_wall(rows[:, at]).all() for at in range(len(starts))], np.bool_)


def square_roadmap(count: int = 120, seed: int = 0) -> Roadmap:
    return Roadmap.sample([0.0, 0.0], [1.0, 1.0], count, seed=seed, names=("x", "y"), robot="point")
