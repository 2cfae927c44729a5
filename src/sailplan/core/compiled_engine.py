"""The compiled engine: the search loop in machine code, for graphs and policies that provide arrays."""

from __future__ import annotations

import math
from time import perf_counter
from typing import Any

import numpy as np

from sailplan.core.graph import CompiledGraph, Problem, is_compiled
from sailplan.core.kernel.arrays import EDGE_LOG_FULL, OPEN, POLICY_DUE, POLICY_FULL, QUEUE_FULL, SearchArrays
from sailplan.core.kernel.heap import FIRST_ROOM, VERTEX_BITS
from sailplan.core.kernel.loop import COMPILE_ONLY, advance
from sailplan.core.kernel.obstacles import ListedObstacles, NoObstacles
from sailplan.core.policy import NOT_STEERED, CompiledForm, Policy
from sailplan.core.result import OUTCOME_OF_CODE, Outcome, StopRule
from sailplan.core.state import SearchState, allocate_queues, enlarge_queues
from sailplan.errors import EngineError

_LONGEST_CALL = 0.05
"""Seconds that a kernel may run before Python can handle an interrupt."""
_LONGEST_TIMED_CALL = 0.001
"""The same for searches with a time limit."""
_FIRST_EXPANSIONS = 4096
_COMPILED: set[tuple[type, ...]] = set()
"""Classes of arguments for which this process has compiled or loaded the kernel."""


class CompiledEngine:
    """One compiled search."""

    name = "compiled"

    def __init__(self, problem: Problem, form: CompiledForm, stop: StopRule) -> None:
        graph = problem.graph
        assert is_compiled(graph)
        self.state = SearchState(graph.vertex_count)
        self.notes = form.notes
        self._form = form
        self._policy = form.arrays
        self._search = allocate_search(problem, form, self.state)
        self._goal = problem.goal
        self._stop_at_generation = stop is StopRule.GOAL_GENERATED
        self.state.begin(problem.start)
        search = self._search
        kinds = (type(search.graph), type(search.queue), type(search.obstacles), *_record_classes(self._policy))
        if kinds not in _COMPILED:
            # The first call of a process compiles or loads the kernel; here this time is not measured.
            self._call(COMPILE_ONLY)
            _COMPILED.add(kinds)

    def advance(self, expansions: int, deadline: float) -> Outcome | None:
        """Expand at most `expansions` vertices; None if all of them were expanded and the search can continue."""
        if self._stop_at_generation and self.state.status[self._goal] == OPEN:
            return Outcome.GOAL_GENERATED
        timed = deadline < math.inf
        chunk, longest = (1, _LONGEST_TIMED_CALL) if timed else (_FIRST_EXPANSIONS, _LONGEST_CALL)
        while expansions > 0:
            began = perf_counter()
            if began >= deadline:
                return Outcome.TIME_SPENT
            before = self.state.expansions
            outcome = OUTCOME_OF_CODE.get(self._call(min(expansions, chunk)))
            if outcome is not None:
                return outcome
            expansions -= self.state.expansions - before
            # Double or halve the number of expansions of the next call, to keep it shorter than `longest`.
            chunk = chunk * 2 if perf_counter() - began < longest / 2 else max(1, chunk // 2)
        return None

    def list_candidates(self) -> None:
        """Make a steered policy list its candidates."""
        if not self._form.lists_candidates:
            raise EngineError(NOT_STEERED)
        if self.state.expansions == 0:
            # After an expansion, the kernel has already listed them.
            self._call(0)

    def phase_shares(self) -> tuple[float, float, float]:
        """Return the time spent to select, expand and evaluate, in cycles."""
        select, expand, evaluate = self.state.arrays.cycles.tolist()
        return select, expand, evaluate

    def _call(self, budget: int) -> int:
        search, state = self._search, self.state
        code: int = advance(search, self._policy, self._stop_at_generation, budget)
        if code == QUEUE_FULL:
            self._search = search._replace(queue=enlarge_queues(search.queue))
        elif code == EDGE_LOG_FULL:
            state.make_room_for_edges(len(search.targets))
            self._search = search._replace(state=state.arrays)
        elif code == POLICY_FULL and self._form.enlarge:
            self._policy = self._form.enlarge(self._policy)
        elif code == POLICY_DUE and self._form.update:
            self._search = search._replace(queue=self._form.update(state, search.queue))
        return code


def allocate_search(problem: Problem, form: CompiledForm, state: SearchState) -> SearchArrays:
    """Allocate the arrays of one search on a graph with arrays."""
    graph = problem.graph
    assert is_compiled(graph)
    degree = graph.max_degree
    return SearchArrays(
        graph=graph.arrays(),
        state=state.arrays,
        queue=allocate_queues(form.queues, FIRST_ROOM + 2 * degree),
        obstacles=_allocate_obstacles(graph, form),
        start=problem.start,
        goal=problem.goal,
        targets=np.empty(degree, np.uint32),
        costs=np.empty(degree, np.float64),
        changes=np.empty(degree, np.uint8),
    )


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
    if not is_compiled(problem.graph):
        return f"{type(problem.graph).__name__} has no arrays()"
    if problem.graph.vertex_count >= 1 << VERTEX_BITS:
        return f"the graph has {problem.graph.vertex_count} vertices, more than {1 << VERTEX_BITS}"
    form = compiled_form(policy, problem)
    return f"{type(policy).__name__} has no compiled form for this problem" if form is None else form


def compiled_form(policy: Policy, problem: Problem) -> CompiledForm | None:
    """Return the form of a policy for the compiled engine; None if it has none for this problem."""
    compile_for = getattr(policy, "compiled", None)
    form: CompiledForm | None = compile_for(problem) if compile_for else None
    return form
