"""Best-first width search: novel vertices first, ordered by the distance to the goal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf

import numpy as np
from numpy.typing import NDArray

from sailplan.core.graph import CompiledGraph, Problem, is_compiled
from sailplan.core.policy import CompiledForm, Discovery
from sailplan.core.result import StopRule
from sailplan.core.state import SearchState
from sailplan.errors import PolicyError
from sailplan.graphs.grid.graph import GridGraph
from sailplan.policies.keyed.heuristics import HEURISTICS
from sailplan.policies.keyed.queues import QueueFrontier
from sailplan.policies.width.kernel import WidthArrays

_DISTANCES = [name for name in HEURISTICS if name not in ("obstacle", "clearance")]


def bfws() -> WidthPolicy:
    """Return best-first width search, BFWS(<w, h>), with the Euclidean distance.

    Returns
    -------
    WidthPolicy
        The policy.

    Examples
    --------
    >>> from sailplan import search
    >>> from sailplan.testing import draw_problem
    >>> search(draw_problem("S..G"), bfws()).expansions
    3
    """
    return WidthPolicy()


@dataclass(frozen=True)
class WidthPolicy:
    """A policy that expands the open vertex with the smallest (w, h): novelty first, then the distance to the goal.

    The atoms of a vertex are its coordinates, one per axis. An atom is new if no vertex with the same coordinate that
    entered the open list before was as close to the goal (novelty with respect to h; Katz et al. 2017). w is 1 if an
    atom is new, else 2: in the plane, a pair of atoms is a position and thus always new; with more axes, pairs are
    ignored too. w is determined once, when the vertex enters the open list.

    Raises
    ------
    PolicyError
        If the heuristic is not a distance to the goal.
    """

    heuristic: str = "euclidean"
    """A name in `HEURISTICS` that is a distance to the goal."""
    stop: StopRule = StopRule.GOAL_GENERATED
    """The default stop rule."""

    def __post_init__(self) -> None:
        if self.heuristic not in _DISTANCES:
            raise PolicyError(f"no distance to the goal {self.heuristic!r}; there are {', '.join(_DISTANCES)}")

    def open(self, problem: Problem, state: SearchState) -> WidthFrontier:
        """Create the open list of a search."""
        return WidthFrontier(problem, state, self.heuristic)

    def compiled(self, problem: Problem) -> CompiledForm | None:
        """Return the atoms for the compiled engine; raises GraphError if the graph has no coordinates."""
        if not is_compiled(problem.graph):
            return None
        atoms, count = _number_atoms(problem.graph)
        return CompiledForm(WidthArrays(HEURISTICS[self.heuristic].code, atoms, np.full(count, inf)), queues=2)


class WidthFrontier:
    """The open list of one search: a queue of novel vertices, and one of other vertices."""

    def __init__(self, problem: Problem, state: SearchState, heuristic: str) -> None:
        self._coordinates = problem.graph.coordinates
        self._distance = HEURISTICS[heuristic].open(problem, state)
        self._novel, self._familiar = (QueueFrontier(state, [(self._distance, False)]) for _ in range(2))
        self._met: set[int] = set()
        self._least: dict[tuple[int, float], float] = {}

    def observe(self, discovery: Discovery) -> None:
        """Do nothing: novelty depends on vertices that entered the open list."""

    def add(self, vertices: Sequence[int]) -> None:
        """Determine the novelty of new vertices, one after the other, and insert them."""
        new = [vertex for vertex in vertices if vertex not in self._met]
        if not new:
            return
        self._met.update(new)
        places = self._coordinates(new).tolist()
        for vertex, place, distance in zip(new, places, self._distance(new), strict=True):
            (self._novel if self._is_novel(place, distance) else self._familiar).add([vertex])

    def select(self) -> int | None:
        """Remove and return the closest novel vertex, or the closest other one if there is none."""
        vertex = self._novel.select()
        return self._familiar.select() if vertex is None else vertex

    def _is_novel(self, place: list[float], distance: float) -> bool:
        """Return whether an atom was never seen at this finite distance or closer, and record the distance."""
        new = [atom for atom in enumerate(place) if distance < self._least.get(atom, inf)]
        self._least.update(dict.fromkeys(new, distance))
        return bool(new)


def _number_atoms(graph: CompiledGraph) -> tuple[NDArray[np.int64], int]:
    """Return the numbers of the atoms of each vertex, and their count; on grids the cells give the numbers."""
    if isinstance(graph, GridGraph):
        return np.empty((0, 2), np.int64), graph.world.width + graph.world.height
    places = graph.coordinates(range(graph.vertex_count))
    atoms, count = np.empty(places.shape, np.int64), 0
    for axis, values in enumerate(places.T):
        distinct, numbers = np.unique(values, return_inverse=True)
        atoms[:, axis] = count + numbers
        count += len(distinct)
    return atoms, count
