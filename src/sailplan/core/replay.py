"""Replays: searches that expand the vertices of a trace in its order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sailplan.core.graph import Problem
from sailplan.core.policy import Discovery
from sailplan.core.result import StopRule, Trace
from sailplan.core.state import SearchState
from sailplan.errors import SailplanError


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
