"""Running searches: choice of the engine, limits, results and replays."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Literal, Protocol, get_args

from sailplan.core.compiled_engine import CompiledEngine, compile_search
from sailplan.core.graph import Problem
from sailplan.core.kernel.arrays import EDGE_EVALUATIONS, NON_FINITE_SCORES, POLICY_EVALUATIONS
from sailplan.core.policy import Discovery, EdgeRequest, Policy, Request
from sailplan.core.reference_engine import ReferenceEngine
from sailplan.core.result import Limits, Note, Outcome, SearchResult, StopRule, Timing, Trace
from sailplan.core.state import SearchState
from sailplan.errors import EngineError, GraphError, PolicyError, ProblemError, SailplanError

EngineName = Literal["auto", "reference", "compiled"]
_ENGINES = get_args(EngineName)
NO_LIMITS = Limits()


class Engine(Protocol):
    """An implementation of the search loop."""

    name: str
    state: SearchState
    notes: tuple[Note, ...]

    def advance(self, expansions: int, evaluations: int | None, deadline: float) -> Outcome | None:
        """Expand at most `expansions` vertices until the deadline (`perf_counter`); None if all were expanded.

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


class Search:
    """A search that can be run, inspected and resumed; `open_search` creates one."""

    def __init__(self, problem: Problem, engine: Engine, bound: float = math.inf) -> None:
        self.problem = problem
        self._engine = engine
        self._bound = bound
        self._outcome: Outcome | None = None
        self._seconds = 0.0
        self._unfinished = False

    @property
    def state(self) -> SearchState:
        """The state of the search; it is updated in place as the search continues."""
        return self._engine.state

    @property
    def seconds(self) -> float:
        """Time spent so far."""
        return self._seconds

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
        if limits.bound is not None and limits.bound < self._bound:
            self._engine.tighten(limits.bound)
            self._bound = limits.bound
            if self._outcome is Outcome.PATH_CONFIRMED:
                self._outcome = None
        if self._outcome is None or not self._outcome.final:
            began = perf_counter()
            left = sys.maxsize if limits.expansions is None else limits.expansions - self.state.expansions
            evaluations = None
            if limits.evaluations is not None:
                evaluations = max(limits.evaluations - int(self.state.arrays.counts[EDGE_EVALUATIONS]), 0)
            rest = math.inf if limits.seconds is None else limits.seconds - self._seconds
            # If an exception interrupts an expansion, its remaining successors are lost, so the search cannot continue.
            self._unfinished = True
            self._outcome = self._engine.advance(max(left, 0), evaluations, began + rest) or Outcome.EXPANSIONS_SPENT
            self._unfinished = False
            self._seconds += perf_counter() - began
        return self._outcome

    def lower_bound(self, limits: Limits = NO_LIMITS, *, timed: bool = True) -> float:
        """Return a lower bound of the cost of any path, given what is known; no edge is evaluated.

        The time counts as time of the search unless `timed` is false; `limits.seconds` may end the computation early,
        with a smaller bound.
        """
        began = perf_counter()
        rest = math.inf if limits.seconds is None else limits.seconds - self._seconds
        bound = self._engine.lower_bound(began + rest)
        self._seconds += perf_counter() - began if timed else 0.0
        return bound

    @property
    def can_improve(self) -> bool:
        """Whether the search can continue with a smaller bound of the path cost."""
        return self._engine.can_tighten

    def list_candidates(self) -> None:
        """Make a steered policy list its candidates; call it before each expansion."""
        self._engine.list_candidates()

    def _result(self, outcome: Outcome) -> SearchResult:
        state, goal = self.state, self.problem.goal
        counts = state.arrays.counts
        shares, in_python = self._engine.phase_shares(), self._engine.seconds_in_python
        unit = (self._seconds - in_python) / (sum(shares) or 1.0)
        select, expand, evaluate = (share * unit for share in shares)
        # A search by edges may know a path although a limit ended it before the policy accepted the path.
        found = outcome.found or (len(state.evaluated) > 0 and state.is_open(goal))
        return SearchResult(
            outcome=outcome,
            path=tuple(state.path_to(goal)) if found else (),
            partial_path=() if found or outcome.final else self._partial_path(),
            notes=self._engine.notes,
            cost=float(state.cost[goal]) if found else math.inf,
            bound=self._bound if outcome.found else math.inf,
            expansions=state.expansions,
            edge_evaluations=int(counts[EDGE_EVALUATIONS]),
            policy_evaluations=int(counts[POLICY_EVALUATIONS]),
            non_finite_scores=int(counts[NON_FINITE_SCORES]),
            timing=Timing(total=self._seconds, select=select, expand=expand, evaluate=evaluate + in_python),
            engine=self._engine.name,
            trace=Trace(self.problem.start, goal, state.expanded.copy(), state.evaluated[:, :2].copy()),
        )

    def _partial_path(self) -> tuple[int, ...]:
        """Return the path to the expanded vertex closest to the goal; without coordinates, to the last one.

        In a search by edges, to the closest vertex with a path.
        """
        expanded = self.state.frontier if len(self.state.evaluated) else self.state.expanded
        if len(expanded) == 0:
            return (self.problem.start,)
        try:
            places = self.problem.graph.coordinates([*expanded.tolist(), self.problem.goal])
        except GraphError:
            return tuple(self.state.path_to(int(expanded[-1])))
        squares = ((places[:-1] - places[-1]) ** 2).sum(axis=1)
        return tuple(self.state.path_to(int(expanded[squares.argmin()])))


