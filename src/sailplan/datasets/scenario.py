"""A scenario: one planning task as a benchmark file lists it."""

from __future__ import annotations

import math
from dataclasses import dataclass

from sailplan.graphs.grid.world import Cell, World


@dataclass(frozen=True, eq=False)
class Scenario:
    """A start and a goal in a world, and the cost that the benchmark lists between them."""

    world: World
    """The world, shared by all the scenarios of one map."""
    start: Cell
    """A free cell."""
    goal: Cell
    """A free cell."""
    listed_cost: float | None = None
    """Cost of a shortest path as the file has it; it holds under the two rules below and no others."""
    corner_cutting: bool = True
    """Whether a diagonal move needs only its target free, or both cells beside it as well."""
    diagonal_cost: float = math.sqrt(2)
    """Cost of a diagonal move, where a straight one costs 1."""
