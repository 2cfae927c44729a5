"""Lazy search: edges are evaluated one at a time, along the shortest path that may still be valid."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sailplan.core.compiled_engine import allocate_search, vertices_until
from sailplan.core.graph import CompiledGraph, FloatArray, Problem, statuses_of_edges
from sailplan.core.kernel.arrays import (
    CLOSED,
    CONFIRMED,
    MOST_WORK,
    NO_QUEUE,
    NO_ROOM,
    NO_TIME,
    OPEN,
    WORK,
    QueueArrays,
    StateArrays,
)
from sailplan.core.kernel.heap import FIRST_ROOM, VERTEX_BITS
from sailplan.core.policy import CompiledForm, Discovery, EdgeRequest, PathConfirmed
from sailplan.core.result import StopRule, check_time, clock
from sailplan.core.state import SearchState, allocate_queues, enlarge_queues, sparse_empty, sparse_zeros, with_room
from sailplan.errors import GraphError, PolicyError
from sailplan.graphs.explicit.graph import ExplicitGraph
from sailplan.graphs.explore import explore
from sailplan.graphs.grid.kernel.edges import GridArrays
from sailplan.policies.lazy.kernel.candidate import CRITICAL
from sailplan.policies.lazy.kernel.continued import ContinuedArrays
from sailplan.policies.lazy.kernel.repaired import RepairedArrays
from sailplan.policies.lazy.kernel.selection import (
    ALTERNATE,
    BACKWARD,
    DOUBTFUL,
    FORWARD,
    NO_CANDIDATE,
    LazyArrays,
    add_sources,
    find_length,
    find_request,
    insert_new,
    learn_edges,
    learn_results,
    restart,
    target_of,
    update_due,
)
from sailplan.policies.lazy.remembered import remembered_form
from sailplan.policies.replanning.beliefs.belief import Belief, Optimistic, Tensors
from sailplan.policies.replanning.beliefs.edge_network import EdgeNetwork
from sailplan.policies.replanning.beliefs.edge_posterior import EdgePosterior
from sailplan.policies.replanning.kernel.edges import NO_WAY, UNIT, ReplanningArrays
from sailplan.policies.replanning.policy import (
    Decrease,
    allocate_bounds,
    build_belief,
    describe_belief,
    enlarge,
    first_multipliers,
    in_rows,
    is_per_edge,
    is_supported,
    supported_belief,
)
from sailplan.policies.replanning.update import BeliefUpdate

SELECTORS = {
    "forward": FORWARD,
    "backward": BACKWARD,
    "alternate": ALTERNATE,
    "doubtful": DOUBTFUL,
    "critical": CRITICAL,
}
"""The rules that select edges of the candidate path: the first one, the last one, these two in turn, the one that the
belief doubts most, or (with an `EdgePosterior`, otherwise the same) the one that is most likely to be invalid among
those that many almost shortest paths share."""
_MAX_BATCH = 1 << 20
_SOURCES_AT_ONCE = 1 << 10
"""Number of sources that are added without a look at the clock."""


@dataclass(frozen=True)
class LazyPolicy:
    """A policy that evaluates edges of the shortest path that may still be valid, until all of its edges are valid.

    Edges known to be invalid are ignored; the costs of unknown edges are multiplied by the multipliers of the belief;
    the cost of a known path from the start counts `reuse` times, where `reuse` is 0 for an infinite bound and
    1 / bound otherwise. With a bound of 1 this is LazySP, whose path is a shortest one.

    Raises
    ------
    PolicyError
        If a field is out of its range.

    Examples
    --------
    >>> from sailplan import search
    >>> from sailplan.testing import draw_problem
    >>> result = search(draw_problem("S#.G ...."), LazyPolicy(bound=1.0))
    >>> result.outcome.value, result.edge_evaluations, result.bound
    ('path_confirmed', 4, 1.0)
    """

    bound: float = math.inf
    """The cost of the path is at most this many times the optimum. The smaller, the more edges are evaluated."""
    belief: Belief = field(default_factory=Optimistic)
    """The source of the multipliers. If it does not support a problem, all are 1, and the result has a note. With a
    finite bound, multipliers are limited to the square root of the bound and its inverse; with a bound of 1, only
    `doubtful` uses them. With an `EdgePosterior` or an `EdgeNetwork`, `reuse` is 1, and multipliers are limited to
    the bound."""
    selector: str = "forward"
    """A name in `SELECTORS`."""
    batch: int = 1
    """Largest number of edges that are evaluated in one call."""
    stop: StopRule = StopRule.GOAL_EXPANDED
    """The default stop rule; with GOAL_GENERATED the first valid path is the result, without a bound."""

    compiles_any_graph = True
    """A graph without arrays is explored, and its edges are evaluated in Python."""

    def __post_init__(self) -> None:
        if isinstance(self.bound, bool) or not isinstance(self.bound, int | float) or not self.bound >= 1.0:
            raise PolicyError(f"a bound must be a number, at least 1, got {self.bound!r}")
        if self.selector not in SELECTORS:
            raise PolicyError(f"no selector {self.selector!r}; there are {', '.join(SELECTORS)}")
        if type(self.batch) is not int or not 1 <= self.batch <= _MAX_BATCH:
            raise PolicyError(f"a batch must be an integer between 1 and {_MAX_BATCH}, got {self.batch!r}")

    def proven_bound(self, problem: Problem, stop: StopRule) -> float:
        """Return the bound of the path cost; infinite if the search stops at the first path."""
        return math.inf if stop is StopRule.GOAL_GENERATED else self.bound

    def open(self, problem: Problem, state: SearchState) -> LazyFrontier:
        """Create the open list of a search; a graph without arrays is explored first, and must be finite."""
        form = self.compiled(problem)
        graph = form.graph or problem.graph
        assert is_supported(graph)
        state.make_room(graph.vertex_count)
        return LazyFrontier(graph, problem, form, state)

    def compiled(self, problem: Problem) -> CompiledForm:
        """Return the form for the compiled engine; raises GraphError if the graph has too many vertices."""
        graph = problem.graph
        explored = None if is_supported(graph) else _explored(problem)
        searched = explored or graph
        assert is_supported(searched)
        if searched.vertex_count >= 1 << VERTEX_BITS:
            raise GraphError(f"{problem.name}: {searched.vertex_count} vertices, too many for a lazy search")
        belief, notes = supported_belief(self.belief, problem)
        if isinstance(belief, EdgePosterior | EdgeNetwork):
            return remembered_form(self, SELECTORS[self.selector], problem, belief, notes)
        session = LazySession(self, searched, problem, belief)
        return CompiledForm(
            session.arrays,
            notes=notes,
            update=session.update,
            enlarge=session.enlarge,
            requests=self.batch,
            graph=explored,
            tighten=session.tighten,
            lower_bound=session.lower_bound,
        )

    def describe(self) -> tuple[dict[str, Any], Tensors]:
        """Return the header and tensors for a model file; raises ModelError if the belief cannot be saved."""
        facts, tensors = describe_belief(self.belief)
        bound = None if math.isinf(self.bound) else self.bound
        return {"lazy": {"bound": bound, "selector": self.selector, "batch": self.batch}, "belief": facts}, tensors

    @classmethod
    def build(cls, header: Mapping[str, Any], tensors: Tensors, stop: StopRule) -> LazyPolicy:
        """Create a policy from what `describe` returned."""
        facts = header["lazy"]
        bound = math.inf if facts["bound"] is None else float(facts["bound"])
        return cls(bound, build_belief(header["belief"], tensors), str(facts["selector"]), int(facts["batch"]), stop)


def _explored(problem: Problem) -> ExplicitGraph:
    """Return a graph with the same vertices and edges as arrays, whose edges the graph of the problem evaluates."""
    topology = explore(problem, checked=False, why="for a lazy search")
    return replace(topology, checker=lambda sources, targets: statuses_of_edges(problem.graph, sources, targets))


class LazySession:
    """The bounds of one search, which are replaced when the search continues with another bound."""

    def __init__(self, policy: LazyPolicy, graph: CompiledGraph, problem: Problem, belief: Belief) -> None:
        self._policy, self._graph, self._problem, self._belief = policy, graph, problem, belief
        self._bound = policy.bound
        follower = belief.follow(problem)
        self.arrays = self._allocate(policy.bound, first_multipliers(belief, follower, problem, graph))
        plan = self.arrays.plan
        self._shortest: tuple[LazyArrays, QueueArrays] | None = None
        self._decrease: Decrease | None = None
        self._update = None if follower is None else BeliefUpdate(plan, follower, belief.refresh)

    def update(self, state: SearchState, queue: QueueArrays) -> QueueArrays:
        """Update the belief."""
        return self._update(state, queue, self._change, self._finish) if self._update else queue

    def tighten(
        self, arrays: LazyArrays, state: SearchState, queue: QueueArrays, bound: float
    ) -> tuple[LazyArrays, QueueArrays]:
        """Return arrays for another bound, and an open list with new keys."""
        # The time limit may be reached here, so that nothing is changed before.
        replacement = self._allocate(bound, arrays.doubts if len(arrays.doubts) else None)
        queue = allocate_queues(1, FIRST_ROOM + 2 * self._graph.max_degree)
        queue = self._insert_sources(replacement, state, queue)
        replacement.turn[:] = arrays.turn
        if self._update:
            self._update.move(replacement.plan)
        self.arrays, self._bound, self._decrease = replacement, bound, None
        return replacement, queue

    def enlarge(self, arrays: LazyArrays) -> LazyArrays:
        """Return the same arrays with more room for repairs."""
        self.arrays = arrays._replace(plan=enlarge(arrays.plan))
        return self.arrays

    def lower_bound(self, state: SearchState, deadline: float) -> float:
        """Return the cost of the shortest path that may be valid, or less at the deadline (of `clock`)."""
        if self._shortest is None:
            self._shortest = self._allocate(1.0, None), allocate_queues(1, FIRST_ROOM)
        lazy, queue = self._shortest
        graph, backward, goal = self._graph.arrays(), self._graph.backward_arrays(), self._problem.goal
        # The bound is not part of the search, whose counters remain as they are.
        known = state.arrays._replace(counts=state.arrays.counts.copy())
        if isinstance(lazy, RepairedArrays):
            # Otherwise the search continues: paths have become cheaper, or vertices and edges invalid.
            restart(lazy, queue)
        frontier = state.frontier
        queue = with_room(queue, len(frontier))
        self._shortest = lazy, queue
        self._add_sources(lazy, known, queue, frontier)
        while True:
            known.counts[WORK] = min(MOST_WORK, vertices_until(deadline))
            length, end = find_length(graph, backward, lazy, known, queue, goal)
            if end == NO_ROOM:
                lazy = lazy._replace(plan=enlarge(lazy.plan))
            elif end == NO_QUEUE:
                queue = enlarge_queues(queue)
            elif end != NO_TIME or clock() >= deadline:
                self._shortest = lazy, queue
                return math.inf if length == NO_WAY else float(length / (UNIT * lazy.plan.scale))

    def _allocate(self, bound: float, multipliers: FloatArray | None) -> LazyArrays:
        costs = None if multipliers is None or bound == 1.0 else limited(multipliers, bound)
        reuse = 1.0 / bound if costs is None else _reuse(bound)
        count = self._graph.vertex_count
        plan = allocate_bounds(self._graph, self._problem, costs, 0.0, is_per_edge(self._belief))
        kind, lengths = (ContinuedArrays, count) if _is_continued(reuse, plan, self._graph) else (RepairedArrays, 0)
        return kind(
            plan=plan,
            reuse=reuse,
            least=OPEN if reuse == 0.0 else CLOSED,
            selector=SELECTORS[self._policy.selector],
            batch=self._policy.batch,
            doubts=np.empty(0) if multipliers is None else multipliers.copy(),
            turn=np.zeros(1, np.int64),
            settled=sparse_zeros(lengths, np.int64),
            length=sparse_zeros(lengths, np.int64),
            candidate=sparse_empty((2, count), np.int32),
            known=np.array([NO_CANDIDATE, 0], np.int64),
        )

    def _change(self, multipliers: FloatArray, state: SearchState) -> None:
        """Change the multipliers."""
        multipliers = in_rows(multipliers, self._graph, self.arrays.plan.per_edge)
        self.arrays.doubts[:] = multipliers
        if len(self.arrays.plan.multipliers):
            self._decrease = Decrease(self._graph, self.arrays.plan)
            self._decrease.set_multipliers(limited(multipliers, self._bound), state.arrays)

    def _finish(self, state: SearchState, queue: QueueArrays) -> QueueArrays:
        """Settle all bounds after a change, and insert the open vertices again."""
        if self._decrease is None:
            return queue
        self._decrease.settle(state.arrays)
        restart(self.arrays, queue)
        queue = self._insert_sources(self.arrays, state, queue)
        self._decrease = None
        return queue

    def _insert_sources(self, arrays: LazyArrays, state: SearchState, queue: QueueArrays) -> QueueArrays:
        """Return the empty queue with all sources, from which the search for the candidate starts again."""
        frontier = state.frontier
        queue = with_room(queue, len(frontier))
        # If the time limit is reached, the search inserts them again, and counts them then.
        counted = state.arrays._replace(counts=state.arrays.counts.copy())
        self._add_sources(arrays, counted, queue, frontier)
        state.arrays.counts[:] = counted.counts
        return queue

    def _add_sources(
        self, arrays: LazyArrays, state: StateArrays, queue: QueueArrays, vertices: NDArray[np.int64]
    ) -> None:
        """Make vertices sources; raises OutOfTime at the time limit."""
        graph, goal = self._graph.arrays(), self._problem.goal
        for first in range(0, len(vertices), _SOURCES_AT_ONCE):
            check_time()
            add_sources(graph, arrays, state, queue, goal, vertices[first : first + _SOURCES_AT_ONCE])


def limited(multipliers: FloatArray, bound: float) -> FloatArray:
    """Limit multipliers so that they keep a bound.

    If they are between `reuse` and m, the cost is at most m / reuse times the optimum. Both are whole numbers of units,
    because the kernels round multipliers.
    """
    if math.isinf(bound):
        return multipliers
    limits = math.ceil(_reuse(bound) * UNIT) / UNIT, _most(bound)
    within: FloatArray = np.clip(multipliers, *limits)
    return within


def _most(bound: float) -> float:
    return math.floor(math.sqrt(bound) * UNIT) / UNIT


def _reuse(bound: float) -> float:
    return 0.0 if math.isinf(bound) else _most(bound) / bound


def _is_continued(reuse: float, plan: ReplanningArrays, graph: CompiledGraph) -> bool:
    """Return whether the search for the candidate is continued; otherwise the bounds of sources are repaired.

    Without a bound, and with a bound of 1, a valid edge changes no length. With another one, it makes all paths behind
    it shorter. With a bound of 1 there are many sources of almost the same length, each of which would be repaired. On
    grids this takes longer too, but in the order of repairs fewer edges are evaluated. Where all bounds are computed
    before the search, they are so close that repairs are few.
    """
    if reuse == 0.0:
        return True
    return reuse == 1.0 and plan.from_lower_bound and not isinstance(graph.arrays(), GridArrays)


class LazyFrontier:
    """The open list of the reference engine, which uses the kernels of the compiled engine."""

    requests_edges = True

    def __init__(self, graph: CompiledGraph, problem: Problem, form: CompiledForm, state: SearchState) -> None:
        self.notes = form.notes
        self._form, self._state = form, state
        self._lazy = form.arrays
        self._search = allocate_search(graph, problem, form, state)

    @property
    def arrays(self) -> Any:
        """The arrays of the policy, for training."""
        return self._lazy

    def observe(self, discovery: Discovery) -> None:
        """Process the results of edges."""
        self._refresh(self._search.queue)
        learn_edges(self._search, self._lazy, np.array(discovery.evaluated, np.int64).reshape(-1, 3))

    def add(self, vertices: Sequence[int]) -> None:
        """Insert vertices that have a new or cheaper path."""
        self._refresh(with_room(self._search.queue, len(vertices)))
        insert_new(self._search, self._lazy, np.asarray(vertices, np.int64))

    def select(self) -> EdgeRequest | PathConfirmed | None:
        """Return edges of the candidate path."""
        self._refresh(self._search.queue)
        while True:
            if self._form.update and update_due(self._search, self._lazy):
                self._refresh(self._form.update(self._state, self._search.queue))
            count: int = find_request(self._search, self._lazy)
            if count == NO_QUEUE:
                self._refresh(enlarge_queues(self._search.queue))
            elif count == NO_ROOM and self._form.enlarge:
                self._lazy = self._form.enlarge(self._lazy)
            elif count == CONFIRMED:
                return PathConfirmed()
            elif count != NO_TIME:
                return self._edges(count) if count else None

    def _edges(self, count: int) -> EdgeRequest:
        graph, edges = self._search.graph, []
        for source, slot in self._search.requested[:count].tolist():
            edges.append((source, target_of(graph, source, slot)))
        return EdgeRequest(edges)

    def tighten(self, bound: float) -> None:
        """Continue with another bound."""
        assert self._form.tighten
        self._lazy, queue = self._form.tighten(self._lazy, self._state, self._search.queue, bound)
        self._refresh(queue)

    def lower_bound(self, deadline: float) -> float:
        """Return a lower bound of the cost of any path."""
        assert self._form.lower_bound
        self._refresh(self._search.queue)
        # If a limit has interrupted a request, `observe` was not called with the results of its first edges.
        learn_results(self._search, self._state.evaluated[-self._form.requests :])
        return self._form.lower_bound(self._state, deadline)

    def _refresh(self, queue: QueueArrays) -> None:
        """Use the current arrays of the state and the queues, which may have been enlarged."""
        self._search = self._search._replace(state=self._state.arrays, queue=queue)
