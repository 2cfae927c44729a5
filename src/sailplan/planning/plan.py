"""Plan a path on a map."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from sailplan.core import Limits, Note, Outcome, Policy, StopRule, open_search
from sailplan.core.graph import Problem
from sailplan.core.search import EngineName
from sailplan.datasets.formats.costs import with_costs
from sailplan.datasets.formats.read import as_world
from sailplan.errors import PolicyError, ProblemError, SailplanError
from sailplan.files import FilePath
from sailplan.graphs.grid.checks import Cell, Unknown, as_cell, shown
from sailplan.graphs.grid.clearance import ROUNDING, widest_passage
from sailplan.graphs.grid.graph import GridGraph, Moves, grid_problem
from sailplan.graphs.grid.world import World, corner_cells
from sailplan.planning.result import Plan
from sailplan.policies.catalogue import load_policy

DEFAULT_POLICY = "optimistic"
PLAN_MOVES = Moves(corner_cutting=False)
"""Eight moves; a diagonal needs both cells beside it free, so a path never passes through a one-pixel diagonal wall."""

Point = Sequence[float]
"""A cell (x, y) of integers or, in metres, a point (x, y)."""


def plan(
    map: FilePath | World | ArrayLike,
    start: Point | None = None,
    goal: Point | None = None,
    *,
    policy: str | os.PathLike[str] | Policy | None = None,
    limits: Limits | None = None,
    metres: bool = False,
    robot_radius: float = 0.0,
    unknown: Unknown = "blocked",
    costs: FilePath | ArrayLike | None = None,
    moves: Moves = PLAN_MOVES,
    stop: StopRule | None = None,
    engine: EngineName = "auto",
) -> Plan:
    """Find a path on a map.

    Parameters
    ----------
    map
        A map file (an image, a MovingAI `.map` or a ROS `.yaml`), a `World`, a two-dimensional boolean array in which
        True is free, or a gray image as an array of uint8 in which values above 127 are free. Row 0 of an array is
        the *top* row, as in an image.
    start, goal
        Cells (x, y): x points right, y points up, and (0, 0) is the bottom-left cell. By default the bottom-left and
        the top-right cell.
    policy
        What decides which vertex to expand next: a `Policy`, a name (`sailplan policies` lists them), a model file or
        a run folder. The default is "optimistic", which finds a path with few edge evaluations; "a_star_octile" finds
        a shortest path.
    limits
        When to give up. The default is never.
    metres
        Whether `start`, `goal` and `robot_radius` are in metres, in the frame of the map. The map needs a resolution.
    robot_radius
        Radius of a round robot, in metres if `metres`, else in cells. A cell is blocked if the distance from its
        centre to the centre of a blocked cell is at most this radius. The outside of the map is not an obstacle.
    unknown
        Whether unknown cells of a file or of a gray image count as "free" or as "blocked": gray pixels of the value
        205 in images, cells between the thresholds in ROS maps. A `World` has been read already.
    costs
        Terrain costs, each at least 1: an array (top row first), a `.npy` file, or an image in which white costs 1 and
        black costs 10. A move costs its length times the mean cost of its two cells. The default is 1 everywhere.
    moves
        Which moves are allowed. The default has eight moves and no corner cutting.
    stop
        When the goal counts as found. The default is the rule of the policy.
    engine
        "reference", "compiled", or "auto" for the fastest that can run the search.

    Returns
    -------
    Plan
        Also if no path was found: see `Plan.found`, `Plan.outcome` and `Plan.notes`.

    Raises
    ------
    SailplanError
        If an argument cannot be used. The message is one line. The subclasses are `WorldError` for the map and the
        costs, `ProblemError` for start and goal, and `PolicyError` for the policy.

    Examples
    --------
    >>> import numpy as np
    >>> free = np.array([[True, True, True], [True, False, True]])
    >>> plan(free, start=(0, 0), goal=(2, 0)).cells
    ((0, 0), (0, 1), (1, 1), (2, 1), (2, 0))
    """
    world = as_world(map, unknown=unknown)
    if costs is not None:
        world = with_costs(world, costs)
    if not isinstance(metres, bool):
        raise SailplanError(f"metres must be True or False, got {shown(metres)}")
    if limits is not None and not isinstance(limits, Limits):
        raise SailplanError(f"limits must be given as Limits(...), got {shown(limits)}")
    first, last = corner_cells(world)
    ends = (
        first if start is None else _cell(world, start, "start", metres),
        last if goal is None else _cell(world, goal, "goal", metres),
    )
    robot = _Robot(_checked_radius(robot_radius), metres, grid_problem(world, *ends, moves))
    problem = robot.problem()
    planner, name = _policy(DEFAULT_POLICY if policy is None else policy)
    session = open_search(problem, planner, stop=stop, engine=engine)
    result = session.run(limits or Limits())
    notes = [*_notes_on_unknown_cells(world), *result.notes]
    if result.outcome is Outcome.FRONTIER_EMPTY and robot.radius > 0.0:
        notes.append(Note(world.name, f"a robot radius of {robot} leaves no path; {robot.largest_radius()}"))
    elif result.partial_path:
        ending = (
            f"the partial path of {len(result.partial_path)} cells ends at {problem.states(result.partial_path)[-1]}"
        )
        notes.append(Note(world.name, f"no path within the limits; {ending}"))
    return Plan(problem, result, tuple(notes), planner, name, session.state)


@dataclass(frozen=True)
class _Robot:
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


def _checked_radius(radius: object) -> float:
    if not isinstance(radius, int | float | np.number) or isinstance(radius, bool) or not 0.0 <= radius < math.inf:
        raise SailplanError(f"robot_radius must be a finite number that is not negative, got {shown(radius)}")
    return float(radius)


def _cell(world: World, point: Point, role: str, metres: bool) -> Cell:
    if not metres:
        try:
            return as_cell(point, role)
        except ProblemError as error:
            advice = "; for metres use metres=True" if world.resolution is not None else ""
            raise ProblemError(f"{world.name}: {error}{advice}") from error
    try:
        x, y = point
    except (TypeError, ValueError) as error:
        raise ProblemError(f"{world.name}: the {role} must be a point (x, y), got {shown(point)}") from error
    cell = world.cell_at(x, y)
    if not world.contains(cell):
        size = f"{world.width} x {world.height} cells"
        raise ProblemError(f"{world.name}: the {role} ({x}, {y}) metres is in cell {cell}, outside {size}")
    return cell


def _policy(given: str | os.PathLike[str] | Policy) -> tuple[Policy, str]:
    if isinstance(given, str | os.PathLike):
        return load_policy(os.fspath(given)), os.fspath(given)
    if not callable(getattr(given, "open", None)) or not hasattr(given, "stop"):
        raise PolicyError(f"policy must be a name, a model file, a run folder or a Policy, got {shown(given)}")
    return given, type(given).__name__


def _notes_on_unknown_cells(world: World) -> list[Note]:
    if not world.unknown_cells:
        return []
    share = f"{world.unknown_cells} of {world.width * world.height} cells"
    return [Note(world.name, f"{share} are unknown and count as {world.unknown}")]
