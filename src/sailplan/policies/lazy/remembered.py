"""Lazy search with a belief about edges: allocation of its arrays, and other bounds."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sailplan.core.compiled_engine import allocate_search
from sailplan.core.graph import EdgeStatus, Problem
from sailplan.core.kernel.arrays import NO_QUEUE, NO_TIME, NOT_EVALUATED, QueueArrays
from sailplan.core.kernel.heap import FIRST_ROOM
from sailplan.core.policy import CompiledForm
from sailplan.core.result import Note, clock
from sailplan.core.state import SearchState, allocate_queues, enlarge_queues
from sailplan.graphs.explicit.graph import ExplicitGraph
from sailplan.graphs.roadmap.kernel import MetricCsrArrays
from sailplan.policies.lazy.kernel.candidate import (
    COUNTERS,
    EDGES,
    FROM_START,
    NO_CANDIDATE,
    ROOT,
    UNKNOWN_DISTANCE,
    distances_ahead,
    find_shortest,
)
from sailplan.policies.lazy.kernel.remembered import RememberedArrays
from sailplan.policies.replanning.beliefs.edge_posterior import EdgeBelief
from sailplan.policies.replanning.beliefs.kernel.edges import learn_edges
from sailplan.policies.replanning.kernel.edges import NO_WAY

if TYPE_CHECKING:
    from sailplan.policies.lazy.policy import LazyPolicy

_ROUNDING = 1.0 - 1e-6
"""A little less than the straight distance is a consistent lower bound after rounding."""
_DETOUR = 1.5
"""Without a bound, the heuristic need not be a lower bound: paths on roadmaps are longer than the straight distance."""


def remembered_form(
    policy: LazyPolicy, selector: int, problem: Problem, belief: EdgeBelief, notes: tuple[Note, ...]
) -> CompiledForm:
    """Return the form for the compiled engine of a lazy search with a belief about edges."""
    session = RememberedSession(policy, selector, problem, belief)
    return CompiledForm(
        session.arrays,
        notes=notes,
        update=session.update,
        requests=policy.batch,
        tighten=session.tighten,
        lower_bound=session.lower_bound,
    )


class RememberedSession:
    """The arrays of one search, whose bound may change."""

    def __init__(self, policy: LazyPolicy, selector: int, problem: Problem, belief: EdgeBelief) -> None:
        graph = problem.graph
        assert isinstance(graph, ExplicitGraph)
        self._problem, self._graph = problem, graph
        rows, count = graph.rows, graph.vertex_count
        weights, lengths = belief.weights, rows.costs
        mean = float(lengths.mean()) if len(lengths) else 1.0
        longest = count * (float(lengths.max(initial=0.0)) + weights.surprise * belief.most_surprise * mean) or 1.0
        self._scale = math.ldexp(1.0, math.floor(math.log2(NO_WAY >> 2) - math.log2(longest)))
        self.arrays = RememberedArrays(
            memory=belief.arrays(problem),
            earlier=graph.earlier_results(),
            scale=self._scale,
            surprise=weights.surprise * mean * self._scale,
            bound=np.array([policy.bound]),
            haste=np.array([weights.haste if math.isinf(policy.bound) else 1.0]),
            ahead=np.full((2 if graph.undirected else 1, count), UNKNOWN_DISTANCE, np.int64),
            selector=selector,
            batch=policy.batch,
            sharing=weights.sharing,
            detour=max(weights.detour * mean * self._scale, 1.0),
            travelled=np.empty(count, np.int64),
            phases=np.zeros(count, np.int64),
            came_from=np.empty(count, np.int32),
            came_by=np.empty(count, np.int32),
            settled=np.empty(count, np.int32),
            candidate=np.empty((2, count), np.int32),
            unknown=np.empty(count, np.int32),
            shares=np.zeros(graph.edge_count),
            forward=np.empty(count),
            onward=np.empty(count),
            known=_first_counters(),
        )
        known = np.flatnonzero(self.arrays.earlier != NOT_EVALUATED)
        learn_edges(self.arrays.memory, known, self.arrays.earlier[known] != EdgeStatus.VALID)
        self._look_ahead(FROM_START)

    def _look_ahead(self, root: int) -> None:
        """Compute the heuristic of searches from an end, which is a lower bound if the path has a bound."""
        bounded = math.isfinite(float(self.arrays.bound[0]))
        self._distances(root, self.arrays.ahead[root], _ROUNDING if bounded else _DETOUR)

    def _distances(self, root: int, ahead: NDArray[np.int64], detour: float) -> None:
        """Write the distance of each vertex to the other end, if all edges are valid.

        On roadmaps it is the straight distance times `detour`, which takes much less time.
        """
        graph, start, goal = self._graph, self._problem.start, self._problem.goal
        end, other = (goal, start) if root == FROM_START else (start, goal)
        if isinstance(graph.arrays(), MetricCsrArrays):
            places = graph.rows.coordinates
            np.floor(detour * self._scale * np.linalg.norm(places - places[end], axis=1), out=ahead, casting="unsafe")
            return
        backward, phases = graph.backward_arrays(), np.empty(graph.vertex_count, np.int64)
        queue = allocate_queues(1, FIRST_ROOM + 2 * graph.max_in_degree)
        while not distances_ahead(backward, self._scale, end, other, ahead, phases, queue):
            queue = enlarge_queues(queue)

    def update(self, state: SearchState, queue: QueueArrays) -> QueueArrays:
        """Compute the heuristic of searches from an end, when the first one begins there."""
        self._look_ahead(int(self.arrays.known[ROOT]))
        return queue

    def tighten(
        self, arrays: RememberedArrays, state: SearchState, queue: QueueArrays, bound: float
    ) -> tuple[RememberedArrays, QueueArrays]:
        """Continue with another bound."""
        arrays.bound[0] = bound
        if not math.isinf(bound):
            arrays.haste[0] = 1.0
            arrays.ahead[:] = UNKNOWN_DISTANCE
            self._look_ahead(int(arrays.known[ROOT]))
        arrays.known[EDGES] = NO_CANDIDATE
        return arrays, queue

    def lower_bound(self, state: SearchState, deadline: float) -> float:
        """Return the cost of the shortest path that may be valid, or 0 at the deadline (of `clock`)."""
        ahead = np.empty((1, self._graph.vertex_count), np.int64)
        self._distances(FROM_START, ahead[0], _ROUNDING)
        plain = self.arrays._replace(
            ahead=ahead,
            bound=np.ones(1),
            haste=np.ones(1),
            selector=0,
            phases=np.zeros_like(self.arrays.phases),
            travelled=np.empty_like(self.arrays.travelled),
            came_from=np.empty_like(self.arrays.came_from),
            came_by=np.empty_like(self.arrays.came_by),
            settled=np.empty_like(self.arrays.settled),
            known=_first_counters(),
        )
        form = CompiledForm(plain, requests=1)
        # The counters of the search remain as they are.
        known = state.arrays._replace(counts=state.arrays.counts.copy())
        scratch = SearchState(len(known.status))
        search = allocate_search(self._graph, self._problem, form, scratch)._replace(state=known)
        while True:
            length, code = find_shortest(search, plain)
            if code == NO_QUEUE:
                search = search._replace(queue=enlarge_queues(search.queue))
            elif code != NO_TIME or clock() >= deadline:
                return math.inf if length == NO_WAY else float(length / self._scale)


def _first_counters() -> NDArray[np.int64]:
    counters = np.zeros(COUNTERS, np.int64)
    counters[EDGES] = NO_CANDIDATE
    return counters
