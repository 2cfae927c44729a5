"""A kind of graph and a kind of policy of your own for the compiled engine: hexagonal cells, and depth-first search.

Each has a plain Python side, which is enough for the reference engine, and a few functions for the compiled one, which
are registered for a class of arrays. Compiled code is kept on disk; keep such classes in a module that is imported,
as `my_compiled_kinds.py` does, not in a script, which other programs could not import.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sailplan.core import CompiledForm, Discovery, Problem, SearchState, StopRule
from sailplan.core.kernel import (
    ENTERED,
    INVALID_TARGET,
    NO_VERTEX,
    OPEN,
    VALID_EDGE,
    choose,
    combine,
    distance,
    edge_cost,
    locate,
    lower_bound,
    on_open,
    position,
    slot_count,
    successor,
    verdict,
)

STEPS = ((1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1))
"""To the six neighbours of a cell, in axial coordinates (q, r)."""
ROW_HEIGHT = 0.75**0.5


class HexArrays(NamedTuple):
    """A rhombus of hexagonal cells; vertex = r * side + q."""

    blocked: NDArray[np.bool_]
    side: int


@dataclass(frozen=True, eq=False)
class HexGraph:
    """Hexagonal cells, each with up to six neighbours at distance 1."""

    blocked: NDArray[np.bool_]
    """Shape (side, side), indexed [r, q]."""
    max_degree: int = 6
    max_in_degree: int = 6
    max_edge_cost: float = 1.0

    @property
    def vertex_count(self) -> int:
        """Number of cells."""
        return self.blocked.size

    def successors(self, vertex: int) -> tuple[list[int], list[float]]:
        """The cells around a cell."""
        side = len(self.blocked)
        r, q = divmod(vertex, side)
        around = [(q + step_q, r + step_r) for step_q, step_r in STEPS]
        targets = [to_r * side + to_q for to_q, to_r in around if 0 <= to_q < side and 0 <= to_r < side]
        return targets, [1.0] * len(targets)

    def evaluate(self, vertex: int, targets: Sequence[int]) -> list[int]:
        """A blocked cell is an invalid target."""
        return [INVALID_TARGET if self.blocked.flat[target] else VALID_EDGE for target in targets]

    def coordinates(self, vertices: Sequence[int]) -> NDArray[np.float64]:
        """The centres of the cells."""
        r, q = np.divmod(np.asarray(vertices), len(self.blocked))
        return np.stack([q + 0.5 * r, ROW_HEIGHT * r], axis=1)

    def arrays(self) -> HexArrays:
        """The cells for the compiled engine."""
        return HexArrays(np.ascontiguousarray(self.blocked.reshape(-1)), len(self.blocked))

    def backward_arrays(self) -> HexArrays:
        """The same: moves go both ways."""
        return self.arrays()


# The same in functions that Numba compiles. They are picked by the class of the arrays.


@locate.register(HexArrays)
def _locate(graph, vertex):  # type: ignore[no-untyped-def]
    r = np.int64(vertex) // graph.side
    return np.int64(vertex) - r * graph.side, r


@slot_count.register(HexArrays)
def _slot_count(graph, place):  # type: ignore[no-untyped-def]
    return 6


@successor.register(HexArrays)
def _successor(graph, place, slot):  # type: ignore[no-untyped-def]
    q, r = place[0] + STEPS[slot][0], place[1] + STEPS[slot][1]
    if q < 0 or r < 0 or q >= graph.side or r >= graph.side:
        return NO_VERTEX
    return r * graph.side + q


@edge_cost.register(HexArrays)
def _edge_cost(graph, place, slot, target):  # type: ignore[no-untyped-def]
    return 1.0


@verdict.register(HexArrays)
def _verdict(graph, place, slot, target):  # type: ignore[no-untyped-def]
    return INVALID_TARGET if graph.blocked[target] else VALID_EDGE


@position.register(HexArrays)
def _position(graph, vertex):  # type: ignore[no-untyped-def]
    q, r = locate(graph, vertex)
    return q + 0.5 * r, ROW_HEIGHT * r


@distance.register(HexArrays)
def _distance(graph, kind, vertex, other):  # type: ignore[no-untyped-def]
    x, y = position(graph, vertex)
    other_x, other_y = position(graph, other)
    dx, dy = abs(x - other_x), abs(y - other_y)
    return combine(kind, dx * dx + dy * dy, dx + dy, max(dx, dy), 0.0, 2.0**0.5)


@lower_bound.register(HexArrays)
def _lower_bound(graph, vertex, other):  # type: ignore[no-untyped-def]
    # Optional: the number of moves without obstacles, from which replanning and lazy search start.
    q, r = locate(graph, vertex)
    to_q, to_r = locate(graph, other)
    return float(max(abs(to_q - q), abs(to_r - r), abs(to_q + to_r - q - r)))


class StackArrays(NamedTuple):
    """The open list as a stack."""

    vertices: NDArray[np.int64]
    size: NDArray[np.int64]


@dataclass(frozen=True)
class DepthFirst:
    """Expands what entered the open list last."""

    stop: StopRule = StopRule.GOAL_GENERATED

    def open(self, problem: Problem, state: SearchState) -> StackFrontier:
        """Begin the open list of the reference engine."""
        return StackFrontier(state)

    def compiled(self, problem: Problem) -> CompiledForm | None:
        """The arrays of one search for the compiled engine; None where the graph has no fixed number of vertices."""
        vertices = getattr(problem.graph, "vertex_count", None)
        if vertices is None:
            return None
        return CompiledForm(StackArrays(np.empty(vertices, np.int64), np.zeros(1, np.int64)))


class StackFrontier:
    """The open list of the reference engine."""

    def __init__(self, state: SearchState) -> None:
        self._state = state
        self._stack: list[int] = []
        self._entered: set[int] = set()

    def observe(self, discovery: Discovery) -> None:
        """What was found to be invalid does not matter here."""

    def add(self, vertices: Sequence[int]) -> None:
        """Push the vertices that are new; those that only got a cheaper path are there already."""
        self._stack += [vertex for vertex in vertices if vertex not in self._entered]
        self._entered.update(vertices)

    def select(self) -> int | None:
        """Pop the newest open vertex."""
        while self._stack:
            if self._state.is_open(vertex := self._stack.pop()):
                return vertex
        return None


@on_open.register(StackArrays)
def _on_open(search, policy, row, vertex, change):  # type: ignore[no-untyped-def]
    if change == ENTERED:
        search.queue.issued[0] += 1
        policy.vertices[policy.size[0]] = vertex
        policy.size[0] += 1


@choose.register(StackArrays)
def _choose(search, policy, row):  # type: ignore[no-untyped-def]
    while policy.size[0] > 0:
        policy.size[0] -= 1
        vertex = policy.vertices[policy.size[0]]
        if search.state.status[vertex] == OPEN:
            return vertex
    return NO_VERTEX
