"""Evaluation of edges in Python, and edge requests in the reference engine, with the paths that they change."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from sailplan.core.graph import (
    LARGEST_NUMBER,
    EdgeStatus,
    Graph,
    edge_statuses,
    is_undirected,
    range_for,
    statuses_of_edges,
)
from sailplan.core.kernel.arrays import (
    CLOSED,
    EDGE_EVALUATIONS,
    EVALUATED,
    EXPANSIONS,
    INVALID,
    NO_VERTEX,
    OPEN,
    UNSEEN,
)
from sailplan.core.policy import Discovery, EdgeRequest, Frontier
from sailplan.core.result import clock
from sailplan.core.state import SearchState
from sailplan.errors import GraphError, PolicyError

_NUMPY_NUMBERS = (np.floating, np.integer)
_SHARE = 0.5
"""Share of the time left that a slice is expected to take."""
_MEMORY = 0.9
"""An evaluation is expected to take no less than this share of what was expected before, as durations differ."""

_SHORTEST = 1e-9


def checked_cost(source: int, target: int, cost: object) -> float:
    """Return the cost of an edge as a float; raises GraphError if it is negative, too large or not a number."""
    # Converted, as adding a float32 would round the sum to float32, and comparing it overflow.
    number = float(cost) if isinstance(cost, _NUMPY_NUMBERS) else cost
    if not isinstance(number, float | int) or not 0.0 <= number <= LARGEST_NUMBER:
        raise GraphError(f"edge {source} -> {target}: its cost must be {range_for(number)}")
    return float(number)


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
        if deadline == math.inf:
            return edge_statuses(self._graph, vertex, targets)
        return self._in_slices(len(targets), deadline, lambda part: edge_statuses(self._graph, vertex, targets[part]))

    def of_edges(self, sources: Sequence[int], targets: Sequence[int], deadline: float) -> list[int]:
        """Return the statuses of the first of some edges, at least one; of all if there is time."""
        if deadline == math.inf:
            return statuses_of_edges(self._graph, sources, targets)
        return self._in_slices(
            len(targets), deadline, lambda part: statuses_of_edges(self._graph, sources[part], targets[part])
        )

    def _in_slices(self, count: int, deadline: float, evaluate: Callable[[slice], list[int]]) -> list[int]:
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


class EdgeStep:
    """The edge requests of one search, of which at most one is being answered."""

    def __init__(self, graph: Graph, evaluator: EdgeEvaluator, state: SearchState, frontier: Frontier) -> None:
        self._graph, self._evaluator, self._state, self._frontier = graph, evaluator, state, frontier
        self._both_ways = is_undirected(graph)
        self._edges: list[tuple[int, int]] = []
        self._answers: list[int] = []
        self._known: dict[tuple[int, int], int] = {}
        self._valid_targets: set[int] = set()
        self._changed: dict[int, None] = {}
        self._sources: dict[int, dict[int, float]] = {}
        self._read: set[int] = set()
        self._vertex = NO_VERTEX
        """The vertex whose expansion was requested; NO_VERTEX if edges were."""

    @property
    def unanswered(self) -> bool:
        """Whether the last request has not been answered completely."""
        return bool(self._edges) or self._vertex != NO_VERTEX

    def expand(self, vertex: int, targets: Sequence[int]) -> None:
        """Accept a request to expand a vertex with these successors: to evaluate its edges that are not known."""
        self._vertex, self._changed = vertex, {}
        self._edges, self._answers = [(vertex, target) for target in targets if self._is_unknown(vertex, target)], []

    def _is_unknown(self, source: int, target: int) -> bool:
        known = (
            target in self._valid_targets or self._state.status[target] == INVALID or (source, target) in self._known
        )
        return target != source and not known

    def begin(self, request: EdgeRequest) -> None:
        """Accept a request; raises PolicyError if it is not valid."""
        self._edges, self._answers = [(int(source), int(target)) for source, target in request.edges], []
        self._changed = {}
        if not self._edges:
            raise PolicyError("the policy requested no edges, and neither a vertex")
        for edge in self._edges:
            if edge in self._known:
                raise PolicyError(f"the policy requested the edge {edge}, whose result is known")

    def withdraw(self) -> None:
        """Drop the request, if none of its edges has been evaluated."""
        if not self._answers:
            self._edges = []

    def answer(self, left: int, deadline: float) -> float:
        """Evaluate at most `left` edges of the request until the deadline; return the seconds that the graph needed."""
        asked = self._edges[len(self._answers) :][: max(left, 0)]
        seconds = self._evaluate(asked, deadline) if asked else 0.0
        if len(self._answers) == len(self._edges):
            self._report()
        return seconds

    def _evaluate(self, asked: list[tuple[int, int]], deadline: float) -> float:
        began = clock()
        answers = self._evaluator.of_edges([edge[0] for edge in asked], [edge[1] for edge in asked], deadline)
        seconds = clock() - began
        self._answers += answers
        counts = self._state.arrays.counts
        self._state.make_room_for_edges(len(answers))
        # The deadline may have cut the batch.
        for edge, status in zip(asked, answers, strict=False):
            self._state.arrays.evaluated[counts[EVALUATED]] = *edge, status
            counts[EVALUATED] += 1
            self._record(edge, EdgeStatus(status))
        counts[EDGE_EVALUATIONS] += len(answers)
        return seconds

    def _record(self, edge: tuple[int, int], status: EdgeStatus) -> None:
        source, target = edge
        self._known[edge] = status
        if self._both_ways and status is not EdgeStatus.INVALID_TARGET:
            self._known[target, source] = EdgeStatus.VALID if status.valid else status
        if status is EdgeStatus.INVALID_TARGET:
            if self._state.status[target] in (OPEN, CLOSED):
                raise GraphError(f"vertex {target} is reported as invalid, but another edge into it was valid")
            if self._state.status[target] != INVALID:
                self._state.forbid([target], [])
        elif status is EdgeStatus.INVALID_EDGE:
            self._state.forbid([], [edge], both_ways=self._both_ways)
        elif status is EdgeStatus.VALID_TARGET:
            self._valid_targets.add(target)
            self._connect_target(target)
        elif self._state.status[source] in (OPEN, CLOSED):
            self._connect(source, target, self._edges_of(source)[target])
        if self._both_ways and status.valid and self._state.status[target] in (OPEN, CLOSED):
            self._connect(target, source, self._edges_of(target)[source])

    def _report(self) -> None:
        """Tell the frontier the results of the whole request."""
        if self._vertex != NO_VERTEX:
            self._close()
        evaluated = [(*edge, status) for edge, status in zip(self._edges, self._answers, strict=True)]
        invalid = [target for _, target, status in evaluated if status == EdgeStatus.INVALID_TARGET]
        edges = [(source, target) for source, target, status in evaluated if status == EdgeStatus.INVALID_EDGE]
        if self._vertex == NO_VERTEX:
            successors, changed = [target for _, target, status in evaluated if EdgeStatus(status).valid], self._changed
        else:
            successors = self._affected()
            changed = {vertex: None for vertex in successors if vertex in self._changed}
        self._frontier.observe(Discovery(self._vertex, invalid, edges, successors, evaluated))
        if changed:
            self._frontier.add(list(changed))
        self._edges, self._vertex = [], NO_VERTEX

    def _close(self) -> None:
        """Close the vertex that is expanded, and take all of its edges that are known to be valid."""
        for target, cost in self._valid_edges(self._vertex):
            self._connect(self._vertex, target, cost)
        counts = self._state.arrays.counts
        self._state.status[self._vertex] = CLOSED
        self._state.arrays.expanded[counts[EXPANSIONS]] = self._vertex
        counts[EXPANSIONS] += 1

    def _affected(self) -> list[int]:
        """Return the open successors of the vertex that was expanded, and then other open vertices with a new path."""
        successors = dict.fromkeys(target for target, _ in self._valid_edges(self._vertex))
        return [vertex for vertex in {**successors, **self._changed} if self._state.status[vertex] == OPEN]

    def _connect_target(self, target: int) -> None:
        """Take the edge into a vertex that gives it the cheapest path, all of which are valid."""
        ways = []
        for source, cost in self._edges_into(target):
            ways.append((float(self._state.cost[source]) + cost, source, cost))
        if ways:
            _, source, cost = min(ways)
            self._connect(source, target, cost)

    def _edges_into(self, target: int) -> Iterator[tuple[int, float]]:
        """Return the edges (source, cost) from vertices with a path, whose successors are read only once."""
        status = self._state.status
        for source in np.flatnonzero((status == OPEN) | (status == CLOSED)).tolist():
            if source not in self._read:
                self._read.add(source)
                for successor, cost in self._edges_of(source).items():
                    self._sources.setdefault(successor, {})[source] = cost
        yield from self._sources.get(target, {}).items()

    def _edges_of(self, source: int) -> dict[int, float]:
        targets, costs = self._graph.successors(source)
        return {target: checked_cost(source, target, cost) for target, cost in zip(targets, costs, strict=True)}

    def _connect(self, source: int, target: int, cost: float) -> None:
        """Take a valid edge of a vertex with a path, if this is cheaper, and then all valid edges behind it."""
        waiting: deque[int] = deque()
        self._lower(source, target, cost, waiting)
        while waiting:
            source = waiting.popleft()
            for target, step in self._valid_edges(source):
                self._lower(source, target, step, waiting)

    def _valid_edges(self, source: int) -> list[tuple[int, float]]:
        return [
            (target, cost)
            for target, cost in self._edges_of(source).items()
            if target in self._valid_targets or EdgeStatus(self._known.get((source, target), 1)).valid
        ]

    def _lower(self, source: int, target: int, edge_cost: float, waiting: deque[int]) -> None:
        state = self._state
        cost = float(state.cost[source]) + edge_cost
        # Of an undirected graph, an edge out of an invalid vertex may be known to be valid; its cost is undefined.
        if state.status[target] == INVALID or (state.status[target] != UNSEEN and not cost < state.cost[target]):
            return
        if state.status[target] == UNSEEN:
            state.status[target] = OPEN
        state.cost[target] = cost
        state.parent[target], state.depth[target] = source, state.depth[source] + 1
        self._changed[target] = None
        if target not in waiting:
            waiting.append(target)
