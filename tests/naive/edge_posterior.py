"""The posterior of edges by its definition, and lazy search with it: a Dijkstra from scratch for every candidate."""

from __future__ import annotations

import heapq
import math
from itertools import pairwise

import numpy as np

from sailplan.graphs import ExplicitGraph, Problem
from sailplan.policies.replanning.beliefs import EdgePosterior

Edge = tuple[int, int]


class NaivePosterior:
    """The probability that each edge is invalid, given the results of some edges."""

    def __init__(self, belief: EdgePosterior, graph: ExplicitGraph) -> None:
        self.worlds, self.weights = belief.memory.by_world.astype(bool), belief.weights
        self.doubts = np.zeros(len(self.worlds))
        self.ends = graph.edges()[:, :2].astype(int).tolist()

    def learn(self, edge: int, invalid: bool) -> None:
        """Add the doubt in worlds that differ."""
        if edge < self.worlds.shape[1]:
            doubt = self.weights.doubt_of_invalid if invalid else self.weights.doubt_of_valid
            self.doubts += doubt * (self.worlds[:, edge] != invalid)

    def invalid(self, edge: int) -> float:
        """The probability of an edge; of one that is not stored, the mean frequency."""
        weights = np.exp(self.doubts.min() - self.doubts)
        smoothing, certainty = self.weights.smoothing, self.weights.certainty
        smoothing *= math.exp(self.doubts.min() / self.weights.patience)
        if edge < self.worlds.shape[1]:
            column = self.worlds[:, edge]
            value = (weights @ column + smoothing * column.mean()) / (weights.sum() + smoothing)
        else:
            smoothing = max(smoothing, weights.sum())
            value = (weights @ self.estimate(edge) + smoothing * self.worlds.mean()) / (weights.sum() + smoothing)
        return float(np.clip(value, 1.0 - certainty, certainty))

    def estimate(self, edge: int) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        """The results of an edge that is not stored: those of most edges at a stored vertex near it."""
        stored = self.worlds.shape[1]
        old = {vertex for ends in self.ends[:stored] for vertex in ends}
        near = [vertex for vertex in self.ends[edge] if vertex in old]
        if not near:
            anchors = [self.anchor(vertex, old) for vertex in self.ends[edge]]
            near = [max(anchors)]
        around = [number for number, ends in enumerate(self.ends[:stored]) if near[0] in ends] or range(stored)
        mostly: np.ndarray[tuple[int], np.dtype[np.bool_]] = self.worlds[:, list(around)].mean(axis=1) > 0.5
        return mostly

    def anchor(self, vertex: int, old: set[int]) -> int:
        """The first stored vertex that a new one is joined to, -1 if there is none; as a source before as a target."""
        for one, other in ((0, 1), (1, 0)):
            for ends in self.ends[self.worlds.shape[1] :]:
                if ends[one] == vertex and ends[other] in old:
                    return int(ends[other])
        return -1


def check_evaluations(problem: Problem, belief: EdgePosterior, bound: float, evaluated: list[list[int]]) -> None:
    """Assert that each evaluated edge is the most doubtful unknown edge of the shortest candidate, up to rounding."""
    graph = problem.graph
    assert isinstance(graph, ExplicitGraph)
    table = graph.edges()
    number: dict[Edge, int] = {}
    for index, (source, target, _) in enumerate(table.tolist()):
        number[int(source), int(target)] = index
        if graph.undirected:
            number[int(target), int(source)] = index
    posterior, known, candidate = NaivePosterior(belief, graph), dict[int, bool](), list[Edge]()
    for source, target, status in evaluated:
        if not candidate or not all(known.get(number[edge], True) for edge in candidate):
            candidate = _shortest(problem, number, table[:, 2], posterior, known, bound)
        unknown = {number[edge]: posterior.invalid(number[edge]) for edge in candidate if number[edge] not in known}
        asked = number[source, target]
        assert asked in unknown
        assert unknown[asked] >= max(unknown.values()) - 1e-5
        known[asked] = status == 0
        posterior.learn(asked, status != 0)


def _shortest(
    problem: Problem,
    number: dict[Edge, int],
    lengths: np.ndarray[tuple[int], np.dtype[np.float64]],
    posterior: NaivePosterior,
    known: dict[int, bool],
    bound: float,
) -> list[Edge]:
    costs: dict[Edge, float] = {}
    for edge, index in number.items():
        length = float(lengths[index])
        penalty = -posterior.weights.surprise * lengths.mean() * math.log(1.0 - posterior.invalid(index))
        if known.get(index, True):
            costs[edge] = length if index in known else min(length + penalty, bound * length)
    distance, before, heap = {problem.start: 0.0}, dict[int, int](), [(0.0, problem.start)]
    while heap:
        here, vertex = heapq.heappop(heap)
        for (source, target), cost in costs.items():
            if source == vertex and here + cost < distance.get(target, math.inf):
                distance[target], before[target] = here + cost, vertex
                heapq.heappush(heap, (here + cost, target))
    path = [problem.goal]
    while path[0] != problem.start:
        path.insert(0, before[path[0]])
    return list(pairwise(path))
