"""Best-first width search: vertices that are novel first, the closest to the goal first among them."""

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
    """BFWS(<w, h>) with the Euclidean distance."""
    return WidthPolicy()


@dataclass(frozen=True)
class WidthPolicy:
    """Expands the open vertex with the smallest (w, h): novelty first, then the distance to the goal.

    The atoms of a vertex are the values of its coordinates, one an axis. One is new if no vertex with the same value
    that entered the open list before was as close to the goal (novelty with respect to h; Katz et al. 2017). w is 1
    where an atom is new, else 2: two atoms are a place in the plane, so a pair is always new there, and with more axes
    pairs are not counted either. w is settled once, when the vertex enters the open list.
    """

    heuristic: str = "euclidean"
    """A name in HEURISTICS that is a distance to the goal."""
    stop: StopRule = StopRule.GOAL_GENERATED

    def __post_init__(self) -> None:
        if self.heuristic not in _DISTANCES:
            raise PolicyError(f"no distance to the goal {self.heuristic!r}; there are {', '.join(_DISTANCES)}")

    def open(self, problem: Problem, state: SearchState) -> WidthFrontier:
        """Begin the open list of a search."""
        return WidthFrontier(problem, state, self.heuristic)

    def compiled(self, problem: Problem) -> CompiledForm | None:
        """The atoms for the compiled engine; raises GraphError where the graph has no coordinates."""
        if not is_compiled(problem.graph):
            return None
        atoms, count = _number_atoms(problem.graph)
        return CompiledForm(WidthArrays(HEURISTICS[self.heuristic].code, atoms, np.full(count, inf)), queues=2)


class WidthFrontier:
    """The open list of one search: a queue of novel vertices, and one of the others for when that is empty."""

    def __init__(self, problem: Problem, state: SearchState, heuristic: str) -> None:
        self._coordinates = problem.graph.coordinates
        self._distance = HEURISTICS[heuristic].open(problem, state)
        self._novel, self._familiar = (QueueFrontier(state, [(self._distance, False)]) for _ in range(2))
        self._met: set[int] = set()
        self._least: dict[tuple[int, float], float] = {}

    def observe(self, discovery: Discovery) -> None:
        """Nothing: novelty is about what entered the open list."""

    def add(self, vertices: Sequence[int]) -> None:
        """Settle the novelty of new vertices, one after the other."""
        new = [vertex for vertex in vertices if vertex not in self._met]
        if not new:
            return
        self._met.update(new)
        places = self._coordinates(new).tolist()
        for vertex, place, distance in zip(new, places, self._distance(new), strict=True):
            (self._novel if self._is_novel(place, distance) else self._familiar).add([vertex])

    def select(self) -> int | None:
        """Pop the closest novel vertex, or the closest other one where none is left."""
        vertex = self._novel.select()
        return self._familiar.select() if vertex is None else vertex

    def _is_novel(self, place: list[float], distance: float) -> bool:
        """Whether an atom was never met so close to the goal; from now on it was. No distance but a finite one is."""
        new = [atom for atom in enumerate(place) if distance < self._least.get(atom, inf)]
        self._least.update(dict.fromkeys(new, distance))
        return bool(new)


def _number_atoms(graph: CompiledGraph) -> tuple[NDArray[np.int64], int]:
    """The number of each atom of each vertex, and how many there are; on a grid the cell tells the numbers."""
    if isinstance(graph, GridGraph):
        return np.empty((0, 2), np.int64), graph.world.width + graph.world.height
    places = graph.coordinates(range(graph.vertex_count))
    atoms, count = np.empty(places.shape, np.int64), 0
    for axis, values in enumerate(places.T):
        distinct, numbers = np.unique(values, return_inverse=True)
        atoms[:, axis] = count + numbers
        count += len(distinct)
    return atoms, count
