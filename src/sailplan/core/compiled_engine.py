"""The compiled engine: the search loop in machine code, for graphs and policies that provide arrays."""

from __future__ import annotations

import math
from functools import cached_property
from typing import Any

import numpy as np

from sailplan.core.edge_step import EdgeEvaluator
from sailplan.core.graph import CompiledGraph, EdgeStatus, Problem, is_compiled
from sailplan.core.kernel.arrays import (
    ANSWERED,
    ANSWERS_DUE,
    EDGE_EVALUATIONS,
    EDGE_LOG_FULL,
    EVALUATED,
    MOST_WORK,
    NOT_EVALUATED,
    OPEN,
    PENDING,
    POLICY_DUE,
    POLICY_FULL,
    QUEUE_FULL,
    REQUESTED,
    WORK,
    SearchArrays,
)
from sailplan.core.kernel.heap import FIRST_ROOM, VERTEX_BITS
from sailplan.core.kernel.loop import COMPILE_ONLY, UNLIMITED, advance
from sailplan.core.kernel.obstacles import ListedObstacles, NoObstacles
from sailplan.core.policy import NO_BOUND, NOT_STEERED, CompiledForm, Policy
from sailplan.core.result import OUTCOME_OF_CODE, Outcome, OutOfTime, StopRule, TimeLimit, clock
from sailplan.core.state import SearchState, allocate_queues, enlarge_queues, sparse_empty, sparse_zeros
from sailplan.errors import EngineError

_LONGEST_CALL = 0.05
"""Seconds that a kernel may run before Python can handle an interrupt."""
_LONGEST_TIMED_CALL = 0.001
"""The same for searches with a time limit."""
_FIRST_EXPANSIONS = 4096
_WORK_PER_EXPANSION = 64
"""Number of vertices that the policy may process in a call for each expansion of it, up to MOST_WORK."""
_SLOW_VERTEX, _FEWEST_AT_ONCE = 4e-5, 64
"""Seconds that a vertex may take where the search touches new memory, a hundred times as long as elsewhere; and how
many vertices may be processed in a call although there is no time for as many of them."""
_RESULT_SECONDS, _RESULT_SECONDS_OF_EDGE = 5e-8, 25e-8
"""About the time for each expansion and for each evaluated edge that the result takes, mostly for coordinates."""
_OF_OPPOSITE = np.full(max(EdgeStatus) + 1, NOT_EVALUATED, np.uint8)
"""The result of the opposite of an undirected edge; an invalid target tells nothing about the source."""
_OF_OPPOSITE[[EdgeStatus.VALID, EdgeStatus.VALID_TARGET]] = EdgeStatus.VALID
_OF_OPPOSITE[EdgeStatus.INVALID_EDGE] = EdgeStatus.INVALID_EDGE
_COMPILED: set[tuple[type, ...]] = set()
"""Classes of arguments for which this process has compiled or loaded the kernel."""