def open_search(
    problem: Problem, policy: Policy, *, stop: StopRule | None = None, engine: EngineName = "auto"
) -> Search:
    """Create a search without expanding any vertex.

    Parameters
    ----------
    problem, policy, stop, engine
        As for `search`.

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
    if engine != "reference":
        form = compile_search(problem, policy)
        if not isinstance(form, str):
            return Search(problem, CompiledEngine(problem, form, rule), _proven_bound(problem, policy, rule))
        if engine == "compiled":
            raise EngineError(f"{problem.name}: the compiled engine cannot run this search: {form}")
    return Search(problem, ReferenceEngine(problem, policy, rule), _proven_bound(problem, policy, rule))


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
    return open_search(problem, policy, stop=stop, engine=engine).run(limits)


def _stop_rule(rule: object) -> StopRule:
    if isinstance(rule, StopRule):
        return rule
    try:
        return StopRule(rule)  # type: ignore[arg-type]
    except ValueError as error:
        raise PolicyError(f"no stop rule {rule!r}; there are {', '.join(StopRule)}") from error


def _described(value: object) -> str:
    return repr(value) if isinstance(value, str | int | float | None) else type(value).__name__


def replay(problem: Problem, trace: Trace, expansions: int | None = None) -> SearchState:
    """Replay a recorded search.

    Parameters
    ----------
    problem
        The problem on which the trace was recorded.
    trace
        The trace of a result.
    expansions
        Number of expansions to replay, or of evaluated edges if the policy requested edges; all by default.

    Returns
    -------
    SearchState
        The state of the search after these expansions.

    Raises
    ------
    SailplanError
        If the trace was recorded on another problem.

    Examples
    --------
    >>> from sailplan.policies import dijkstra
    >>> from sailplan.testing import draw_problem
    >>> problem = draw_problem("S..G")
    >>> trace = search(problem, dijkstra()).trace
    >>> replay(problem, trace, expansions=2).frontier
    array([2])
    """
    by_edges = len(trace.evaluated) > 0
    whole = len(trace.evaluated) if by_edges else len(trace.expanded)
    steps = Limits(expansions=expansions).expansions
    steps = whole if steps is None else min(steps, whole)
    session = open_search(problem, ScriptedPolicy(trace))
    session.run(Limits(evaluations=steps) if by_edges else Limits(expansions=steps))
    return session.state


@dataclass(frozen=True)
class ScriptedPolicy:
    """A policy that requests the vertices or edges of a trace in their order."""

    trace: Trace
    stop: StopRule = StopRule.GOAL_EXPANDED

    def open(self, problem: Problem, state: SearchState) -> ScriptedFrontier:
        """Create the open list of a replay."""
        self.check(problem)
        if len(self.trace.evaluated):
            state.track_edges(0)
        return ScriptedFrontier(self.trace, state)

    def check(self, problem: Problem) -> None:
        """Raise SailplanError if the trace has another start or goal than the problem."""
        if (problem.start, problem.goal) != (self.trace.start, self.trace.goal):
            raise SailplanError(f"{problem.name}: the trace was recorded between other vertices")


class ScriptedFrontier:
    """The open list of a replay."""

    def __init__(self, trace: Trace, state: SearchState) -> None:
        self._vertices, self._edges = trace.expanded.tolist(), trace.evaluated.tolist()
        self.requests_edges = len(self._edges) > 0
        self._state = state

    def observe(self, discovery: Discovery) -> None:
        """Do nothing: the trace determines the order."""

    def add(self, vertices: Sequence[int]) -> None:
        """Do nothing: the trace determines the order."""

    def select(self) -> Request:
        """Return the next vertex or edge of the trace."""
        edge, vertex = len(self._state.evaluated), self._state.expansions
        if vertex < len(self._vertices):
            return int(self._vertices[vertex])
        # An expansion that a limit of evaluations ended is replayed edge by edge.
        return EdgeRequest([tuple(self._edges[edge])]) if edge < len(self._edges) else None
