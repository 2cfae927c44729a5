"""A search by learned scores in which the open list is a plain dictionary, rule by rule as they are described."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

from sailplan.core import SearchState
from sailplan.graphs import Problem

Score = Callable[[SearchState, int], float]


@dataclass
class LearnedSearch:
    """Expand the vertex with the smallest (score, number); a vertex gets a new number when it is put in (again)."""

    problem: Problem
    score: Score
    rescore: str
    order: list[int] = field(default_factory=list)
    scores_computed: int = 0
    not_finite: int = 0

    def run(self) -> list[int]:
        """Return the vertices in the order of their expansion, until the goal is generated or nothing is open."""
        problem = self.problem
        self._state = SearchState(problem.graph.vertex_count)  # type: ignore[attr-defined]
        self._state.begin(problem.start)
        self._open: dict[int, tuple[float, int]] = {}
        self._scored_at: dict[int, int] = {}
        self._number = 0
        if problem.start == problem.goal:
            return []
        self._put(problem.start)
        while self._open:
            vertex = self._select()
            del self._open[vertex]
            if self._expand(vertex):
                break
        return self.order

    def _put(self, vertex: int, score: float | None = None) -> None:
        self._number += 1
        if score is None:
            # Where all are scored at each step, nothing is scored before.
            score = 0.0 if self.rescore == "full" else self._scored(vertex)
        self._open[vertex] = score, self._number
        self._scored_at[vertex] = len(self.order)

    def _scored(self, vertex: int) -> float:
        score = self.score(self._state, vertex)
        self.scores_computed += 1
        if not math.isfinite(score):
            self.not_finite += 1
            return math.inf
        return score

    def _select(self) -> int:
        if self.rescore == "full":
            self._open = {vertex: (self._scored(vertex), number) for vertex, (_, number) in self._open.items()}
        vertex = min(self._open, key=self._open.__getitem__)
        while self.rescore == "lazy" and self._scored_at[vertex] != len(self.order):
            before = self._open[vertex][0]
            score = self._scored(vertex)
            if score <= before:
                break
            self._put(vertex, score)
            vertex = min(self._open, key=self._open.__getitem__)
        return vertex

    def _expand(self, vertex: int) -> bool:
        state, graph = self._state, self.problem.graph
        state.status[vertex] = 2
        self.order.append(vertex)
        targets, costs = graph.successors(vertex)
        edges = [edge for edge in zip(targets, costs, strict=True) if state.status[edge[0]] < 2]
        touched, entered = [], []
        for (target, cost), status in zip(edges, graph.evaluate(vertex, [to for to, _ in edges]), strict=True):
            if status == 2:
                state.forbid([target], [])
            if status not in (0, 3):
                continue
            touched.append(target)
            if state.status[target] == 0:
                entered.append(target)
            if state.status[target] == 0 or state.cost[vertex] + cost < state.cost[target]:
                state.status[target] = 1
                state.cost[target] = state.cost[vertex] + cost
                state.depth[target] = state.depth[vertex] + 1
        # Also where the goal is among them, and the search at its end.
        for target in touched if self.rescore == "touched" else entered:
            self._put(target)
        return bool(state.status[self.problem.goal] == 1)
