"""Callback graphs: any hashable states, from a `succ` and an `eval` written in Python."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from threading import Lock
from typing import Generic, TypeVar

import numpy as np

from sailplan.core.graph import EdgeStatus, FloatArray, Problem
from sailplan.errors import GraphError

State = TypeVar("State", bound=Hashable)


class CallbackGraph(Generic[State]):
    """A graph that is met as it is searched, and may be infinite; states are numbered as they are met."""

    def __init__(
        self,
        succ: Callable[[State], Iterable[tuple[State, float]]],
        eval: Callable[[State, State], bool | EdgeStatus] | None = None,
        coordinates: Callable[[State], Sequence[float]] | None = None,
    ) -> None:
        """Make a graph of callbacks.

        `succ(state)` gives pairs (next state, cost). `eval(state, next_state)` checks an edge: true, false or an
        `EdgeStatus`; without it every edge is valid. `coordinates(state)` gives numbers for distances; without it
        the state itself must be a tuple of numbers if a policy asks for a distance.
        """
        self._succ = succ
        self._eval = eval
        self._coordinates = coordinates
        self._states: list[State] = []
        self._vertices: dict[State, int] = {}
        self._lock = Lock()

    def problem(self, start: State, goal: State, *, name: str = "callback graph") -> Problem:
        """Plan from one state to another."""
        return Problem(self, self.vertex(start), self.vertex(goal), name=name)

    def vertex(self, state: State) -> int:
        """The number of a state, given to it now if it is new."""
        try:
            known = self._vertices.get(state)
        except TypeError as error:
            raise GraphError(f"the state {state!r} cannot be hashed: {error}") from error
        return self._number(state) if known is None else known

    def state(self, vertex: int) -> State:
        """The state that has this number."""
        return self._states[vertex]

    def _number(self, state: State) -> int:
        with self._lock:
            vertex = self._vertices.get(state, len(self._states))
            if vertex == len(self._states):
                self._states.append(state)
                self._vertices[state] = vertex
        return vertex

    def successors(self, vertex: int) -> tuple[list[int], list[float]]:
        """Ask `succ`; of two edges to the same state the cheaper is kept."""
        state, known = self._states[vertex], self._vertices
        cheapest: dict[int, float] = {}
        try:
            for target, cost in self._succ(state):
                number = known.get(target)
                if number is None:
                    number = self._number(target)
                if number in cheapest:
                    cost = min(cost, cheapest[number])
                cheapest[number] = cost
        except Exception as error:
            raise GraphError(f"succ({state!r}) failed: {_describe(error)}") from error
        return list(cheapest), list(cheapest.values())

    def evaluate(self, vertex: int, targets: Sequence[int]) -> list[EdgeStatus]:
        """Ask `eval` for each edge."""
        if self._eval is None:
            return [EdgeStatus.VALID] * len(targets)
        state, target, statuses = self._states[vertex], None, []
        try:
            for number in targets:
                target = self._states[number]
                answer = self._eval(state, target)
                statuses.append(_VERDICTS[answer] if type(answer) is bool else _status_of(answer))
        except Exception as error:
            raise GraphError(f"eval({state!r}, {target!r}) failed: {_describe(error)}") from error
        return statuses

    def coordinates(self, vertices: Sequence[int]) -> FloatArray:
        """Ask `coordinates`, or read the states as numbers."""
        states = [self._states[vertex] for vertex in vertices]
        try:
            rows = states if self._coordinates is None else [self._coordinates(state) for state in states]
            table = np.array(rows, dtype=np.float64).reshape(len(states), -1)
        except Exception as error:
            raise GraphError(
                f"no coordinates for the state {states[0]!r} ({_describe(error)}): "
                "give coordinates=, or use a policy that needs no distance"
            ) from error
        return table


_VERDICTS = (EdgeStatus.INVALID_EDGE, EdgeStatus.VALID)
"""What false and true say."""


def _status_of(answer: object) -> EdgeStatus:
    if isinstance(answer, EdgeStatus):
        return answer
    # A plain 0 or 1 is refused: it is true or false to some and an EdgeStatus, the other way round, to others.
    if not isinstance(answer, bool | np.bool_):
        raise TypeError(f"it must say true, false or an EdgeStatus, not {answer!r}")
    return EdgeStatus.VALID if answer else EdgeStatus.INVALID_EDGE


def _describe(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"
