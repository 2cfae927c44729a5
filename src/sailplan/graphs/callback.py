"""Graphs defined by Python callbacks over hashable states."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from threading import Lock
from typing import Generic, TypeVar

import numpy as np

from sailplan.core.graph import EdgeStatus, FloatArray, Problem
from sailplan.errors import GraphError

State = TypeVar("State", bound=Hashable)


class CallbackGraph(Generic[State]):
    """A graph defined by callbacks; it may be infinite.

    Vertices are numbered in the order in which their states are discovered. The states must be hashable. A graph can
    be pickled if its callbacks and states can.

    Parameters
    ----------
    succ
        `succ(state)` returns pairs (next state, cost). It must return the same pairs at each call.
    eval
        `eval(state, next_state)` evaluates an edge, the expensive operation: true if the edge is valid, false or an
        `EdgeStatus` otherwise. By default every edge is valid.
    coordinates
        `coordinates(state)` returns a sequence of numbers, which heuristics take distances of. By default the
        states themselves, which must then be tuples of numbers if a policy needs a distance.

    Examples
    --------
    >>> from sailplan import load_policy, search
    >>> graph = CallbackGraph(lambda n: [(n + 1, 1.0), (2 * n, 1.5)], eval=lambda n, m: m != 6)
    >>> problem = graph.problem(1, 12)
    >>> result = search(problem, load_policy("dijkstra"))
    >>> problem.states(result.path), result.cost
    ([1, 2, 4, 5, 10, 11, 12], 7.0)
    """

    def __init__(
        self,
        succ: Callable[[State], Iterable[tuple[State, float]]],
        eval: Callable[[State, State], bool | EdgeStatus] | None = None,
        coordinates: Callable[[State], Sequence[float]] | None = None,
    ) -> None:
        for name, given in (("succ", succ), ("eval", eval), ("coordinates", coordinates)):
            if not callable(given) and (given is not None or name == "succ"):
                raise GraphError(f"{name} must be a function, got {type(given).__name__}")
        self._succ = succ
        self._eval = eval
        self._coordinates = coordinates
        self._states: list[State] = []
        self._vertices: dict[State, int] = {}
        self._lock = Lock()

    def __getstate__(self) -> dict[str, object]:
        # Under the lock, so that the states and their numbers are those of one moment; the lock stays here.
        with self._lock:
            state = {**self.__dict__, "_states": self._states.copy(), "_vertices": self._vertices.copy()}
        del state["_lock"]
        return state

    def __setstate__(self, state: dict[str, object]) -> None:
        self.__dict__.update(state)
        self._lock = Lock()

    def problem(self, start: State, goal: State, *, name: str = "callback graph") -> Problem:
        """Pose the problem of finding a path from one state to another.

        Parameters
        ----------
        start, goal
            States of the graph.
        name
            The name of the problem in results and messages.

        Returns
        -------
        Problem
            `problem.states(path)` converts the vertices of a path to states.

        Raises
        ------
        GraphError
            If a state cannot be hashed.
        """
        return Problem(self, self.vertex(start), self.vertex(goal), name=name)

    def vertex(self, state: State) -> int:
        """Return the vertex of a state; a new state is assigned the next number."""
        try:
            known = self._vertices.get(state)
        except TypeError as error:
            raise GraphError(f"the state {state!r} cannot be hashed: {error}") from error
        return self._number(state) if known is None else known

    def state(self, vertex: int) -> State:
        """Return the state of a vertex."""
        return self._states[vertex]

    def _number(self, state: State) -> int:
        with self._lock:
            vertex = self._vertices.get(state, len(self._states))
            if vertex == len(self._states):
                self._states.append(state)
                self._vertices[state] = vertex
        return vertex

    def successors(self, vertex: int) -> tuple[list[int], list[float]]:
        """Call `succ`; of parallel edges to one state, the cheapest is kept."""
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
        """Call `eval` for each edge."""
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
        """Call `coordinates`, or convert the states to numbers."""
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
"""The status that false and true stand for."""


def _status_of(answer: object) -> EdgeStatus:
    if isinstance(answer, EdgeStatus):
        return answer
    # The integers 0 and 1 are rejected as ambiguous: EdgeStatus.VALID is 0, but the truth value of 0 is false.
    if not isinstance(answer, bool | np.bool_):
        raise TypeError(f"it must return a bool or an EdgeStatus, not {answer!r}")
    return EdgeStatus.VALID if answer else EdgeStatus.INVALID_EDGE


def _describe(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"
