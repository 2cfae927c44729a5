"""Lazy weighted A*: the open list contains edges, which are evaluated when they are its first entry."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from heapq import heappop, heappush

import numpy as np

from sailplan.core.compiled_engine import graph_edges
from sailplan.core.graph import Problem, is_compiled
from sailplan.core.kernel.arrays import INVALID, UNSEEN
from sailplan.core.kernel.heap import VERTEX_BITS
from sailplan.core.policy import CompiledForm, Discovery, EdgeRequest, PathConfirmed
from sailplan.core.result import StopRule
from sailplan.core.state import SearchState
from sailplan.errors import PolicyError
from sailplan.policies.keyed.bounds import ADMISSIBLE, admissible_heuristic, never_overestimates
from sailplan.policies.keyed.heuristics import HEURISTICS
from sailplan.policies.lazy_weighted.kernel import LazyWeightedArrays


@dataclass(frozen=True)
class LazyWeightedAStar:
    """Lazy weighted A* (Cohen et al., 2014): weighted A* that evaluates an edge when it is first in the open list.

    An expanded vertex enters its edges into the open list with the cost that they have if they are valid. A vertex
    whose path becomes cheaper is expanded again, which evaluates no edge twice.

    Raises
    ------
    PolicyError
        If the weight is below 1 or infinite, or there is no such heuristic.

    Examples
    --------
    >>> from sailplan import search
    >>> from sailplan.testing import draw_problem
    >>> result = search(draw_problem("S#.G ...."), LazyWeightedAStar())
    >>> result.outcome.value, round(result.cost, 3), result.edge_evaluations, result.bound
    ('path_confirmed', 3.828, 4, 1.0)
    """

    weight: float = 1.0
    """Weight of the heuristic (w). The cost of the path is at most this many times the optimum."""
    heuristic: str = "auto"
    """A name in `ADMISSIBLE`; the default never overestimates."""
    stop: StopRule = StopRule.GOAL_EXPANDED
    """The default stop rule; with GOAL_GENERATED the first valid path is the result, without a bound."""

    def __post_init__(self) -> None:
        if self.heuristic not in ADMISSIBLE:
            raise PolicyError(f"no heuristic {self.heuristic!r}; there are {', '.join(ADMISSIBLE)}")
        weight = self.weight
        if isinstance(weight, bool) or not isinstance(weight, int | float) or not 1.0 <= weight < math.inf:
            raise PolicyError(f"the weight of lazy weighted A* must be a finite number, at least 1, got {weight!r}")

    def proven_bound(self, problem: Problem, stop: StopRule) -> float:
        """Return the weight; infinite if the search stops at the first path, or the heuristic may overestimate."""
        heuristic = admissible_heuristic(self.heuristic, problem)
        proven = stop is StopRule.GOAL_EXPANDED and never_overestimates(heuristic, problem)
        return float(self.weight) if proven else math.inf

    def open(self, problem: Problem, state: SearchState) -> LazyWeightedFrontier:
        """Create the open list of a search."""
        state.track_edges(0)
        return LazyWeightedFrontier(self, problem, state)

    def compiled(self, problem: Problem) -> CompiledForm | None:
        """Return the form for the compiled engine; None if the graph has too many edges for it."""
        graph = problem.graph
        if not is_compiled(graph) or graph_edges(graph) >= 1 << VERTEX_BITS:
            return None
        heuristic = admissible_heuristic(self.heuristic, problem)
        if heuristic != "zero":
            graph.coordinates([problem.goal])
        arrays = LazyWeightedArrays(
            weight=float(self.weight),
            heuristic=HEURISTICS[heuristic].code,
            expanded=np.zeros(graph.vertex_count, np.uint8),
            sources=np.empty(graph_edges(graph), np.int32),
        )
        return CompiledForm(arrays, queues=2, requests=1)


class LazyWeightedFrontier:
    """The open list of the reference engine: edges that are not evaluated, and vertices that are not expanded."""

    requests_edges = True

    def __init__(self, policy: LazyWeightedAStar, problem: Problem, state: SearchState) -> None:
        self._weight, self._problem, self._state = policy.weight, problem, state
        self._distance = HEURISTICS[admissible_heuristic(policy.heuristic, problem)].open(problem, state)
        self._edges: list[tuple[float, int, int, int, float]] = []
        """Entries (key, insertion number, source, target, cost of the edge)."""
        self._vertices: list[tuple[float, int, int]] = []
        self._expanded: set[int] = set()
        """The vertices that were expanded with the current cost of their path."""
        self._evaluated: set[tuple[int, int]] = set()
        self._insertions = 0

    def observe(self, discovery: Discovery) -> None:
        """Note which edges were evaluated."""
        self._evaluated.update((source, target) for source, target, _ in discovery.evaluated)

    def add(self, vertices: Sequence[int]) -> None:
        """Insert vertices with a new or cheaper path; those that were expanded enter their edges again."""
        for vertex in vertices:
            self._expanded.discard(vertex)
            heappush(self._vertices, (*self._entry(vertex, self._state.cost.item(vertex)), vertex))

    def _entry(self, vertex: int, cost: float) -> tuple[float, int]:
        key = cost + self._weight * self._distance([vertex])[0]
        self._insertions += 1
        self._state.count_scores(1, not math.isfinite(key))
        return (key if math.isfinite(key) else math.inf), self._insertions

    def select(self) -> EdgeRequest | PathConfirmed | None:
        """Return the first edge of the open list; vertices before it enter their edges."""
        while True:
            while self._vertices and self._vertices[0][2] in self._expanded:
                heappop(self._vertices)
            while self._edges and self._edges[0][2:4] in self._evaluated:
                heappop(self._edges)
            if not self._vertices and not self._edges:
                return None
            if not self._edges or (self._vertices and self._vertices[0][0] <= self._edges[0][0]):
                if self._vertices[0][2] == self._problem.goal:
                    return PathConfirmed()
                self._expand(heappop(self._vertices)[2])
            else:
                _, _, source, target, cost = heappop(self._edges)
                if self._may_improve(source, target, cost):
                    return EdgeRequest([(source, target)])

    def _expand(self, vertex: int) -> None:
        """Insert the edges of a vertex that may lead to a cheaper path."""
        self._expanded.add(vertex)
        targets, costs = self._problem.graph.successors(vertex)
        self._state.make_room(max(targets, default=0) + 1)
        for target, cost in zip(targets, costs, strict=True):
            if (vertex, target) not in self._evaluated and self._may_improve(vertex, target, cost):
                entry = self._entry(target, self._state.cost.item(vertex) + cost)
                heappush(self._edges, (*entry, vertex, target, cost))

    def _may_improve(self, source: int, target: int, cost: float) -> bool:
        state = self._state
        if state.status[target] == INVALID:
            return False
        return bool(state.status[target] == UNSEEN or state.cost[source] + cost < state.cost[target])
