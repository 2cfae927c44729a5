"""Plan a path on a map: `plan`, and the `Plan` that it returns."""

from __future__ import annotations

import base64
import html
import io
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from PIL import Image

from sailplan.core import Limits, Note, Outcome, Policy, Search, SearchResult, SearchState, StopRule, open_search
from sailplan.core.anytime import Solution, improve_search
from sailplan.core.graph import Problem
from sailplan.core.search import EngineName
from sailplan.datasets.formats.costs import with_costs
from sailplan.datasets.formats.read import as_world
from sailplan.errors import PolicyError, ProblemError, SailplanError
from sailplan.files import FilePath, write_csv
from sailplan.graphs.grid.checks import shown
from sailplan.graphs.grid.graph import GridGraph, Moves, grid_problem
from sailplan.graphs.grid.world import Cell, Unknown, World, as_cell, corner_cells
from sailplan.planning.robot import RoundRobot, checked_radius
from sailplan.policies.catalogue import load_policy

DEFAULT_POLICY = "lazy"
PLAN_MOVES = Moves(corner_cutting=False)
"""Eight moves; a diagonal needs both cells beside it free, so a path never passes through a one-pixel diagonal wall."""

FRAMES = 60
"""Number of steps that an animation shows a search in."""

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
    bound: float | None = None,
    on_solution: Callable[[Solution], None] | None = None,
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
        What decides which vertex to expand or edge to evaluate next: a `Policy`, a name (`sailplan policies` lists
        them), a model file or a run folder. The default is "lazy", which finds a path with few edge evaluations;
        "lazy:1" and "a_star_octile" find a shortest path.
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
    bound
        The path costs at most this many times the optimum, for a policy that can prove it, such as the default. By
        default the bound of the policy, which for "lazy" is infinite.
    on_solution
        If given, the search improves its path until the limits or the bound (1 by default) are reached, and calls this
        function with each `Solution`; see `sailplan.improve`. The plan has the last one.
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
    try:
        problem = grid_problem(world, *ends, moves)
    except ProblemError as error:
        raise ProblemError(f"{error}{_advice(world, start, goal, metres)}") from error
    radius = robot_radius if type(robot_radius) is float and robot_radius == 0.0 else checked_radius(robot_radius)
    robot = RoundRobot(radius, metres, problem) if radius > 0.0 else None
    if robot:
        problem = robot.problem()
    planner, name = as_policy(DEFAULT_POLICY if policy is None else policy)
    within = _with_bound(limits or Limits(), bound)
    session = open_search(problem, planner, stop=stop, engine=engine, seconds=within.seconds)
    result, solutions = _run(session, within, on_solution)
    notes = [*_notes_on_unknown_cells(world), *result.notes]
    if result.outcome is Outcome.FRONTIER_EMPTY and robot:
        notes.append(Note(world.name, f"a robot radius of {robot} leaves no path; {robot.largest_radius()}"))
    elif result.partial_path:
        ending = (
            f"the partial path of {len(result.partial_path)} cells ends at {problem.states(result.partial_path)[-1]}"
        )
        notes.append(Note(world.name, f"no path within the limits; {ending}"))
    return Plan(problem, result, tuple(notes), planner, name, session.state, solutions)


def _with_bound(limits: Limits, bound: float | None) -> Limits:
    return limits if bound is None else replace(limits, bound=bound)


def _run(
    session: Search, limits: Limits, on_solution: Callable[[Solution], None] | None
) -> tuple[SearchResult, tuple[Solution, ...] | None]:
    """Search once, or until the path is optimal or a limit is reached; then return all solutions too."""
    if on_solution is None:
        return session.run(limits), None
    solutions = []
    for solution in improve_search(session, limits):
        on_solution(solution)
        solutions.append(solution)
    result = solutions[-1].result if solutions else session.run(replace(limits, bound=None))
    return result, tuple(solutions)


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


def _advice(world: World, start: Point | None, goal: Point | None, metres: bool) -> str:
    """What else to know about a start or goal that cannot be used."""
    advice = f"; start {shown(start)} and goal {shown(goal)} were given in metres" if metres else ""
    if world.unknown_cells and world.unknown == "blocked":
        advice += f"; {world.unknown_cells} cells are unknown and count as blocked, see the option unknown"
    return advice