class CompiledEngine:
    """One compiled search."""

    name = "compiled"

    def __init__(self, problem: Problem, form: CompiledForm, stop: StopRule) -> None:
        graph = form.graph or problem.graph
        assert is_compiled(graph)
        self.state = SearchState(graph.vertex_count)
        self.notes = form.notes
        self._graph = graph
        self._form = form
        self._policy = form.arrays
        self._search = allocate_search(graph, problem, form, self.state)
        self._goal = problem.goal
        self._stop_at_generation = stop is StopRule.GOAL_GENERATED
        self._seconds_in_python = 0.0
        self._uncounted, self._counted_early = 0, 0
        self.state.begin(problem.start)
        self._compile()

    def _compile(self) -> None:
        """Compile or load the kernel if this process has not; here the time is not measured."""
        search = self._search
        kinds = (type(search.graph), type(search.queue), type(search.obstacles), *_record_classes(self._policy))
        if kinds not in _COMPILED:
            self._call(COMPILE_ONLY)
            _COMPILED.add(kinds)

    def advance(self, expansions: int, evaluations: int | None, deadline: float) -> Outcome | None:
        """Expand at most `expansions` vertices; None if all of them were expanded and the search can continue."""
        counts = self.state.arrays.counts
        answered = counts[PENDING] + counts[REQUESTED] == 0
        if self._stop_at_generation and answered and self.state.status[self._goal] == OPEN:
            return Outcome.GOAL_GENERATED
        if self._form.lists_candidates and self._form.requests and counts[ANSWERED] == 0:
            # The caller may have chosen another edge since.
            counts[REQUESTED] = 0
        most = UNLIMITED if evaluations is None else int(counts[EDGE_EVALUATIONS]) + evaluations
        # The kernel counts the edges of a vertex when it is expanded.
        counts[EDGE_EVALUATIONS] -= self._counted_early
        self._counted_early = 0
        with TimeLimit(deadline):
            try:
                outcome = self._run(expansions, most, deadline)
            except OutOfTime:
                outcome = Outcome.TIME_SPENT
        return self._keep_answers() if outcome is Outcome.TIME_SPENT else outcome

    def _run(self, expansions: int, most: int, deadline: float) -> Outcome | None:
        timed, counts = deadline < math.inf, self.state.arrays.counts
        chunk, longest = (1, _LONGEST_TIMED_CALL) if timed else (_FIRST_EXPANSIONS, _LONGEST_CALL)
        while expansions > 0:
            began, before = clock(), self.state.expansions
            result = _RESULT_SECONDS * before + _RESULT_SECONDS_OF_EDGE * counts.item(EVALUATED)
            if timed and began + result >= deadline:
                return Outcome.TIME_SPENT
            fit = vertices_until(deadline)
            counts[WORK] = min(_WORK_PER_EXPANSION * chunk, MOST_WORK, fit)
            outcome = OUTCOME_OF_CODE.get(self._call(min(expansions, chunk, fit), most, deadline))
            if outcome is not None:
                return outcome
            expansions -= self.state.expansions - before
            # Double or halve the number of expansions of the next call, to keep it shorter than `longest`.
            chunk = chunk * 2 if clock() - began < longest / 2 else max(1, chunk // 2)
        return None

    def _keep_answers(self) -> Outcome:
        """Record or count the edges that were evaluated in Python before the deadline; return why the search stops."""
        counts = self.state.arrays.counts
        if self._uncounted and self._form.requests:
            # As if a limit of evaluations had ended the search after them.
            most, code = int(counts[EDGE_EVALUATIONS]) + self._uncounted, EDGE_LOG_FULL
            while code in (EDGE_LOG_FULL, QUEUE_FULL):
                code = self._call(1, most)
            outcome = OUTCOME_OF_CODE.get(code)
            return outcome if outcome is not None and outcome.final else Outcome.TIME_SPENT
        self._counted_early = self._uncounted
        counts[EDGE_EVALUATIONS] += self._counted_early
        return Outcome.TIME_SPENT

    def list_candidates(self) -> None:
        """Make a steered policy list its candidates."""
        if not self._form.lists_candidates:
            raise EngineError(NOT_STEERED)
        if self._form.requests:
            self.advance(1, 0, math.inf)
            return
        if self.state.expansions == 0:
            # After an expansion, the kernel has already listed them.
            self._call(0)

    @property
    def can_tighten(self) -> bool:
        """Whether the policy proves bounds of the path cost."""
        return self._form.tighten is not None

    def tighten(self, bound: float) -> None:
        """Continue with another bound; raises EngineError if the policy proves none."""
        if not self._form.tighten:
            raise EngineError(NO_BOUND)
        self._policy, queue = self._form.tighten(self._policy, self.state, self._search.queue, bound)
        self._search = self._search._replace(queue=queue)
        self._compile()

    def lower_bound(self, deadline: float) -> float:
        """Return a lower bound of the cost of any path; 0 if the policy computes none."""
        return self._form.lower_bound(self.state, deadline) if self._form.lower_bound else 0.0

    def phase_shares(self) -> tuple[float, float, float]:
        """Return the time spent to select, expand and evaluate, in cycles."""
        select, expand, evaluate = self.state.arrays.cycles.tolist()
        return select, expand, evaluate

    @property
    def seconds_in_python(self) -> float:
        """Seconds of edge evaluations in Python, which the phases of the kernel do not include."""
        return self._seconds_in_python

    def _call(self, budget: int, most: int = UNLIMITED, deadline: float = math.inf) -> int:
        search, state = self._search, self.state
        counts = state.arrays.counts
        counted = counts.item(EDGE_EVALUATIONS)
        code: int = advance(search, self._policy, self._stop_at_generation, budget, most)
        if counts.item(EDGE_EVALUATIONS) != counted:
            self._uncounted = 0
        if code == QUEUE_FULL:
            self._search = search._replace(queue=enlarge_queues(search.queue))
        elif code == EDGE_LOG_FULL:
            # An undirected edge has two entries in the log of invalid edges.
            state.make_room_for_edges(2 * len(search.requested))
            self._search = search._replace(state=state.arrays)
        elif code == POLICY_FULL and self._form.enlarge:
            self._policy = self._form.enlarge(self._policy)
        elif code == POLICY_DUE and self._form.update:
            self._search = search._replace(queue=self._form.update(state, search.queue))
        elif code == ANSWERS_DUE:
            self._answer(most, deadline)
        return code

    @cached_property
    def _evaluator(self) -> EdgeEvaluator:
        """What evaluates edges in Python, on graphs whose arrays hold no results."""
        return EdgeEvaluator(self._graph)

    def _answer(self, most: int, deadline: float) -> None:
        """Evaluate requested edges in Python, as many as the limits allow, and write the results to the graph."""
        began, counts, rows = clock(), self.state.arrays.counts, self._search.graph
        left = most - int(counts[EDGE_EVALUATIONS])
        asked = self._search.requested[counts[ANSWERED] : min(counts[REQUESTED], counts[ANSWERED] + left)]
        edges = rows.first[asked[:, 0]] + asked[:, 1]
        # The deadline may have cut the batch in an earlier call.
        due = rows.verdicts[edges] == NOT_EVALUATED
        sources, edges = asked[due, 0], edges[due]
        statuses = self._evaluator.of_edges(sources.tolist(), rows.targets[edges].tolist(), deadline)
        edges = edges[: len(statuses)]
        rows.verdicts[edges] = statuses
        if len(rows.opposite):
            rows.verdicts[rows.opposite[edges]] = _OF_OPPOSITE[statuses]
        self._uncounted += len(statuses)
        self._seconds_in_python += clock() - began


def vertices_until(deadline: float) -> int:
    """Return how many vertices a kernel may process in a call: fewer towards the deadline (of `clock`).

    How long a call takes is not known.
    """
    return int(min(max((deadline - clock()) / _SLOW_VERTEX, _FEWEST_AT_ONCE), UNLIMITED))


def allocate_search(graph: CompiledGraph, problem: Problem, form: CompiledForm, state: SearchState) -> SearchArrays:
    """Allocate the arrays of one search on a graph with arrays, which may be a copy of that of the problem."""
    degree = graph.max_degree
    search = SearchArrays(
        graph=graph.arrays(),
        state=state.arrays,
        queue=allocate_queues(form.queues, FIRST_ROOM + 2 * degree),
        obstacles=_allocate_obstacles(graph, form),
        start=problem.start,
        goal=problem.goal,
        targets=np.empty(degree, np.uint32),
        slots=np.empty(degree, np.int64),
        costs=np.empty(degree, np.float64),
        changes=np.empty(degree, np.uint8),
        requested=np.empty((max(degree, form.requests), 2), np.int64),
    )
    if form.requests == 0:
        return search
    state.track_edges(graph_edges(graph))
    vertices = len(state.status)
    return search._replace(
        state=state.arrays,
        backward=graph.backward_arrays(),
        changed=sparse_empty(vertices, np.int32),
        waiting=sparse_empty(vertices, np.int32),
        marks=sparse_zeros(vertices, np.uint8),
    )


def graph_edges(graph: CompiledGraph) -> int:
    """Return an upper limit of the numbers that `edge_number` returns."""
    rows = getattr(graph, "row_count", None)
    return graph.vertex_count * graph.max_degree if rows is None else int(rows)


def _allocate_obstacles(graph: CompiledGraph, form: CompiledForm) -> Any:
    """Allocate the index of invalid vertices: none, that of the graph, or a plain list."""
    if not form.needs_obstacles and not form.needs_walls:
        return NoObstacles()
    allocate = getattr(graph, "obstacle_arrays", None)
    return allocate(walls=form.needs_walls) if allocate else ListedObstacles()


def _record_classes(record: Any) -> list[type]:
    """Return the classes of a record and of the records in it; the kernel is compiled once for each combination."""
    classes = [type(record)]
    for part in record:
        if isinstance(part, tuple):
            classes += _record_classes(part)
    return classes


def compile_search(problem: Problem, policy: Policy) -> CompiledForm | str:
    """Return the policy for the compiled engine, or the reason why that engine cannot run the search."""
    graph = problem.graph
    if not is_compiled(graph) and not getattr(policy, "compiles_any_graph", False):
        return f"{type(graph).__name__} has no arrays()"
    if is_compiled(graph) and graph.vertex_count >= 1 << VERTEX_BITS:
        return f"the graph has {graph.vertex_count} vertices, more than {1 << VERTEX_BITS}"
    form = compiled_form(policy, problem)
    return f"{type(policy).__name__} has no compiled form for this problem" if form is None else form


def compiled_form(policy: Policy, problem: Problem) -> CompiledForm | None:
    """Return the form of a policy for the compiled engine; None if it has none for this problem."""
    compile_for = getattr(policy, "compiled", None)
    form: CompiledForm | None = compile_for(problem) if compile_for else None
    return form
