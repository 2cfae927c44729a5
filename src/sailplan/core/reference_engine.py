"""The reference engine: the search loop in Python, for any graph and policy. It is the specification."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from typing import Any, TypeGuard

from sailplan.core.edge_step import EdgeEvaluator, EdgeStep, checked_cost
from sailplan.core.graph import Problem, is_finite, is_undirected, successors_of
from sailplan.core.kernel.arrays import (
    CLOSED,
    EDGE_EVALUATIONS,
    EXPANSIONS,
    INVALID_TARGET,
    OPEN,
    UNSEEN,
    VALID_EDGE,
    VALID_TARGET,
)
from sailplan.core.policy import (
    NO_BOUND,
    NOT_STEERED,
    Discovery,
    EdgeRequest,
    Frontier,
    PathConfirmed,
    Policy,
    Request,
    SteeredFrontier,
)
from sailplan.core.result import Note, Outcome, OutOfTime, StopRule, TimeLimit, clock
from sailplan.core.state import SearchState
from sailplan.errors import EngineError, GraphError, PolicyError

_ROOM_FOR_UNKNOWN_GRAPHS = 1024
_RESULT_SECONDS = 1e-6
"""About the time for each expansion that the result takes: the coordinates of a vertex."""


class ReferenceEngine:
    """One search in Python: request a vertex or edges, evaluate, update paths and the open list, repeat."""

    name = "reference"

    def __init__(self, problem: Problem, policy: Policy, stop: StopRule) -> None:
        graph = problem.graph
        room = graph.vertex_count if is_finite(graph) else _ROOM_FOR_UNKNOWN_GRAPHS
        self.state = SearchState(max(room, problem.start + 1, problem.goal + 1))
        self._problem = problem
        self._stop_at_generation = stop is StopRule.GOAL_GENERATED
        self._phases = [0.0, 0.0, 0.0]
        self._frontier = policy.open(problem, self.state)
        self.notes: tuple[Note, ...] = getattr(self._frontier, "notes", ())
        # After the frontier was opened, which may have enlarged the state.
        self._see()
        self.state.begin(problem.start)
        self._begun = False
        self._pending: int | None = None
        self._answers: list[int] = []
        """The results of the first edges of the pending vertex, if the time limit was reached there."""
        self._evaluator = EdgeEvaluator(problem.graph)
        self._request = EdgeStep(problem.graph, self._evaluator, self.state, self._frontier)

    def _see(self) -> None:
        """Create memory views of the arrays, whose item access is several times as fast."""
        arrays = self.state.arrays
        self._status: Any = arrays.status.data
        self._cost: Any = arrays.cost.data
        self._parent: Any = arrays.parent.data
        self._depth: Any = arrays.depth.data
        self._expanded: Any = arrays.expanded.data
        self._counts: Any = arrays.counts.data

    def advance(self, expansions: int, evaluations: int | None, deadline: float) -> Outcome | None:
        """Expand at most `expansions` vertices; None if all of them were expanded and the search can continue."""
        goal = self._problem.goal
        # A request that a limit has interrupted is answered first.
        answered = self._pending is None and not self._request.unanswered
        if self._stop_at_generation and answered and self._status[goal] == OPEN:
            return Outcome.GOAL_GENERATED
        if is_steered(self._frontier):
            # The caller may have chosen another edge since.
            self._request.withdraw()
        most = sys.maxsize if evaluations is None else self._counts[EDGE_EVALUATIONS] + evaluations
        end = self.state.expansions + expansions
        timed = deadline < math.inf
        with TimeLimit(deadline):
            while self.state.expansions < end:
                if timed and clock() + _RESULT_SECONDS * self.state.expansions >= deadline:
                    return Outcome.TIME_SPENT
                outcome = self._step(most, deadline)
                if outcome is not None:
                    return outcome
                if self._stop_at_generation and self._status[goal] == OPEN:
                    return Outcome.GOAL_GENERATED
        return None

    def _step(self, most: int, deadline: float) -> Outcome | None:
        """Answer one request of the policy within the limits; return why the search stops, if it does."""
        if self._request.unanswered:
            return self._evaluate_edges(most, deadline)
        try:
            vertex = self._select() if self._pending is None else self._pending
        except OutOfTime:
            return Outcome.TIME_SPENT
        if vertex is None:
            if len(self.state.frontier) and not getattr(self._frontier, "requests_edges", False):
                raise PolicyError("the policy selected nothing, although there are open vertices")
            return Outcome.FRONTIER_EMPTY
        if isinstance(vertex, PathConfirmed):
            if self._status[self._problem.goal] != OPEN:
                raise PolicyError("the policy accepted the path to the goal, but there is none yet")
            return Outcome.PATH_CONFIRMED
        if isinstance(vertex, EdgeRequest):
            self._request.begin(vertex)
            return self._evaluate_edges(most, deadline)
        if not 0 <= vertex < len(self._status) or self._status[vertex] != OPEN:
            raise PolicyError(f"the policy selected vertex {vertex}, which is not open")
        if vertex == self._problem.goal:
            return Outcome.GOAL_EXPANDED
        if getattr(self._frontier, "requests_edges", False):
            # No edge makes the path to the start cheaper.
            targets = [target for target in self._successors(vertex)[0] if target != self._problem.start]
            self._request.expand(vertex, targets)
            return self._evaluate_edges(most, deadline)
        edges = self._unknown_edges(vertex)
        self._pending = vertex
        if self._counts[EDGE_EVALUATIONS] + len(edges) - len(self._answers) > most:
            return Outcome.EVALUATIONS_SPENT
        began = clock()
        self._evaluate(vertex, [target for target, _ in edges[len(self._answers) :]], deadline)
        evaluated = clock()
        self._phases[2] += evaluated - began
        if len(self._answers) < len(edges):
            return Outcome.TIME_SPENT
        self._expand(vertex, edges, self._answers)
        self._phases[1] += clock() - evaluated
        self._pending, self._answers = None, []
        return None

    def _select(self) -> Request:
        began = clock()
        self._begin()
        request = self._frontier.select()
        if len(self._status) < len(self.state.status):
            self._see()
        self._phases[0] += clock() - began
        return request

    def _evaluate_edges(self, most: int, deadline: float) -> Outcome | None:
        began = clock()
        seconds = self._request.answer(most - self._counts[EDGE_EVALUATIONS], deadline)
        self._phases[1] += clock() - began - seconds
        self._phases[2] += seconds
        if not self._request.unanswered:
            return None
        return Outcome.EVALUATIONS_SPENT if self._counts[EDGE_EVALUATIONS] >= most else Outcome.TIME_SPENT

    @property
    def can_tighten(self) -> bool:
        """Whether the policy proves bounds of the path cost."""
        return hasattr(self._frontier, "tighten")

    def tighten(self, bound: float) -> None:
        """Continue with another bound; raises EngineError if the policy proves none."""
        tighten = getattr(self._frontier, "tighten", None)
        if tighten is None:
            raise EngineError(NO_BOUND)
        tighten(bound)

    def lower_bound(self, deadline: float) -> float:
        """Return a lower bound of the cost of any path; 0 if the policy computes none."""
        compute = getattr(self._frontier, "lower_bound", None)
        return float(compute(deadline)) if compute else 0.0

    def list_candidates(self) -> None:
        """Make a steered policy list its candidates."""
        if not is_steered(self._frontier):
            raise EngineError(NOT_STEERED)
        self._begin()
        self._frontier.list_candidates()

    def _begin(self) -> None:
        if not self._begun:
            self._begun = True
            self._frontier.add([self._problem.start])

    def phase_shares(self) -> tuple[float, float, float]:
        """Return the time spent to select, expand and evaluate, in seconds."""
        select, expand, evaluate = self._phases
        return select, expand, evaluate

    seconds_in_python = 0.0
    """The phases include all evaluations."""

    def _evaluate(self, vertex: int, targets: list[int], deadline: float) -> None:
        """Evaluate edges of a vertex until the deadline, and keep their results until it is expanded."""
        if targets:
            answers = self._evaluator.from_vertex(vertex, targets, deadline)
            self._answers += answers
            self._counts[EDGE_EVALUATIONS] += len(answers)

    def _expand(self, vertex: int, edges: Sequence[tuple[int, float]], verdicts: Sequence[int]) -> None:
        self._close(vertex)
        discovery, entered = self._update(vertex, edges, verdicts)
        self._frontier.observe(discovery)
        if entered:
            self._frontier.add(entered)

    def _close(self, vertex: int) -> None:
        self._status[vertex] = CLOSED
        self._expanded[self._counts[EXPANSIONS]] = vertex
        self._counts[EXPANSIONS] += 1

    def _unknown_edges(self, vertex: int) -> list[tuple[int, float]]:
        """Return the edges (target, cost) to evaluate: all but those into closed or invalid vertices."""
        targets, costs = self._successors(vertex)
        status = self._status
        return [edge for edge in zip(targets, costs) if status[edge[0]] < CLOSED and edge[0] != vertex]  # noqa: B905 (checked)

    def _successors(self, vertex: int) -> tuple[Sequence[int], Sequence[float]]:
        """Return the targets and costs of the edges of a vertex, and make room in the state for the targets."""
        targets, costs = successors_of(self._problem.graph, vertex)
        if (highest := max(targets, default=0)) >= len(self._status):
            try:
                self.state.make_room(highest + 1)
            except (OSError, MemoryError) as error:
                raise GraphError(f"successors({vertex}): there is no memory for {highest} vertices") from error
            self._see()
        return targets, costs

    def _update(
        self, vertex: int, edges: Sequence[tuple[int, float]], verdicts: Sequence[int]
    ) -> tuple[Discovery, list[int]]:
        """Record the verdicts; return the discovery, and the vertices that have a new or cheaper path."""
        status, costs, parents, depths = self._status, self._cost, self._parent, self._depth
        here, depth = costs[vertex], depths[vertex] + 1
        discovery = Discovery(vertex, [], [], [])
        entered = []
        for (target, edge_cost), verdict in zip(edges, verdicts):  # noqa: B905 (the caller checked)
            if verdict in (VALID_EDGE, VALID_TARGET):
                cost = here + checked_cost(vertex, target, edge_cost)
                discovery.successors.append(target)
                if status[target] == UNSEEN or cost < costs[target]:
                    status[target], costs[target] = OPEN, cost
                    parents[target], depths[target] = vertex, depth
                    entered.append(target)
            elif verdict == INVALID_TARGET:
                discovery.invalid_vertices.append(target)
            else:
                discovery.invalid_edges.append((vertex, target))
        if discovery.invalid_vertices or discovery.invalid_edges:
            self._record(discovery)
        return discovery, entered

    def _record(self, discovery: Discovery) -> None:
        for target in discovery.invalid_vertices:
            if self._status[target] == OPEN:
                raise GraphError(f"vertex {target} is reported as invalid, but another edge into it was valid")
        both_ways = is_undirected(self._problem.graph)
        self.state.forbid(discovery.invalid_vertices, discovery.invalid_edges, both_ways=both_ways)


def is_steered(frontier: Frontier) -> TypeGuard[SteeredFrontier]:
    """Return whether the caller of the search selects from the open list."""
    return hasattr(frontier, "list_candidates")
