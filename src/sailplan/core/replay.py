"""Replays of recorded searches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sailplan.core.graph import Problem
from sailplan.core.policy import Discovery, EdgeRequest, Request
from sailplan.core.result import Limits, StopRule, Trace
from sailplan.core.search import open_search
from sailplan.core.state import SearchState


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
    >>> from sailplan.core import search
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
        self.trace.check(problem)
        if len(self.trace.evaluated):
            state.track_edges(0)
        return ScriptedFrontier(self.trace, state)


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
