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
from sailplan.core.policy import Discovery, Policy
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

    def advance(self, expansions: int, deadline: float) -> Outcome | None:
        """Expand at most `expansions` vertices until the deadline (`perf_counter`); None if all were expanded."""

    def list_candidates(self) -> None:
        """Make a steered policy list its candidates; raises EngineError for other policies."""

    def phase_shares(self) -> tuple[float, float, float]:
        """Return the time spent to select, expand and evaluate, in any unit."""


class Search:
    """A search that can be run, inspected and resumed; `open_search` creates one."""

    def __init__(self, problem: Problem, engine: Engine) -> None:
        self.problem = problem
        self._engine = engine
        self._outcome: Outcome | None = None
        self._seconds = 0.0
        self._unfinished = False

    @property
    def state(self) -> SearchState:
        """The state of the search; it is updated in place as the search continues."""
        return self._engine.state

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
        if self._outcome is None or not self._outcome.final:
            began = perf_counter()
            left = sys.maxsize if limits.expansions is None else limits.expansions - self.state.expansions
            rest = math.inf if limits.seconds is None else limits.seconds - self._seconds
            # If an exception interrupts an expansion, its remaining successors are lost, so the search cannot continue.
            self._unfinished = True
            self._outcome = self._engine.advance(max(left, 0), began + rest) or Outcome.EXPANSIONS_SPENT
            self._unfinished = False
            self._seconds += perf_counter() - began
        return self._outcome

    def list_candidates(self) -> None:
        """Make a steered policy list its candidates; call it before each expansion."""
        self._engine.list_candidates()

    def _result(self, outcome: Outcome) -> SearchResult:
        state, goal = self.state, self.problem.goal
        counts = state.arrays.counts
        shares = self._engine.phase_shares()
        unit = self._seconds / (sum(shares) or 1.0)
        select, expand, evaluate = (share * unit for share in shares)
        return SearchResult(
            outcome=outcome,
            path=tuple(state.path_to(goal)) if outcome.found else (),
            partial_path=() if outcome.final else self._partial_path(),
            notes=self._engine.notes,
            cost=float(state.cost[goal]) if outcome.found else math.inf,
            expansions=state.expansions,
            edge_evaluations=int(counts[EDGE_EVALUATIONS]),
            policy_evaluations=int(counts[POLICY_EVALUATIONS]),
            non_finite_scores=int(counts[NON_FINITE_SCORES]),
            timing=Timing(total=self._seconds, select=select, expand=expand, evaluate=evaluate),
            engine=self._engine.name,
            trace=Trace(self.problem.start, goal, state.expanded.copy()),
        )

    def _partial_path(self) -> tuple[int, ...]:
        """Return the path to the expanded vertex closest to the goal; without coordinates, to the last one."""
        expanded = self.state.expanded
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
            return Search(problem, CompiledEngine(problem, form, rule))
        if engine == "compiled":
            raise EngineError(f"{problem.name}: the compiled engine cannot run this search: {form}")
    return Search(problem, ReferenceEngine(problem, policy, rule))


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
        Limits of expansions and time; none by default.
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
        Number of expansions to replay; all by default.

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
    steps = len(trace.expanded) if expansions is None else min(expansions, len(trace.expanded))
    session = open_search(problem, ScriptedPolicy(trace))
    session.run(Limits(expansions=steps))
    return session.state


@dataclass(frozen=True)
class ScriptedPolicy:
    """A policy that expands the vertices of a trace in their order."""

    trace: Trace
    stop: StopRule = StopRule.GOAL_EXPANDED

    def open(self, problem: Problem, state: SearchState) -> ScriptedFrontier:
        """Create the open list of a replay."""
        self.check(problem)
        return ScriptedFrontier(self.trace.expanded.tolist(), state)

    def check(self, problem: Problem) -> None:
        """Raise SailplanError if the trace has another start or goal than the problem."""
        if (problem.start, problem.goal) != (self.trace.start, self.trace.goal):
            raise SailplanError(f"{problem.name}: the trace was recorded between other vertices")


class ScriptedFrontier:
    """The open list of a replay."""

    def __init__(self, script: list[int], state: SearchState) -> None:
        self._script = script
        self._state = state

    def observe(self, discovery: Discovery) -> None:
        """Do nothing: the trace determines the order."""

    def add(self, vertices: Sequence[int]) -> None:
        """Do nothing: the trace determines the order."""

    def select(self) -> int | None:
        """Return the next vertex of the trace."""
        step = self._state.expansions
        return self._script[step] if step < len(self._script) else None
