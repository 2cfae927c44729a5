"""The open list of the reference engine: priority queues from which vertices are selected in turn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush
from math import inf, isfinite

from sailplan.core.kernel.arrays import OPEN
from sailplan.core.policy import Discovery
from sailplan.core.state import SearchState

Score = Callable[[Sequence[int]], Sequence[float]]
"""A function that returns the keys of some vertices; the smallest is expanded first."""


@dataclass
class _Queue:
    score: Score
    follows_cost: bool
    """Whether a vertex whose path becomes cheaper is inserted again; its key must not increase then."""
    entries: list[tuple[float, int, int]] = field(default_factory=list)


class QueueFrontier:
    """Queues over the same vertices, ordered by (key, insertion number), that take turns."""

    def __init__(self, state: SearchState, scores: Sequence[tuple[Score, bool]]) -> None:
        self._state = state
        self._queues = [_Queue(score, follows_cost) for score, follows_cost in scores]
        self._members: set[int] = set()
        self._insertions = 0

    def observe(self, discovery: Discovery) -> None:
        """Do nothing: keys do not change once they are computed."""

    def add(self, vertices: Sequence[int]) -> None:
        """Insert new vertices into every queue, and the others into queues whose key depends on the cost."""
        new = [vertex for vertex in vertices if vertex not in self._members]
        for queue in self._queues:
            self._insert(queue, vertices if queue.follows_cost else new)
        self._members.update(new)

    def _insert(self, queue: _Queue, vertices: Sequence[int]) -> None:
        if not vertices:
            return
        entries, number, non_finite = queue.entries, self._insertions, 0
        for vertex, key in zip(vertices, queue.score(vertices), strict=True):
            if not isfinite(key):
                non_finite += 1
                key = inf
            number += 1
            heappush(entries, (key, number, vertex))
        self._insertions = number
        self._state.count_scores(len(vertices), non_finite)

    def select(self) -> int | None:
        """Pop from the queue whose turn it is; entries of closed vertices are skipped."""
        entry = self._pop(self._queues[self._state.expansions % len(self._queues)])
        return None if entry is None else entry[2]

    def first(self, count: int) -> list[list[int]]:
        """Return the first `count` open vertices of each queue without removing them."""
        return [self._first(queue, count) for queue in self._queues]

    def _first(self, queue: _Queue, count: int) -> list[int]:
        taken: list[tuple[float, int, int]] = []
        while len(taken) < count and (entry := self._pop(queue)) is not None:
            taken.append(entry)
        for entry in taken:
            heappush(queue.entries, entry)
        return [vertex for _, _, vertex in taken]

    def _pop(self, queue: _Queue) -> tuple[float, int, int] | None:
        status = self._state.status.data
        while queue.entries:
            entry = heappop(queue.entries)
            if status[entry[2]] == OPEN:
                return entry
        return None
