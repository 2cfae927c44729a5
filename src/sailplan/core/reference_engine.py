"""The reference engine: the search loop in plain Python, for any graph and any policy. It is the specification."""

from __future__ import annotations

import math
from collections.abc import Sequence
from time import perf_counter
from typing import Any

import numpy as np

from sailplan.core.graph import Problem, edge_statuses, is_finite
from sailplan.core.kernel.arrays import CLOSED, EDGE_EVALUATIONS, EXPANSIONS, INVALID_TARGET, OPEN, UNSEEN, VALID_EDGE
from sailplan.core.policy import NOT_STEERED, Discovery, Policy, is_steered
from sailplan.core.result import Note, Outcome, StopRule
from sailplan.core.state import SearchState
from sailplan.errors import EngineError, GraphError, PolicyError

_ROOM_FOR_UNKNOWN_GRAPHS = 1024
_NUMBERS = (float, int, np.number)


class ReferenceEngine:
    """One search: select, expand, update the open list, again."""

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
        # Only now: the frontier may have needed more room.
        self._see()
        self.state.begin(problem.start)
        self._begun = False

    def _see(self) -> None:
        """Look at the arrays of the state through views: numbers go in and out of these several times as fast."""
        arrays = self.state.arrays
        self._status: Any = arrays.status.data
        self._cost: Any = arrays.cost.data
        self._parent: Any = arrays.parent.data
        self._depth: Any = arrays.depth.data
        self._expanded: Any = arrays.expanded.data
        self._counts: Any = arrays.counts.data

    def advance(self, expansions: int, deadline: float) -> Outcome | None:
        """Expand up to so many vertices; None where that budget, not the search, came to its end."""
        goal = self._problem.goal
        if self._stop_at_generation and self._status[goal] == OPEN:
            return Outcome.GOAL_GENERATED
        for _ in range(expansions):
            began = perf_counter()
            if began >= deadline:
                return Outcome.TIME_SPENT
            self._begin()
            vertex = self._frontier.select()
            self._phases[0] += perf_counter() - began
            if vertex is None:
                if len(self.state.frontier):
                    raise PolicyError("the policy selected nothing, although there are open vertices")
                return Outcome.FRONTIER_EMPTY
            if not 0 <= vertex < len(self._status) or self._status[vertex] != OPEN:
                raise PolicyError(f"the policy selected vertex {vertex}, which is not open")
            if vertex == goal:
                return Outcome.GOAL_EXPANDED
            self._expand(vertex)
            if self._stop_at_generation and self._status[goal] == OPEN:
                return Outcome.GOAL_GENERATED
        return None

    def list_candidates(self) -> None:
        """Let a steered policy write down its candidates."""
        if not is_steered(self._frontier):
            raise EngineError(NOT_STEERED)
        self._begin()
        self._frontier.list_candidates()

    def _begin(self) -> None:
        if not self._begun:
            self._begun = True
            self._frontier.add([self._problem.start])

    def phase_shares(self) -> tuple[float, float, float]:
        """Time spent to select, expand and evaluate, in any unit."""
        select, expand, evaluate = self._phases
        return select, expand, evaluate

    def _expand(self, vertex: int) -> None:
        began = perf_counter()
        self._close(vertex)
        edges = self._unknown_edges(vertex)
        asked = perf_counter()
        verdicts = edge_statuses(self._problem.graph, vertex, [target for target, _ in edges]) if edges else []
        answered = perf_counter()
        discovery, entered = self._update(vertex, edges, verdicts)
        self._frontier.observe(discovery)
        if entered:
            self._frontier.add(entered)
        self._phases[1] += perf_counter() - began - (answered - asked)
        self._phases[2] += answered - asked

    def _close(self, vertex: int) -> None:
        self._status[vertex] = CLOSED
        self._expanded[self._counts[EXPANSIONS]] = vertex
        self._counts[EXPANSIONS] += 1

    def _unknown_edges(self, vertex: int) -> list[tuple[int, float]]:
        """The edges (target, cost) worth a check: those into closed or invalid vertices are not."""
        targets, costs = self._problem.graph.successors(vertex)
        if type(targets) is not list:
            targets, costs = np.asarray(targets).tolist(), np.asarray(costs).tolist()
        if not targets:
            return []
        if len(targets) != len(costs) or min(targets) < 0:
            raise GraphError(f"successors({vertex}) must give vertices and a cost for each, got {targets}, {costs}")
        if (highest := max(targets)) >= len(self._status):
            self.state.make_room(highest + 1)
            self._see()
        status = self._status
        return [edge for edge in zip(targets, costs) if status[edge[0]] < CLOSED]  # noqa: B905 (checked above)

    def _update(
        self, vertex: int, edges: Sequence[tuple[int, float]], verdicts: Sequence[int]
    ) -> tuple[Discovery, list[int]]:
        """Write down what the checks said; return what is invalid and what got a path or a cheaper one."""
        status, costs, parents, depths = self._status, self._cost, self._parent, self._depth
        here, depth = costs[vertex], depths[vertex] + 1
        discovery = Discovery(vertex, [], [], [])
        entered = []
        for (target, edge_cost), verdict in zip(edges, verdicts):  # noqa: B905 (the caller checked)
            if verdict == VALID_EDGE:
                if not isinstance(edge_cost, _NUMBERS) or not 0.0 <= edge_cost < math.inf:
                    raise GraphError(
                        f"edge {vertex} -> {target}: its cost must be finite and not negative, got {edge_cost}"
                    )
                # A float32 would make a float32 of every cost it is added to.
                cost = here + float(edge_cost)
                discovery.successors.append(target)
                if status[target] == UNSEEN or cost < costs[target]:
                    status[target], costs[target] = OPEN, cost
                    parents[target], depths[target] = vertex, depth
                    entered.append(target)
            elif verdict == INVALID_TARGET:
                discovery.invalid_vertices.append(target)
            else:
                discovery.invalid_edges.append((vertex, target))
        self._counts[EDGE_EVALUATIONS] += len(edges)
        if discovery.invalid_vertices or discovery.invalid_edges:
            self._record(discovery)
        return discovery, entered

    def _record(self, discovery: Discovery) -> None:
        for target in discovery.invalid_vertices:
            if self._status[target] == OPEN:
                raise GraphError(f"vertex {target} is called invalid, yet another edge into it was valid")
        self.state.forbid(discovery.invalid_vertices, discovery.invalid_edges)
