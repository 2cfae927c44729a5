"""Grids of any size as a fixed number of pixels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sailplan.core.graph import Problem
from sailplan.graphs.grid.graph import GridGraph
from sailplan.graphs.grid.world import World
from sailplan.policies.replanning.beliefs.kernel.pixels import pool

Floats = NDArray[np.float32]
PIXELS = 67
"""Number of pixels of a grid in each direction: 3 x 3 cells each on the maps of the paper."""


def world_of(problem: Problem) -> World:
    """Return the world of a problem on a grid."""
    graph = problem.graph
    assert isinstance(graph, GridGraph)
    return graph.world


def blocked_shares(world: World) -> Floats:
    """Return the share of blocked cells of each pixel, shape (PIXELS, PIXELS).

    All grids have the same number of pixels, so that what is learned on maps of one size applies to any other, and the
    time that a prediction takes does not depend on the size. A grid of fewer cells than pixels has cells in several
    pixels.

    Examples
    --------
    >>> from sailplan.testing import draw_world
    >>> blocked_shares(draw_world(".#")).mean(axis=0)[[0, -1]]
    array([0., 1.], dtype=float32)
    """
    shares = np.empty((PIXELS, PIXELS), np.float32)
    pool(world.blocked, shares)
    return shares


@dataclass(frozen=True)
class PixelFrame:
    """Start and goal of problems, relative to the size of the map."""

    start: tuple[float, float]
    """The centre of the start cell: x and y, from 0 to 1."""
    goal: tuple[float, float]
    """The centre of the goal cell."""

    @classmethod
    def of(cls, problem: Problem) -> PixelFrame:
        """Return the frame of a problem on a grid."""
        world, graph = world_of(problem), problem.graph
        assert isinstance(graph, GridGraph)
        cells = graph.cell(problem.start), graph.cell(problem.goal)
        start, goal = (((x + 0.5) / world.width, (y + 0.5) / world.height) for x, y in cells)
        return cls(start, goal)

    @classmethod
    def shared(cls, problems: Sequence[Problem]) -> PixelFrame | None:
        """Return the frame that fits all problems; None if there is none."""
        frame = cls.of(problems[0])
        return frame if all(frame.fits(problem) for problem in problems) else None

    @classmethod
    def build(cls, numbers: Sequence[Any] | None) -> PixelFrame | None:
        """Create a frame from the four numbers in a model file; None if there are none."""
        if numbers is None:
            return None
        x, y, goal_x, goal_y = (float(number) for number in numbers)
        return cls((x, y), (goal_x, goal_y))

    def fits(self, problem: Problem) -> bool:
        """Return whether start and goal of a problem are within two pixels of those of the frame."""
        other = PixelFrame.of(problem)
        pairs = zip((*self.start, *self.goal), (*other.start, *other.goal), strict=True)
        # Exactly two pixels fit, wherever they are: differences are rounded.
        return all(abs(one - two) <= 2.0 / PIXELS + 1e-9 for one, two in pairs)
