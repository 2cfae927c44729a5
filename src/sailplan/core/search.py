"""Run a search: pick the engine, keep the limits, collect the result."""

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
    """What carries a search on."""

    name: str
    state: SearchState
    notes: tuple[Note, ...]

    def advance(self, expansions: int, deadline: float) -> Outcome | None:
        """Expand up to so many vertices until the deadline (`perf_counter`); None where the budget is spent."""

    def list_candidates(self) -> None:
        """Let a steered policy write down its candidates; raises EngineError where the policy is another."""

    def phase_shares(self) -> tuple[float, float, float]:
        """Time spent to select, expand and evaluate, in any unit."""


class Search:
    """A search that can be run, looked at, and run on from where a budget stopped it."""

    def __init__(self, problem: Problem, engine: Engine) -> None:
        self.problem = problem
        self._engine = engine
        self._outcome: Outcome | None = None
        self._seconds = 0.0
        self._unfinished = False

    @property
    def state(self) -> SearchState:
        """What the search has uncovered so far; it moves on when the search does."""
        return self._engine.state

    def run(self, limits: Limits = NO_LIMITS) -> SearchResult:
        """Search until the goal is found, nothing is left or a limit is reached."""
        return self._result(self.advance(limits))

    def advance(self, limits: Limits = NO_LIMITS) -> Outcome:
        """The same without a result, for those who go step by step."""
        if self._unfinished:
            raise SailplanError(f"{self.problem.name}: an exception cut this search short; open a new one")
        if self._outcome is None or not self._outcome.final:
            began = perf_counter()
            left = sys.maxsize if limits.expansions is None else limits.expansions - self.state.expansions
            rest = math.inf if limits.seconds is None else limits.seconds - self._seconds
            # An exception may come halfway through an expansion, whose other successors would then be lost.
            self._unfinished = True
            self._outcome = self._engine.advance(max(left, 0), began + rest) or Outcome.EXPANSIONS_SPENT
            self._unfinished = False
            self._seconds += perf_counter() - began
        return self._outcome

    def list_candidates(self) -> None:
        """Let a steered policy write down the vertices to choose from; comes before each expansion."""
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
        """The path to the expanded vertex that is closest to the goal; without coordinates, to the last one."""
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
    """Set up a search without expanding anything.

    Parameters
    ----------
    problem, policy, stop, engine
        As for `search`.

    Returns
    -------
    Search
        Call its `run(limits)`, as often as you like: limits count from the very start.
    """
    if not isinstance(problem, Problem):
        raise ProblemError(f"a search needs a Problem, got {_described(problem)}")
    if not callable(getattr(policy, "open", None)) or not hasattr(policy, "stop"):
        raise PolicyError(
            f"a search needs a policy, an object with `stop` and `open`, got {_described(policy)}; "
            "read_policy() makes one of a name"
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
        The graph, where to start and where to go.
    policy
        What decides which vertex to expand next.
    limits
        When to give up.
    stop
        When the goal counts as found; by default as the policy says.
    engine
        "compiled", "reference", or "auto" for the fastest that can run the search. Both do the same.

    Returns
    -------
    SearchResult
        The outcome, the path and its cost, and what it took to find it. That there is no path is an outcome, not an
        error.

    Raises
    ------
    SailplanError
        Where the problem, the policy or the engine cannot be used.

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
    """The state of a recorded search after its first so many expansions, or at its end."""
    steps = len(trace.expanded) if expansions is None else min(expansions, len(trace.expanded))
    session = open_search(problem, ScriptedPolicy(trace))
    session.run(Limits(expansions=steps))
    return session.state


@dataclass(frozen=True)
class ScriptedPolicy:
    """Expands the vertices of a trace in its order: a replay is a search like any other."""

    trace: Trace
    stop: StopRule = StopRule.GOAL_EXPANDED

    def open(self, problem: Problem, state: SearchState) -> ScriptedFrontier:
        """Begin the replay."""
        self.check(problem)
        return ScriptedFrontier(self.trace.expanded.tolist(), state)

    def check(self, problem: Problem) -> None:
        """Refuse a trace that was recorded on another problem, as far as its ends tell."""
        if (problem.start, problem.goal) != (self.trace.start, self.trace.goal):
            raise SailplanError(f"{problem.name}: the trace was recorded between other vertices")


class ScriptedFrontier:
    """The open list of a replay."""

    def __init__(self, script: list[int], state: SearchState) -> None:
        self._script = script
        self._state = state

    def observe(self, discovery: Discovery) -> None:
        """Nothing: the order is settled."""

    def add(self, vertices: Sequence[int]) -> None:
        """Nothing: the order is settled."""

    def select(self) -> int | None:
        """The next vertex of the trace."""
        step = self._state.expansions
        return self._script[step] if step < len(self._script) else None
