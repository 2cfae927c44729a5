"""The compiled engine: the same loop, compiled, for graphs and policies that come as arrays."""

from __future__ import annotations

import math
from time import perf_counter

import numpy as np

from sailplan.core.graph import is_compiled
from sailplan.core.limits import OUTCOME_OF_CODE, Outcome, StopRule
from sailplan.core.policy import NOT_STEERED, Attendant, Policy, is_attended, is_compiled_policy
from sailplan.core.problem import Problem
from sailplan.core.state import SearchState
from sailplan.errors import EngineError
from sailplan.kernels.arrays import BELIEF_DUE, EDGE_LOG_FULL, OPEN, QUEUE_FULL, REPAIR_FULL
from sailplan.kernels.best_first import advance
from sailplan.kernels.heap import FIRST_ROOM, VERTEX_BITS, allocate_queues, enlarge_queues
from sailplan.kernels.obstacles import allocate_obstacles
from sailplan.kernels.open_list import needs_of, queues_needed
from sailplan.kernels.policy_arrays import MixtureArrays, PolicyArrays, ReplanningArrays, SteeredArrays
from sailplan.kernels.replanning import with_more_room

_LONGEST_CALL = 0.05
"""Seconds a kernel may run before Python gets to see an interrupt."""
_LONGEST_TIMED_CALL = 0.001
"""The same where a deadline is to be kept."""
_FIRST_EXPANSIONS = 4096
_COMPILED: set[tuple[type, ...]] = set()
"""Kinds of arguments for which the kernel is ready in this process."""


class CompiledEngine:
    """One compiled search."""

    name = "compiled"

    def __init__(
        self, problem: Problem, policy: PolicyArrays, stop: StopRule, attendant: Attendant | None = None
    ) -> None:
        graph = problem.graph
        assert is_compiled(graph)
        self.state = SearchState(graph.vertex_count)
        self._graph = graph.arrays()
        self._policy = policy
        self._attendant = attendant
        self._obstacles = allocate_obstacles(self._graph, *needs_of(policy))
        self._queue = allocate_queues(queues_needed(policy), FIRST_ROOM + 2 * graph.max_degree)
        self._start, self._goal = problem.start, problem.goal
        self._stop_at_generation = stop is StopRule.GOAL_GENERATED
        self._targets = np.empty(graph.max_degree, np.uint32)
        self._costs = np.empty(graph.max_degree, np.float64)
        self._changes = np.empty(graph.max_degree, np.uint8)
        self.state.begin(problem.start)
        kind = (*_types(policy), type(self._graph), type(self._queue), type(self._obstacles))
        if kind not in _COMPILED and not isinstance(policy, SteeredArrays):
            # The first call of a process compiles or loads the kernel; do it here, where no clock runs. A steered
            # policy would score the start then, to list it.
            self._call(0)
            _COMPILED.add(kind)

    def advance(self, expansions: int, deadline: float) -> Outcome | None:
        """Expand up to so many vertices; None where that budget, not the search, came to its end."""
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
            # Let the next call be twice as long, or half, so that it stays within the longest.
            chunk = chunk * 2 if perf_counter() - began < longest / 2 else max(1, chunk // 2)
        return None

    def list_candidates(self) -> None:
        """Let a steered policy write down its candidates."""
        if not isinstance(self._policy, SteeredArrays):
            raise EngineError(NOT_STEERED)
        if self.state.expansions == 0:
            # Later the kernel has done it at the end of its last call.
            self._call(0)

    def phase_shares(self) -> tuple[float, float, float]:
        """Time spent to select, expand and evaluate, in any unit."""
        select, expand, evaluate = self.state.arrays.cycles.tolist()
        return select, expand, evaluate

    def _call(self, budget: int) -> int:
        state = self.state
        code: int = advance(
            self._graph,
            self._policy,
            self._queue,
            self._obstacles,
            state.arrays,
            self._start,
            self._goal,
            self._stop_at_generation,
            budget,
            self._targets,
            self._costs,
            self._changes,
        )
        if code == QUEUE_FULL:
            self._queue = enlarge_queues(self._queue)
        elif code == EDGE_LOG_FULL:
            state.make_room_for_edges(len(self._targets))
        elif code == REPAIR_FULL and isinstance(self._policy, ReplanningArrays):
            self._policy = with_more_room(self._policy)
        elif code == BELIEF_DUE and self._attendant:
            self._queue = self._attendant(state, self._queue)
        return code


def _types(policy: PolicyArrays) -> tuple[type, ...]:
    if isinstance(policy, MixtureArrays):
        return (MixtureArrays, *_types(policy.first), *_types(policy.second))
    return (type(policy),)


def policy_arrays(problem: Problem, policy: Policy) -> PolicyArrays | str:
    """The arrays that the compiled engine needs of a policy, or the reason why it cannot run this search."""
    if not is_compiled(problem.graph):
        return f"{type(problem.graph).__name__} has no arrays()"
    if problem.graph.vertex_count >= 1 << VERTEX_BITS:
        return f"the graph has {problem.graph.vertex_count} vertices, more than {1 << VERTEX_BITS}"
    arrays = policy.arrays(problem) if is_compiled_policy(policy) else None
    return f"{type(policy).__name__} has no arrays for this problem" if arrays is None else arrays


def attendant_of(problem: Problem, policy: Policy, arrays: PolicyArrays) -> Attendant | None:
    """What the policy does in Python during a compiled search, if anything."""
    return policy.attend(problem, arrays) if is_attended(policy) else None
