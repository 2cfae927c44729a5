"""Where searches start and end: between the corners, or between random cells."""

from __future__ import annotations

from typing import Literal

import numpy as np

from sailplan.datasets.kernel import connected
from sailplan.graphs.grid.world import Cell, World, corner_cells

Endpoints = Literal["corners", "random"]

MAX_DRAWS = 1000
"""How many pairs of cells are drawn before a world is given up."""
LEAST_DISTANCE = 0.5
"""Of start and goal, as a share of the longer side, so that there is something to search."""


def random_cells(world: World, rng: np.random.Generator) -> tuple[Cell, Cell]:
    """Two free cells joined by a path, uniform among those far enough apart; the corners where none are found."""
    rows, columns = np.nonzero(~world.blocked)
    for _ in range(MAX_DRAWS if len(rows) else 0):
        drawn = rng.integers(len(rows), size=2)
        (x, to_x), (y, to_y) = columns[drawn].tolist(), rows[drawn].tolist()
        far = (x - to_x) ** 2 + (y - to_y) ** 2 >= (LEAST_DISTANCE * max(world.width, world.height)) ** 2
        if far and connected(world.blocked, x, y, to_x, to_y):
            return (x, y), (to_x, to_y)
    return corner_cells(world)
