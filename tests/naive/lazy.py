"""Lazy search by its definition: a Dijkstra from scratch before every request."""

from __future__ import annotations

import heapq
import math
from collections.abc import Sequence
from itertools import pairwise

from sailplan.core.graph import EdgeStatus, is_finite, is_undirected
from sailplan.graphs import Problem

Edge = tuple[int, int]


class NaiveLazySearch:
    """A search that evaluates unknown edges of the candidate; with reuse 1 and multipliers of 1, LazySP."""

    def __init__(self, problem: Problem, reuse: float, multipliers: Sequence[float], selector: str, batch: int) -> None:
        graph = problem.graph
        assert is_finite(graph)
        self.problem, self.reuse, self.selector, self.batch = problem, reuse, selector, batch
        self.multipliers = multipliers
        self.costs: dict[Edge, float] = {}
        for source in range(graph.vertex_count):
            for target, cost in zip(*graph.successors(source), strict=True):
                self.costs[source, target] = cost
        self.known: dict[Edge, bool] = {}
        self.evaluated: list[Edge] = []
        self.turn = 0
        self.doubts = multipliers
        """Used by the selector `doubtful`; the multipliers before they are limited."""

    def run(self) -> tuple[int, ...]:
        """Search; return the path, or an empty one."""
        while True:
            candidate = self.candidate()
            if candidate is None:
                return ()
            unknown = [edge for edge in pairwise(candidate) if edge not in self.known]
            if not unknown:
                return tuple(candidate)
            self.evaluate(self.pick(unknown))

    def candidate(self) -> list[int] | None:
        """The shortest path: known costs count `reuse` times, unknown ones are multiplied."""
        problem = self.problem
        valid = {edge: cost for edge, cost in self.costs.items() if self.known.get(edge)}
        before, parents = self.distances(problem.start, valid)
        believed = {
            (target, source): cost * self.multipliers[target]
            for (source, target), cost in self.costs.items()
            if self.known.get((source, target), True)
        }
        after, onward = self.distances(problem.goal, believed)
        through = [
            (self.reuse * cost + after[vertex], cost, vertex) for vertex, cost in before.items() if vertex in after
        ]
        if not through:
            return None
        # Of candidates of the same length, which share their path, the one that leaves the known paths last.
        least = min(through)[0]
        vertex = max((cost, vertex) for length, cost, vertex in through if length <= least * (1 + 1e-12))[1]
        path = [vertex]
        while path[0] != problem.start:
            path.insert(0, parents[path[0]])
        while path[-1] != problem.goal:
            path.append(onward[path[-1]])
        return path

    def distances(self, root: int, edges: dict[Edge, float]) -> tuple[dict[int, float], dict[int, int]]:
        """The distance of each vertex that can be reached from the root, and the vertex before it."""
        successors: dict[int, list[tuple[int, float]]] = {}
        for (source, target), cost in edges.items():
            successors.setdefault(source, []).append((target, cost))
        distance, parents, heap = {root: 0.0}, {}, [(0.0, root)]
        while heap:
            here, vertex = heapq.heappop(heap)
            if here > distance[vertex]:
                continue
            for target, cost in successors.get(vertex, []):
                if here + cost < distance.get(target, math.inf):
                    distance[target], parents[target] = here + cost, vertex
                    heapq.heappush(heap, (here + cost, target))
        return distance, parents

    def pick(self, unknown: list[Edge]) -> list[Edge]:
        """The edges to evaluate next."""
        left, picked = list(unknown), list[Edge]()
        while left and len(picked) < self.batch:
            last = self.selector == "backward" or (self.selector == "alternate" and (self.turn + len(picked)) % 2)
            place = len(left) - 1 if last else 0
            if self.selector in ("doubtful", "critical"):
                place = max(range(len(left)), key=lambda index: (self.doubts[left[index][1]], -index))
            picked.append(left.pop(place))
        self.turn += 1
        return picked

    def evaluate(self, edges: list[Edge]) -> None:
        """Evaluate edges, and record what they tell about other edges."""
        for source, target in edges:
            status = EdgeStatus(self.problem.graph.evaluate(source, [target])[0])
            self.evaluated.append((source, target))
            self.known[source, target] = status.valid
            if is_undirected(self.problem.graph) and status is not EdgeStatus.INVALID_TARGET:
                self.known[target, source] = status.valid
            if status in (EdgeStatus.INVALID_TARGET, EdgeStatus.VALID_TARGET):
                for edge in self.costs:
                    if edge[1] == target:
                        self.known[edge] = status.valid
