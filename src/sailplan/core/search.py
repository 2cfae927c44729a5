"""Running searches: choice of the engine, limits and results."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from functools import cached_property
from typing import Any, Literal, Protocol, cast, get_args

import numpy as np
from numpy.typing import NDArray

from sailplan.core.compiled_engine import CompiledEngine, compile_search
from sailplan.core.graph import Problem, is_compiled
from sailplan.core.kernel.arrays import EDGE_EVALUATIONS, EXPANSIONS, NON_FINITE_SCORES, OPEN, POLICY_EVALUATIONS
from sailplan.core.kernel.compile import compilation
from sailplan.core.policy import NO_BOUND, NOT_STEERED, Policy
from sailplan.core.reference_engine import ReferenceEngine
from sailplan.core.result import (
    Limits,
    Note,
    Outcome,
    OutOfTime,
    SearchResult,
    StopRule,
    TimeLimit,
    Timing,
    Trace,
    check_time,
    clock,
)
from sailplan.core.state import MANY, SearchState
from sailplan.errors import EngineError, GraphError, PolicyError, ProblemError, SailplanError

EngineName = Literal["auto", "reference", "compiled"]
_ENGINES = get_args(EngineName)
NO_LIMITS = Limits()
_VERTICES_AT_ONCE = 1 << 15
"""As many coordinates fit into the cache of a processor."""
_FREEING_SHARE = 0.04
"""About the share of the time of a search on a large graph that the system takes to release its memory."""


class Engine(Protocol):
    """An implementation of the search loop."""

    name: str
    notes: tuple[Note, ...]

    @property
    def state(self) -> SearchState:
        """The state of the search."""

    def advance(self, expansions: int, evaluations: int | None, deadline: float) -> Outcome | None:
        """Expand at most `expansions` vertices until the deadline (of `clock`); None if all were expanded.

        At most `evaluations` edges are evaluated; None for no limit.
        """

    @property
    def can_tighten(self) -> bool:
        """Whether the policy proves bounds of the path cost, so that `tighten` can be called."""

    def tighten(self, bound: float) -> None:
        """Continue with another bound of the path cost; raises EngineError if the policy proves none."""

    def lower_bound(self, deadline: float) -> float:
        """Return a lower bound of the cost of any path; 0 if the policy computes none."""

    def list_candidates(self) -> None:
        """Make a steered policy list its candidates; raises EngineError for other policies."""

    def phase_shares(self) -> tuple[float, float, float]:
        """Return the time spent to select, expand and evaluate, in any unit."""

    @property
    def seconds_in_python(self) -> float:
        """Seconds of edge evaluations that the shares do not include."""


class UnpreparedEngine:
    """The engine of a search whose set-up has not been completed; nothing is expanded."""

    can_tighten = False
    notes: tuple[Note, ...] = ()
    seconds_in_python = 0.0

    def __init__(self, problem: Problem, name: str) -> None:
        self.name = name
        self._problem = problem

    @cached_property
    def state(self) -> SearchState:
        """A state in which nothing is expanded; most searches never need it."""
        state = SearchState(max(self._problem.start, self._problem.goal) + 1)
        state.begin(self._problem.start)
        return state

    def advance(self, expansions: int, evaluations: int | None, deadline: float) -> Outcome:
        """Return that the time limit was reached."""
        return Outcome.TIME_SPENT

    def tighten(self, bound: float) -> None:
        """Raise EngineError: there is no policy yet."""
        raise EngineError(NO_BOUND)

    def lower_bound(self, deadline: float) -> float:
        """Return 0."""
        return 0.0

    def list_candidates(self) -> None:
        """Raise EngineError: there is no policy yet."""
        raise EngineError(NOT_STEERED)

    def phase_shares(self) -> tuple[float, float, float]:
        """Return zeros."""
        return 0.0, 0.0, 0.0


class Search:
    """A search that can be run, inspected and resumed; `open_search` creates one."""

    def __init__(
        self, problem: Problem, set_up: Callable[[], Engine], bound: float = math.inf, *, engine_name: str = "compiled"
    ) -> None:
        self.problem = problem
        self._set_up = set_up
        self._engine: Engine = UnpreparedEngine(problem, engine_name)
        self._bound = bound
        self._outcome: Outcome | None = None
        self._seconds = 0.0
        self._set_up_seconds = 0.0
        self._compile_seconds = 0.0
        self._unfinished = False

    @property
    def state(self) -> SearchState:
        """The state of the search; it is updated in place as the search continues."""
        return self._engine.state

    @property
    def seconds(self) -> float:
        """Time spent so far."""
        return self._seconds

    def prepare(self, seconds: float | None = None) -> bool:
        """Let the policy make what it needs before the search, for example a table; `run` calls this first.

        Parameters
        ----------
        seconds
            Time limit, counted from the start of the search; None for no limit. What is not completed is discarded,
            and made again in the next call.

        Returns
        -------
        bool
            Whether the search is ready to expand vertices.
        """
        if not isinstance(self._engine, UnpreparedEngine):
            return True
        began, compiled = clock(), compilation.seconds
        deadline = self._deadline(began, seconds)
        if self._set_up_seconds and deadline <= began:
            # An earlier call has used all of the time.
            return False
        try:
            with TimeLimit(deadline):
                self._engine = self._set_up()
        except OutOfTime:
            return False
        finally:
            spent = clock() - began
            self._set_up_seconds += spent
            self._spend(spent, compiled)
        return True

    def _deadline(self, now: float, seconds: float | None) -> float:
        if seconds is None:
            return math.inf
        share = _FREEING_SHARE if len(self.state.status) >= MANY else 0.0
        return now + (1.0 - share) * seconds - self._seconds

    def _spend(self, seconds: float, compiled: float) -> None:
        """Count time of the search, and the time since `compiled` in which kernels were compiled."""
        self._seconds += seconds
        self._compile_seconds += compilation.seconds - compiled

    def run(self, limits: Limits = NO_LIMITS) -> SearchResult:
        """Search until the goal is found, no vertex is open or a limit is reached.

        Parameters
        ----------
        limits
            Limits, counted from the start of the search, not from this call.

        Returns
        -------
        SearchResult
            The result so far.

        Raises
        ------
        SailplanError
            If an exception interrupted an earlier call.
        """
        return self._result(self.advance(limits))

    def advance(self, limits: Limits = NO_LIMITS) -> Outcome:
        """Search like `run`, but return the outcome only, which is faster for single steps."""
        if self._unfinished:
            raise SailplanError(f"{self.problem.name}: an exception interrupted this search; open a new one")
        if not self.prepare(limits.seconds):
            return Outcome.TIME_SPENT
        tightened = limits.bound is not None and limits.bound < self._bound
        if self._outcome is None or not self._outcome.final or tightened:
            began, compiled = clock(), compilation.seconds
            deadline = self._deadline(began, limits.seconds)
            if not tightened or self._tighten(limits.bound, deadline):
                self._outcome = self._advance(limits, deadline)
            self._spend(clock() - began, compiled)
        assert self._outcome is not None
        return self._outcome

    def _tighten(self, bound: float | None, deadline: float) -> bool:
        """Continue with a smaller bound; return whether the search continues. If time runs out, nothing changes."""
        assert bound is not None
        try:
            with TimeLimit(deadline):
                check_time()
                self._engine.tighten(bound)
        except OutOfTime:
            self._outcome = Outcome.TIME_SPENT
            return False
        self._bound = bound
        if self._outcome is Outcome.PATH_CONFIRMED:
            self._outcome = None
        return self._outcome is None or not self._outcome.final

    def _advance(self, limits: Limits, deadline: float) -> Outcome:
        left = sys.maxsize if limits.expansions is None else limits.expansions - self.state.expansions
        evaluations = None
        if limits.evaluations is not None:
            evaluations = max(limits.evaluations - int(self.state.arrays.counts[EDGE_EVALUATIONS]), 0)
        # If an exception interrupts an expansion, its remaining successors are lost, so the search cannot continue.
        self._unfinished = True
        outcome = self._engine.advance(max(left, 0), evaluations, deadline) or Outcome.EXPANSIONS_SPENT
        self._unfinished = False
        return outcome

    def lower_bound(self, limits: Limits = NO_LIMITS) -> float:
        """Return a lower bound of the cost of any path, given what is known; no edge is evaluated.

        The time counts as time of the search; `limits.seconds` may end the computation early, with a smaller bound.
        """
        if not self.prepare(limits.seconds):
            return 0.0
        began, compiled = clock(), compilation.seconds
        deadline = self._deadline(began, limits.seconds)
        try:
            with TimeLimit(deadline):
                check_time()
                return self._engine.lower_bound(deadline)
        except OutOfTime:
            return 0.0
        finally:
            self._spend(clock() - began, compiled)

    @property
    def can_improve(self) -> bool:
        """Whether the search can continue with a smaller bound of the path cost."""
        return self._engine.can_tighten

    def list_candidates(self) -> None:
        """Make a steered policy list its candidates; call it before each expansion."""
        self._engine.list_candidates()

    def _result(self, outcome: Outcome) -> SearchResult:
        state, goal = self.state, self.problem.goal
        # A search by edges may know a path although a limit ended it before the policy accepted the path.
        found = outcome.found or (len(state.evaluated) > 0 and state.is_open(goal))
        partial_path: tuple[int, ...] = ()
        if not found and not outcome.final:
            began, compiled = clock(), compilation.seconds
            partial_path = self._partial_path()
            self._spend(clock() - began, compiled)
        counts = state.arrays.counts.tolist()
        return SearchResult(
            outcome=outcome,
            path=tuple(state.path_to(goal)) if found else (),
            partial_path=partial_path,
            notes=self._engine.notes,
            cost=float(state.cost[goal]) if found else math.inf,
            bound=self._bound if outcome.found else math.inf,
            expansions=counts[EXPANSIONS],
            edge_evaluations=counts[EDGE_EVALUATIONS],
            policy_evaluations=counts[POLICY_EVALUATIONS],
            non_finite_scores=counts[NON_FINITE_SCORES],
            timing=self._timing(),
            engine=self._engine.name,
            trace=Trace(self.problem.start, goal, state.expanded.copy(), state.evaluated[:, :2].copy()),
        )

    def _timing(self) -> Timing:
        shares, in_python = self._engine.phase_shares(), self._engine.seconds_in_python
        unit = (self._seconds - self._set_up_seconds - in_python) / (sum(shares) or 1.0)
        select, expand, evaluate = (share * unit for share in shares)
        return Timing(
            total=self._seconds,
            select=select,
            expand=expand,
            evaluate=evaluate + in_python,
            set_up=self._set_up_seconds,
            compile=self._compile_seconds,
        )

    def _partial_path(self) -> tuple[int, ...]:
        """Return the path to the expanded vertex closest to the goal; without coordinates, to the last one.

        In a search by edges, to the closest vertex with a path.
        """
        found: NDArray[np.integer] = self.state.expanded
        by_edges = len(self.state.evaluated) > 0
        if by_edges:
            # Open vertices are ends of evaluated edges; this is faster than to look at all vertices.
            ends = np.append(self.state.evaluated[:, :2], self.problem.start)
            found = ends[self.state.status[ends] == OPEN]
        if len(found) == 0:
            return (self.problem.start,)
        try:
            vertex = self._closest(found, smallest=by_edges)
        except GraphError:
            vertex = int(found.max() if by_edges else found[-1])
        return tuple(self.state.path_to(vertex))

    def _closest(self, vertices: NDArray[np.integer], *, smallest: bool) -> int:
        """Return the vertex with the smallest straight distance to the goal.

        If there are several, the first one, or the one with the smallest number.
        """
        coordinates, in_arrays = self.problem.graph.coordinates, is_compiled(self.problem.graph)
        goal = coordinates([self.problem.goal])
        closest, least = int(vertices[0]), math.inf
        for first in range(0, len(vertices), _VERTICES_AT_ONCE):
            part = vertices[first : first + _VERTICES_AT_ONCE]
            # Graphs with arrays take arrays, which saves a list of millions of vertices.
            offsets = coordinates(cast(Any, part) if in_arrays else part.tolist()) - goal
            squares = np.einsum("ij,ij->i", offsets, offsets)
            nearest = float(squares.min())
            if nearest <= least:
                equal = part[squares == nearest]
                vertex = int(equal.min() if smallest else equal[0])
                if nearest < least or (smallest and vertex < closest):
                    closest, least = vertex, nearest
        return closest


def open_search(
    problem: Problem,
    policy: Policy,
    *,
    stop: StopRule | None = None,
    engine: EngineName = "auto",
    seconds: float | None = None,
) -> Search:
    """Create a search without expanding any vertex.

    Parameters
    ----------
    problem, policy, stop, engine
        As for `search`.
    seconds
        Time limit of the set-up of the policy; None for no limit. If it is reached, `run` begins the set-up again. Its
        time counts as time of the search.

    Returns
    -------
    Search
        A search whose method `run(limits)` can be called repeatedly; limits count from the start of the search.

    Raises
    ------
    SailplanError
        If the problem or the policy is not valid, or the engine cannot run the search.

    Examples
    --------
    >>> from sailplan.policies import dijkstra
    >>> from sailplan.testing import draw_problem
    >>> session = open_search(draw_problem("S..G"), dijkstra())
    >>> session.run(Limits(expansions=1)).outcome.value
    'expansions_spent'
    >>> session.state.expanded
    array([0], dtype=int32)
    >>> session.run().path
    (0, 1, 2, 3)
    """
    if not isinstance(problem, Problem):
        raise ProblemError(f"a search needs a Problem, got {_described(problem)}")
    if not callable(getattr(policy, "open", None)) or not hasattr(policy, "stop"):
        raise PolicyError(
            f"a search needs a policy, an object with `stop` and `open`, got {_described(policy)}; "
            "load_policy(name) returns one"
        )
    if engine not in _ENGINES:
        raise EngineError(f"no engine {engine!r}; there are {', '.join(_ENGINES)}")
    rule = _stop_rule(policy.stop if stop is None else stop)

    def set_up() -> Engine:
        if engine != "reference":
            form = compile_search(problem, policy)
            if not isinstance(form, str):
                return CompiledEngine(problem, form, rule)
            if engine == "compiled":
                raise EngineError(f"{problem.name}: the compiled engine cannot run this search: {form}")
        return ReferenceEngine(problem, policy, rule)

    name = "reference" if engine == "reference" or not is_compiled(problem.graph) else "compiled"
    session = Search(problem, set_up, _proven_bound(problem, policy, rule), engine_name=name)
    session.prepare(seconds)
    return session


def _proven_bound(problem: Problem, policy: Policy, rule: StopRule) -> float:
    """Return by which factor the cost may exceed the optimum if a path is found; infinite if nothing is known."""
    prove = getattr(policy, "proven_bound", None)
    return math.inf if prove is None else float(prove(problem, rule))


def search(
    problem: Problem,
    policy: Policy,
    limits: Limits = NO_LIMITS,
    *,
    stop: StopRule | None = None,
    engine: EngineName = "auto",
) -> SearchResult:
    """Find a path from the start of a problem to its goal.

    Parameters
    ----------
    problem
        The graph, the start and the goal.
    policy
        The rule that decides which vertex to expand next; see `load_policy`.
    limits
        Limits of expansions, evaluations and time, and the bound of the path cost; none by default.
    stop
        The event at which the search stops; by default the stop rule of the policy.
    engine
        "compiled", "reference", or "auto" for the fastest engine that can run the search. The result is the same.

    Returns
    -------
    SearchResult
        The outcome, the path and its cost, and counters. A missing path is an outcome, not an error.

    Raises
    ------
    SailplanError
        If the problem or the policy is not valid, or the engine cannot run the search.

    Examples
    --------
    >>> from sailplan.graphs import ExplicitGraph, Problem
    >>> from sailplan.policies import dijkstra
    >>> graph = ExplicitGraph.from_edges(3, [(0, 1, 1.0), (1, 2, 1.0), (0, 2, 5.0)])
    >>> result = search(Problem(graph, 0, 2), dijkstra())
    >>> result.path, result.cost
    ((0, 1, 2), 2.0)
    """
    if not isinstance(limits, Limits):
        raise SailplanError(f"limits are given as Limits(...), got {_described(limits)}")
    return open_search(problem, policy, stop=stop, engine=engine, seconds=limits.seconds).run(limits)


def _stop_rule(rule: object) -> StopRule:
    if isinstance(rule, StopRule):
        return rule
    try:
        return StopRule(rule)  # type: ignore[arg-type]
    except ValueError as error:
        raise PolicyError(f"no stop rule {rule!r}; there are {', '.join(StopRule)}") from error


def _described(value: object) -> str:
    return repr(value) if isinstance(value, str | int | float | None) else type(value).__name__
