"""Traces: which vertices a search expanded, kept so that it can be looked at again."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from sailplan.core.limits import StopRule
from sailplan.core.policy import Discovery
from sailplan.core.problem import Problem
from sailplan.core.state import IntArray, SearchState
from sailplan.errors import SailplanError
from sailplan.files import fault_line, file_bytes, whole_file


@dataclass(frozen=True, eq=False)
class Trace:
    """The order in which a search expanded vertices: with the problem, all it takes to replay it."""

    start: int
    goal: int
    expanded: IntArray

    def save(self, path: Path | str) -> None:
        """Write the trace as an npz file with the arrays `start`, `goal` and `expanded`."""
        with whole_file(path) as file:
            np.savez_compressed(file, start=self.start, goal=self.goal, expanded=self.expanded)

    @classmethod
    def load(cls, path: Path | str) -> Trace:
        """Read a trace that `save` wrote."""
        contents = file_bytes(path, error=SailplanError)
        # The parsers of zip and npy answer damaged files with nearly every exception there is.
        try:
            with np.load(io.BytesIO(contents), allow_pickle=False) as file:
                start, goal, expanded = int(file["start"]), int(file["goal"]), file["expanded"]
                if expanded.ndim != 1 or expanded.dtype.kind not in "iu":
                    raise ValueError(f"expanded has shape {expanded.shape} and type {expanded.dtype}")
                return cls(start, goal, expanded.astype(np.int32))
        except Exception as error:
            raise SailplanError(f"{path}: not a trace, or a damaged one ({fault_line(error)})") from error


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
