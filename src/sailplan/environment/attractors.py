"""Attractors: landmarks and known solutions. The open vertex closest to each of them is a candidate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from sailplan.core import SearchState, search
from sailplan.core.graph import FloatArray, Problem, is_finite
from sailplan.errors import EpisodeError, SailplanError
from sailplan.graphs.grid.graph import GridGraph
from sailplan.policies.features.feature import plane_coordinates
from sailplan.policies.keyed.kernel import TABLE, KeyArrays
from sailplan.policies.keyed.queues import Score
from sailplan.policies.oracle import OraclePolicy

Point = tuple[float, float]

DEFAULT_STATES: tuple[Point, ...] = (
    (1.0, 0.0),
    (0.5, 0.0),
    (0.5, 0.5),
    (0.5, -0.5),
    (0.75, 0.25),
    (0.75, -0.25),
    (0.0, 0.0),
)
"""Positions along the line from start to goal and to its left, in units of its length: the goal, the middle, the two
other corners of the square between start and goal, the middles of its sides at the goal, and the start."""

_MOST_DISTANCES = 1 << 20
"""Number of distances that are computed at once."""


@dataclass(frozen=True, eq=False)
class Attractors:
    """One queue per attractor, ordered by the straight-line distance to it, or to its closest point.

    Raises
    ------
    EpisodeError
        If there is no attractor, or one is not a pair of finite numbers.

    Examples
    --------
    >>> Attractors(states=((2, 0), (0, 1))).queues
    2
    """

    states: tuple[Point, ...] | None = None
    """Landmarks (x, y) on the map. None: DEFAULT_STATES, which are relative to start and goal."""
    paths: tuple[FloatArray, ...] = ()
    """Known solutions, each of shape (points, 2), in the frame of DEFAULT_STATES."""
    _last: dict[tuple[int, ...], FloatArray] = field(default_factory=dict, init=False, repr=False)
    """Cache of the last table; on grids it depends on the size, the start and the goal only."""

    def __post_init__(self) -> None:
        if self.states is not None:
            object.__setattr__(self, "states", tuple(_point(state) for state in self.states))
        if self.queues == 0:
            raise EpisodeError("there must be at least one attractor: give states or paths")

    @property
    def queues(self) -> int:
        """Number of attractors."""
        return len(DEFAULT_STATES if self.states is None else self.states) + len(self.paths)

    @property
    def places(self) -> int:
        """Number of candidates per queue: one, the closest open vertex."""
        return 1

    def points(self, problem: Problem) -> list[FloatArray]:
        """Return the points of each attractor on the map of a problem; raises EpisodeError if one is outside."""
        start, goal = _places(problem, [problem.start, problem.goal])
        if self.states is None:
            states = _on_map(np.array(DEFAULT_STATES), start, goal)
        else:
            states = np.array(self.states).reshape(-1, 2)
            _check_inside(problem, states)
        return [state[None] for state in states] + [_on_map(path, start, goal) for path in self.paths]

    def scores(self, problem: Problem, state: SearchState) -> list[Score]:
        """Return one score per attractor: the distance to it."""

        def distance_to(points: FloatArray) -> Score:
            return lambda vertices: closest_distances(_places(problem, vertices), points).tolist()

        return [distance_to(points) for points in self.points(problem)]

    def keys(self, problem: Problem) -> KeyArrays:
        """Return the distances of all vertices as a table for the compiled engine."""
        return KeyArrays(
            heuristic=np.full(self.queues, TABLE, np.int64),
            cost_weight=np.zeros(self.queues),
            heuristic_weight=np.ones(self.queues),
            table=self._table(problem),
        )

    def _table(self, problem: Problem) -> FloatArray:
        assert is_finite(problem.graph)
        if not isinstance(problem.graph, GridGraph):
            return self._new_table(problem, problem.graph.vertex_count)
        key = (*problem.graph.world.blocked.shape, problem.start, problem.goal)
        table = self._last.get(key)
        if table is None:
            table = self._new_table(problem, problem.graph.vertex_count)
            self._last.clear()
            self._last[key] = table
        return table

    def _new_table(self, problem: Problem, vertices: int) -> FloatArray:
        places = _places(problem, range(vertices))
        return np.stack([closest_distances(places, points) for points in self.points(problem)])


def solution_paths(problems: Sequence[Problem]) -> tuple[FloatArray, ...]:
    """Return the paths that the oracle finds, for `Attractors.paths`.

    Parameters
    ----------
    problems
        Problems in the plane.

    Returns
    -------
    tuple of numpy.ndarray
        One path per problem, shape (points, 2), in the frame in which the start is (0, 0) and the goal (1, 0).

    Raises
    ------
    EpisodeError
        If start and goal of a problem coincide, or the graph has no coordinates in the plane.

    Examples
    --------
    >>> from sailplan.testing import draw_problem
    >>> (path,) = solution_paths([draw_problem("S.G")])
    >>> path.tolist()
    [[0.0, 0.0], [0.5, 0.0], [1.0, 0.0]]
    """
    paths = []
    for problem in problems:
        path = search(problem, OraclePolicy()).path
        start, goal = _complex(_places(problem, [problem.start, problem.goal]))
        if start == goal:
            raise EpisodeError(f"{problem.name}: start and goal coincide, so its path cannot be an attractor")
        along = (_complex(_places(problem, path)) - start) / (goal - start)
        paths.append(np.stack([along.real, along.imag], axis=1))
    return tuple(paths)


def closest_distances(places: FloatArray, points: FloatArray) -> FloatArray:
    """Return the distance of each place from the closest of the points."""
    parts = np.array_split(places, 1 + len(places) * len(points) // _MOST_DISTANCES)
    return np.concatenate([np.sqrt(_squares(part, points).min(axis=1)) for part in parts])


def _squares(places: FloatArray, points: FloatArray) -> FloatArray:
    offset_x, offset_y = (places[:, None, axis] - points[None, :, axis] for axis in (0, 1))
    squares: FloatArray = offset_x * offset_x + offset_y * offset_y
    return squares


def _on_map(points: FloatArray, start: FloatArray, goal: FloatArray) -> FloatArray:
    """Transform points from the frame of start and goal to the map: a rotation and scaling, as a complex product."""
    begin, end = _complex(np.array([start, goal]))
    placed = begin + _complex(points) * (end - begin)
    return np.stack([placed.real, placed.imag], axis=1)


def _complex(points: FloatArray) -> np.ndarray[tuple[int, ...], np.dtype[np.complex128]]:
    return np.asarray(points[:, 0] + 1j * points[:, 1])


def _places(problem: Problem, vertices: Sequence[int]) -> FloatArray:
    try:
        return plane_coordinates(problem, vertices)
    except SailplanError as error:
        raise EpisodeError(f"{problem.name}: attractors need a graph in the plane ({error})") from error


def _point(state: Point) -> Point:
    try:
        x, y = (float(number) for number in state)
    except (TypeError, ValueError) as error:
        raise EpisodeError(f"an attractor is a pair (x, y), got {state!r}") from error
    if not np.isfinite([x, y]).all():
        raise EpisodeError(f"an attractor must be finite, got {state!r}")
    return x, y


def _check_inside(problem: Problem, states: FloatArray) -> None:
    if not isinstance(problem.graph, GridGraph):
        return
    world = problem.graph.world
    inside = ((states >= 0) & (states <= [world.width - 1, world.height - 1])).all(axis=1)
    if not inside.all():
        x, y = states[inside.argmin()].tolist()
        raise EpisodeError(f"{problem.name}: the attractor ({x:g}, {y:g}) is outside {world.width} x {world.height}")
