"""Evaluation of edges in Python: in one call, or in slices if the search has a time limit."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from sailplan.core.graph import Graph, edge_statuses, statuses_of_edges
from sailplan.core.time_limit import clock

_SHARE = 0.5
"""Share of the time left that a slice is expected to take."""
_MEMORY = 0.9
"""An evaluation is expected to take no less than this share of what was expected before, as durations differ."""

_SHORTEST = 1e-9


class EdgeEvaluator:
    """Evaluates edges for one search.

    Without a deadline, a batch is evaluated in one call. Otherwise it is evaluated in slices, of which each is expected
    to take half of the time left, and at least one edge: the deadline is exceeded by one evaluation if all of them take
    as long. What is not evaluated waits until the search is resumed.
    """

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._seconds_per_edge = math.inf

    def from_vertex(self, vertex: int, targets: Sequence[int], deadline: float) -> list[int]:
        """Return the statuses of the first of some edges of a vertex, at least one; of all if there is time."""
        return self._in_slices(len(targets), deadline, lambda part: edge_statuses(self._graph, vertex, targets[part]))

    def of_edges(self, sources: Sequence[int], targets: Sequence[int], deadline: float) -> list[int]:
        """Return the statuses of the first of some edges, at least one; of all if there is time."""
        return self._in_slices(
            len(targets), deadline, lambda part: statuses_of_edges(self._graph, sources[part], targets[part])
        )

    def _in_slices(self, count: int, deadline: float, evaluate: Callable[[slice], list[int]]) -> list[int]:
        if deadline == math.inf:
            return evaluate(slice(count))
        answers: list[int] = []
        while len(answers) < count:
            began = clock()
            if answers and began >= deadline:
                break
            # A duration that is not known is infinite, so that the first slice is one edge.
            size = max(1, int(_SHARE * (deadline - began) / self._seconds_per_edge))
            part = evaluate(slice(len(answers), min(len(answers) + size, count)))
            answers += part
            self._learn((clock() - began) / len(part))
        return answers

    def _learn(self, seconds: float) -> None:
        """Take the mean duration of the evaluations of a slice into account."""
        expected = 0.0 if self._seconds_per_edge == math.inf else _MEMORY * self._seconds_per_edge
        self._seconds_per_edge = max(seconds, expected, _SHORTEST)
