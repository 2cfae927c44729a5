"""Round robots: maps inflated by a radius, and the largest radius that has a path."""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass

from sailplan.core.graph import Problem, as_real
from sailplan.errors import ProblemError, SailplanError
from sailplan.graphs.grid.checks import shown
from sailplan.graphs.grid.clearance import ROUNDING, widest_passage
from sailplan.graphs.grid.graph import GridGraph, grid_problem
from sailplan.graphs.grid.world import Cell


@dataclass(frozen=True)
class RoundRobot:
    """A round robot that plans on a map."""

    radius: float
    """In metres or cells."""
    metres: bool
    point_problem: Problem
    """The problem of a robot without extent."""

    @property
    def _graph(self) -> GridGraph:
        assert isinstance(self.point_problem.graph, GridGraph)
        return self.point_problem.graph

    @property
    def _ends(self) -> tuple[Cell, Cell]:
        return self._graph.cell(self.point_problem.start), self._graph.cell(self.point_problem.goal)

    @property
    def _unit(self) -> float:
        return (self._graph.world.resolution or 1.0) if self.metres else 1.0

    def problem(self) -> Problem:
        """The problem on the inflated map; raises ProblemError if the radius blocks the start or the goal."""
        if self.radius == 0.0:
            return self.point_problem
        world = self._graph.world.inflated(self.radius / self._unit)
        start, goal = self._ends
        for role, cell in (("start", start), ("goal", goal)):
            if not world.is_free(cell):
                blocks = f"a robot radius of {self} blocks the {role} {cell}"
                raise ProblemError(f"{world.name}: {blocks}; {self.largest_radius()}")
        return grid_problem(world, start, goal, self._graph.moves)

    def largest_radius(self) -> str:
        """Name the largest radius that has a path, rounded down to a thousandth of a cell."""
        blocked, moves = self._graph.world.blocked, self._graph.moves
        widest = widest_passage(blocked, *self._ends, diagonal=moves.diagonal, corner_cutting=moves.corner_cutting)
        if widest == 0.0:
            return "there is no path even without a radius"
        # A path exists for every radius below the widest passage, but not for that radius itself.
        thousandths = math.ceil(widest * (1.0 - 2.0 * ROUNDING) * 1000.0) - 1
        return f"the largest radius that has a path is {self._text(thousandths / 1000.0)}"

    def __str__(self) -> str:
        return self._text(self.radius / self._unit)

    def _text(self, cells: float) -> str:
        return f"{cells * self._unit:.9g} {'metres' if self.metres else 'cells'}"


_LARGEST = sys.float_info.max
"""An integer may be larger."""


def checked_radius(radius: object) -> float:
    """Return a radius as a float; raise SailplanError if it is not finite or negative."""
    number = as_real(radius)
    if isinstance(radius, bool) or not 0.0 <= number <= _LARGEST:
        raise SailplanError(f"robot_radius must be a finite number that is not negative, got {shown(radius)}")
    return float(number)
