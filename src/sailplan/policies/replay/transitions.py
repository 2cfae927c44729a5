"""Transitions of a recorded search, for Q-learning."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace

import numpy as np
from numpy.typing import NDArray

from sailplan.core import Limits, StopRule, Trace, search
from sailplan.core.graph import FloatArray, Problem, is_finite
from sailplan.core.kernel.arrays import NO_VERTEX, OPEN
from sailplan.core.policy import CompiledForm, Discovery, as_vertex
from sailplan.core.replay import ScriptedFrontier, ScriptedPolicy
from sailplan.core.search import EngineName
from sailplan.core.state import SearchState
from sailplan.errors import PolicyError
from sailplan.policies.learned.policy import LearnedPolicy
from sailplan.policies.replay.kernel import BEGUN, ENDED, TransitionArrays
from sailplan.policies.replay.samples import check_replayed, checked_steps, wrong_trace


@dataclass(frozen=True, eq=False)
class Transitions:
    """Transitions of roll-outs: one expansion each."""

    rows: FloatArray
    """Shape (transitions, columns): features of the vertex that was expanded, before the expansion."""
    next_rows: FloatArray
    """Features of the open vertex with the smallest score after the step; zeros if the step found the goal."""
    costs: FloatArray
    """The cost of the step, one expansion, in the unit of the features."""
    goes_on: FloatArray
    """1, or 0 if the step found the goal and the cost-to-go after it is 0."""

    def __len__(self) -> int:
        return len(self.rows)

    @classmethod
    def concatenate(cls, parts: Iterable[Transitions]) -> Transitions:
        """Concatenate transitions."""
        listed = list(parts)
        return cls(*(np.concatenate([getattr(one, name.name) for one in listed]) for name in fields(cls)))


def look_at_steps(
    problem: Problem, trace: Trace, policy: LearnedPolicy, steps: NDArray[np.int64], engine: EngineName = "auto"
) -> Transitions:
    """Replay a search and record the transitions of some of its steps.

    Parameters
    ----------
    problem
        The problem on which the trace was recorded.
    trace
        The trace of the search. Its last step is assumed to find the goal; a trace that a limit ended must have one
        more step than the last one recorded.
    policy
        The policy that scores each vertex when it enters the open list.
    steps
        Numbers of the steps, ascending.
    engine
        The engine of the replay.

    Returns
    -------
    Transitions
        One transition per step.

    Raises
    ------
    SailplanError
        If the trace was recorded on another problem, or the steps are out of their range.
    """
    if not isinstance(policy, LearnedPolicy):
        raise PolicyError(f"transitions need a LearnedPolicy, got {type(policy).__name__}")
    steps = checked_steps(steps, trace)
    watch = TransitionWatch(trace, policy, steps)
    if len(steps):
        search(problem, watch, Limits(expansions=len(trace.expanded)), engine=engine)
        check_replayed(problem, int(watch.taken[BEGUN]), steps)
    costs = np.full(len(steps), 1.0 / policy.features.span(problem))
    return Transitions(watch.rows, watch.next_rows, costs, (watch.next_vertices != NO_VERTEX).astype(np.float64))


class TransitionWatch:
    """A policy that replays a search and records transitions; for a single search."""

    stop = StopRule.GOAL_EXPANDED

    def __init__(self, trace: Trace, policy: LearnedPolicy, steps: NDArray[np.int64]) -> None:
        self.policy, self.steps = policy, steps
        self._script = ScriptedPolicy(trace)
        shape = (len(steps), len(policy.features.columns))
        self.rows, self.next_rows = np.zeros(shape), np.zeros(shape)
        self.next_vertices = np.full(len(steps), NO_VERTEX, np.int32)
        self.taken = np.zeros(2, np.int64)

    def open(self, problem: Problem, state: SearchState) -> WatchingFrontier:
        """Create the open list of the replay in the reference engine."""
        return WatchingFrontier(self, self._script.open(problem, state), problem, state)

    def compiled(self, problem: Problem) -> CompiledForm | None:
        """Return the replay for the compiled engine; None if it cannot compute the scores."""
        self._script.trace.check(problem)
        learned = self.policy.compiled(problem)
        if learned is None or not is_finite(problem.graph):
            return None
        vertices = problem.graph.vertex_count
        arrays = TransitionArrays(
            order=np.array(self._script.trace.expanded, np.int32),
            steps=self.steps,
            learned=learned.arrays,
            scores=np.empty(vertices),
            numbers=np.empty(vertices, np.int64),
            members=np.empty(vertices, np.int32),
            member_count=np.zeros(1, np.int64),
            rows=self.rows,
            next_vertices=self.next_vertices,
            next_rows=self.next_rows,
            taken=self.taken,
        )
        return replace(learned, arrays=arrays)


class WatchingFrontier:
    """The open list of a replay, with the score that each vertex had when it entered."""

    def __init__(self, watch: TransitionWatch, script: ScriptedFrontier, problem: Problem, state: SearchState) -> None:
        self._watch, self._script, self._problem, self._state = watch, script, problem, state
        self._scores: dict[int, float] = {}

    def observe(self, discovery: Discovery) -> None:
        """Do nothing: the trace determines the order."""

    def add(self, vertices: Sequence[int]) -> None:
        """Score new vertices."""
        new = [vertex for vertex in vertices if vertex not in self._scores]
        if new:
            self._scores.update(zip(new, self._watch.policy.scores(self._problem, self._state, new), strict=True))

    def select(self) -> int | None:
        """Record the result of the previous step and the features of this one; return the next vertex of the trace."""
        watch, step, taken = self._watch, self._state.expansions, self._watch.taken
        if taken[ENDED] < taken[BEGUN]:
            opened = [vertex for vertex in self._scores if self._state.status[vertex] == OPEN]
            vertex = min(opened, key=self._scores.__getitem__, default=NO_VERTEX)
            watch.next_vertices[taken[ENDED]] = vertex
            if vertex != NO_VERTEX:
                watch.next_rows[taken[ENDED]] = self._features(vertex)
            taken[ENDED] += 1
        chosen = as_vertex(self._script.select(), "Q-learning")
        if chosen is None:
            return None
        if chosen not in self._scores or not self._state.is_open(chosen):
            raise wrong_trace(self._problem)
        if taken[BEGUN] < len(watch.steps) and watch.steps[taken[BEGUN]] == step:
            watch.rows[taken[BEGUN]] = self._features(chosen)
            taken[BEGUN] += 1
        return chosen

    def _features(self, vertex: int) -> FloatArray:
        row: FloatArray = self._watch.policy.features(self._problem, self._state, [vertex])[0]
        return row
