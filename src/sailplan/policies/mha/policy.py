"""Shared multi-heuristic A*: policies choose what is expanded, and an admissible anchor bounds the cost of the path."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import Any

import numpy as np

from sailplan.core.compiled_engine import compiled_form
from sailplan.core.graph import Problem
from sailplan.core.kernel.arrays import NO_VERTEX, OPEN
from sailplan.core.policy import CompiledForm, Discovery, Frontier, PathConfirmed, Policy, as_vertex
from sailplan.core.result import Note, StopRule
from sailplan.core.state import SearchState
from sailplan.errors import PolicyError
from sailplan.policies.keyed.bounds import ADMISSIBLE, admissible_heuristic, never_overestimates
from sailplan.policies.keyed.heuristics import HEURISTICS
from sailplan.policies.keyed.policy import greedy
from sailplan.policies.mha.kernel import MultiHeuristicArrays, NoParts, PartArrays

_USER = "multi-heuristic A*"


@dataclass(frozen=True)
class MultiHeuristic:
    """Shared multi-heuristic A* (Aine et al., 2016): policies take turns, and an anchor bounds the cost of the path.

    The anchor orders the open vertices by g + w1 * h, where h never overestimates. Its smallest key is at most w1 times
    the cost of a cheapest path. The vertex v that a policy chooses is expanded if g(v) + h(v) is at most w2 times this
    key; otherwise the policy waits, and the first vertex of the anchor is expanded. The search ends when the path to
    the goal costs at most w2 times the smallest key. Once there is a path to the goal, only the anchor expands.

    No vertex is expanded twice: edges are evaluated once, and a path that becomes cheaper is updated along all edges
    that are known to be valid.

    Raises
    ------
    PolicyError
        If there is no policy or no such anchor, or a weight is below 1 or infinite.

    Examples
    --------
    >>> from sailplan import load_policy, search
    >>> from sailplan.testing import draw_problem
    >>> result = search(draw_problem("S#.G ...."), MultiHeuristic((load_policy("h_euc"),), w1=1.2, w2=1.25))
    >>> result.outcome.value, result.bound
    ('path_confirmed', 1.5)
    """

    parts: tuple[Policy, ...]
    """The policies that take turns. They choose vertices; their stop rules are not used."""
    w1: float = math.sqrt(2.0)
    """Weight of the heuristic in the keys of the anchor. The larger, the more the anchor hurries to the goal."""
    w2: float = math.sqrt(2.0)
    """By which factor the policies may exceed the smallest key of the anchor. The larger, the more freely they choose.
    The cost of the path is at most w1 * w2 times the optimum."""
    anchor: str = "auto"
    """The heuristic of the anchor, a name in `ADMISSIBLE`; the default never overestimates."""
    stop: StopRule = StopRule.GOAL_EXPANDED
    """The default stop rule; with GOAL_GENERATED the first valid path is the result, without a bound."""

    def __post_init__(self) -> None:
        if not self.parts:
            raise PolicyError(f"{_USER} needs at least one policy")
        if self.anchor not in ADMISSIBLE:
            raise PolicyError(f"no anchor {self.anchor!r}; there are {', '.join(ADMISSIBLE)}")
        for weight in (self.w1, self.w2):
            if isinstance(weight, bool) or not isinstance(weight, int | float) or not 1.0 <= weight < math.inf:
                raise PolicyError(f"a weight of {_USER} must be a finite number, at least 1, got {weight!r}")

    def proven_bound(self, problem: Problem, stop: StopRule) -> float:
        """Return w1 * w2; infinite if the search stops at the first path, or the anchor may overestimate."""
        proven = stop is StopRule.GOAL_EXPANDED and never_overestimates(
            admissible_heuristic(self.anchor, problem), problem
        )
        return self.w1 * self.w2 if proven else math.inf

    def open(self, problem: Problem, state: SearchState) -> MultiHeuristicFrontier:
        """Create the anchor and the open lists of the policies; raises PolicyError if one of them requests edges."""
        frontiers = [part.open(problem, state) for part in self.parts]
        if any(getattr(frontier, "requests_edges", False) for frontier in frontiers):
            raise PolicyError(_NOT_BY_EDGES)
        state.track_edges(0)
        return MultiHeuristicFrontier(self, admissible_heuristic(self.anchor, problem), problem, state, frontiers)

    def compiled(self, problem: Problem) -> CompiledForm | None:
        """Return all policies for the compiled engine; None if one needs the reference engine or updates in Python."""
        forms = []
        for part in self.parts:
            form = compiled_form(part, problem)
            if form is None or ((form.update or form.enlarge) and not form.requests):
                return None
            if form.requests:
                raise PolicyError(_NOT_BY_EDGES)
            forms.append(form)
        heuristic = admissible_heuristic(self.anchor, problem)
        if heuristic != "zero":
            problem.graph.coordinates([problem.goal])
        chain: Any = NoParts()
        for form in reversed(forms):
            chain = PartArrays(form.arrays, np.full(1, NO_VERTEX, np.int64), chain, form.queues)
        return CompiledForm(
            MultiHeuristicArrays(chain, len(forms), HEURISTICS[heuristic].code, float(self.w1), float(self.w2)),
            queues=1 + sum(form.queues for form in forms),
            needs_obstacles=any(form.needs_obstacles for form in forms),
            needs_walls=any(form.needs_walls for form in forms),
            notes=tuple(note for form in forms for note in form.notes),
            requests=1,
        )


_NOT_BY_EDGES = f"{_USER} needs policies that choose vertices, not ones that request edges"


class MultiHeuristicFrontier:
    """The anchor and the open lists of the policies in the reference engine."""

    requests_edges = True

    def __init__(
        self,
        policy: MultiHeuristic,
        heuristic: str,
        problem: Problem,
        state: SearchState,
        frontiers: Sequence[Frontier],
    ) -> None:
        self.notes: tuple[Note, ...] = tuple(note for part in frontiers for note in getattr(part, "notes", ()))
        self._policy, self._state, self._goal = policy, state, problem.goal
        self._distance = HEURISTICS[heuristic].open(problem, state)
        self._frontiers = frontiers
        self._held: list[int | None] = [None] * len(frontiers)
        self._anchor: list[tuple[float, int, int]] = []
        self._insertions = 0

    def observe(self, discovery: Discovery) -> None:
        """Pass the discovery to the policies."""
        for frontier in self._frontiers:
            frontier.observe(discovery)

    def add(self, vertices: Sequence[int]) -> None:
        """Insert vertices into the anchor, and pass them to the policies."""
        for vertex in vertices:
            if vertex != self._goal:
                key = self._key(vertex, self._policy.w1)
                self._insertions += 1
                self._state.count_scores(1, not math.isfinite(key))
                heappush(self._anchor, (key if math.isfinite(key) else math.inf, self._insertions, vertex))
        for frontier in self._frontiers:
            frontier.add(vertices)

    def select(self) -> int | PathConfirmed | None:
        """Return the vertex of the policy whose turn it is, or the first of the anchor."""
        state, found = self._state, self._state.is_open(self._goal)
        while self._anchor and not state.is_open(self._anchor[0][2]):
            heappop(self._anchor)
        if not self._anchor:
            return PathConfirmed() if found else None
        first = self._anchor[0][2]
        limit = self._policy.w2 * self._key(first, self._policy.w1)
        if found:
            return PathConfirmed() if state.cost[self._goal] <= limit else first
        chosen = self._chosen(state.expansions % len(self._frontiers))
        return chosen if chosen is not None and self._key(chosen, 1.0) <= limit else first

    def _key(self, vertex: int, weight: float) -> float:
        return self._state.cost.item(vertex) + weight * self._distance([vertex])[0]

    def _chosen(self, turn: int) -> int | None:
        """Return the open vertex that a policy chose, which it holds until it is expanded; None if there is none."""
        held = self._held[turn]
        while held is None or held == self._goal or self._state.status[held] != OPEN:
            held = self._held[turn] = as_vertex(self._frontiers[turn].select(), _USER)
            if held is None:
                break
        return held


def shared_mha_star(w: float = 2.0, parts: Sequence[Policy] | None = None) -> MultiHeuristic:
    """Return shared multi-heuristic A* with both weights equal.

    Parameters
    ----------
    w
        The path costs at most this many times the optimum: w1 and w2 are its square root.
    parts
        Policies that take turns; by default those of `mha_star`: greedy by Euclidean and by Manhattan distance, and
        far from known obstacles.

    Returns
    -------
    MultiHeuristic
        The policy.

    Raises
    ------
    PolicyError
        If `w` is below 1 or infinite, or there is no policy.

    Examples
    --------
    >>> from sailplan import load_policy, search
    >>> from sailplan.testing import draw_problem
    >>> search(draw_problem("S..G"), shared_mha_star(3.0, [load_policy("sail:mazes")])).expansions
    3
    """
    if isinstance(w, bool) or not isinstance(w, int | float) or not 1.0 <= w < math.inf:
        raise PolicyError(f"the bound of {_USER} must be a finite number, at least 1, got {w!r}")
    root = math.sqrt(w)
    chosen = (greedy("euclidean"), greedy("manhattan"), greedy("clearance")) if parts is None else tuple(parts)
    return MultiHeuristic(chosen, root, root)