def as_policy(given: str | os.PathLike[str] | Policy) -> tuple[Policy, str]:
    """Return a policy and its name, given it, or its name or file; raises PolicyError for anything else."""
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


@dataclass(frozen=True, eq=False, repr=False)
class Plan:
    """A path on a map, or the reason why there is none, and what the search did.

    A notebook shows it as a picture with its figures.

    Examples
    --------
    >>> import sailplan
    >>> found = sailplan.plan(np.ones((2, 3), bool), policy="a_star_octile")
    >>> found
    Plan(map: goal_expanded, 3 cells, cost 2.41, 3 expansions)
    >>> found.cells
    ((0, 0), (1, 0), (2, 1))
    >>> found.array.tolist()
    [[0, 0], [1, 0], [2, 1]]
    """

    problem: Problem
    """The problem that was searched; its graph is a `GridGraph`, on the map after inflation by the robot radius."""
    result: SearchResult
    """The result of the search, with all its counters and its trace."""
    notes: tuple[Note, ...]
    """Remarks, for example how many cells are unknown or why there is no path."""
    policy: Policy
    """The policy that searched."""
    policy_name: str
    """Its name, for captions."""
    state: SearchState
    """What the search had uncovered at its end."""
    solutions: tuple[Solution, ...] | None = None
    """The solutions of an anytime search, the last of which is the result; None for another search."""

    @property
    def found(self) -> bool:
        """Whether there is a path."""
        return self.result.found

    @property
    def outcome(self) -> Outcome:
        """Why the search stopped."""
        return self.result.outcome

    @property
    def cost(self) -> float:
        """Cost of the path, in cells; infinite if there is none."""
        return self.result.cost

    @property
    def bound(self) -> float:
        """The cost is proven to be at most this many times the optimum; infinite if nothing is proven."""
        return self.result.bound

    @property
    def evaluations(self) -> int:
        """Number of edges that were evaluated."""
        return self.result.edge_evaluations

    @property
    def expansions(self) -> int:
        """Number of vertices that were expanded."""
        return self.result.expansions

    @cached_property
    def cells(self) -> tuple[Cell, ...]:
        """The cells (x, y) from start to goal; empty if no path was found."""
        return tuple(self.problem.states(self.result.path))

    @cached_property
    def partial(self) -> tuple[Cell, ...]:
        """If a limit ended the search: the cells of the path that came closest to the goal; otherwise empty."""
        return tuple(self.problem.states(self.result.partial_path))

    @property
    def array(self) -> NDArray[np.int64]:
        """The cells as an array of shape (cells, 2)."""
        return np.array(self.cells, np.int64).reshape(-1, 2)

    @property
    def metres(self) -> NDArray[np.float64]:
        """The centres of the cells in the frame of the map, in metres, as an array of shape (cells, 2).

        Raises
        ------
        WorldError
            If the map has no resolution.
        """
        in_metres = self.world.in_metres
        in_metres((0, 0))
        return np.array([in_metres(cell) for cell in self.cells]).reshape(-1, 2)

    @property
    def world(self) -> World:
        """The map that was searched, after inflation by the robot radius."""
        assert isinstance(self.problem.graph, GridGraph)
        return self.problem.graph.world

    def describe(self) -> dict[str, Any]:
        """Return the facts of the plan for JSON: what `sailplan plan --json` prints. Their names are stable.

        The path is listed in cells and, if the map has a resolution, in metres. Infinite numbers are None. The
        solutions of an anytime search are listed without their paths.
        """
        facts: dict[str, Any] = {
            "map": self.problem.name,
            "policy": self.policy_name,
            **self.result.describe(),
            "note": "; ".join(map(str, self.notes)) or None,
            "path": self.cells,
            "partial_path": self.partial,
        }
        if self.world.resolution is not None:
            facts["path_metres"] = self.metres.tolist()
        if self.solutions is not None:
            facts["solutions"] = [solution.describe() for solution in self.solutions]
        return facts

    def to_csv(self, path: FilePath) -> None:
        """Write the path as CSV with the columns x and y and, if the map has a resolution, x_metres and y_metres.

        If no path was found the file has a header only; a partial path is not written.

        Raises
        ------
        OSError
            If the file cannot be written. The write is atomic.
        """
        rows: list[dict[str, Any]] = [dict(zip(("x", "y"), cell, strict=True)) for cell in self.cells]
        columns: list[str] = ["x", "y"]
        if self.world.resolution is not None:
            columns += ["x_metres", "y_metres"]
            table = self.metres.tolist()
            metres = [{"x_metres": f"{x:.9g}", "y_metres": f"{y:.9g}"} for x, y in table]
            rows = [{**row, **point} for row, point in zip(rows, metres, strict=True)]
        write_csv(path, columns, rows)

    def picture(self) -> Image.Image:
        """Draw the cells that the search expanded or the edges that it evaluated, and the path that it found."""
        from sailplan.evaluation.animation import ShownMultipliers
        from sailplan.graphs.grid.pictures import counted, draw_search

        shades = ShownMultipliers(self.problem, self.policy).at(self.state)
        path = self.result.path or self.result.partial_path
        return draw_search(self.problem, self.state, path, f"{self._caption} · {counted(self.state)}", shades)

    def save(self, path: FilePath, *, on_frame: Callable[[], None] = lambda: None) -> None:
        """Write a picture (`.png`), an animation (`.gif`) or a replay (`.html`) of the search; the write is atomic.

        A replay is one file for a browser, with controls, counters and the recording. It needs no network.

        Parameters
        ----------
        path
            The file; its suffix gives the format.
        on_frame
            Called after each frame of an animation, of which there are at most `FRAMES` + 1.

        Raises
        ------
        SailplanError
            If the suffix is another one.
        OSError
            If the file cannot be written.
        """
        from sailplan.evaluation.animation import frames
        from sailplan.graphs.grid.pictures import write_animation, write_picture

        suffix = Path(path).suffix.lower()
        if suffix == ".png":
            write_picture(self.picture(), path)
        elif suffix == ".gif":
            film = []
            for frame in frames(self.problem, self.result, self._caption, FRAMES, self.policy):
                film.append(frame)
                on_frame()
            write_animation(film, path)
        elif suffix in (".html", ".htm"):
            self._write_replay(path)
        else:
            raise SailplanError(f"{path}: a plan is saved to a file that ends in .png, .gif or .html")

    def recording(self, *, multipliers: bool = True) -> dict[str, Any]:
        """Return what a browser needs to replay the search; with `multipliers` also those of a belief."""
        from sailplan.evaluation.player import record_search

        return record_search(
            self.problem, self.result, self.state, self.policy, self.solutions, multipliers=multipliers
        )

    def _write_replay(self, path: FilePath) -> None:
        from sailplan.evaluation.player import Scene, describe_map, write_player

        search = {"facts": self.describe(), "recording": self.recording()}
        write_player(path, self._caption, [Scene("", describe_map(self.world), [search])])

    @property
    def _caption(self) -> str:
        return f"{self.problem.name} · {self.policy_name}"

    @cached_property
    def _png(self) -> bytes:
        contents = io.BytesIO()
        self.picture().save(contents, format="PNG")
        return contents.getvalue()

    def _repr_png_(self) -> bytes:
        return self._png

    def _repr_html_(self) -> str:
        lines = [repr(self), *map(str, self.notes)]
        image = base64.b64encode(self._png).decode("ascii")
        return "<br>".join(map(html.escape, lines)) + f'<br><img alt="the search" src="data:image/png;base64,{image}">'

    def __repr__(self) -> str:
        if self.found:
            path = f"{len(self.cells)} cells, cost {self.cost:.2f}"
        else:
            path = f"no path, {len(self.partial)} cells of a partial one" if self.partial else "no path"
        by_edges = len(self.result.trace.evaluated) > 0
        steps = f"{self.evaluations} evaluations" if by_edges else f"{self.expansions} expansions"
        return f"Plan({self.problem.name}: {self.outcome.value}, {path}, {steps})"
