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

    def __init__(self, belief: EdgePosterior, problem: Problem) -> None:
        graph = problem.graph
        assert isinstance(graph, ExplicitGraph)
        self.worlds, self.weights = belief.memory.by_world.astype(bool), belief.weights
        self.doubts = np.zeros(len(self.worlds))
        self.problem, self.undirected, self.stored = problem, graph.undirected, self.worlds.shape[1]
        self.coordinates = graph.rows.coordinates
        table = graph.edges()
        self.ends = [(int(source), int(target)) for source, target, _ in table]
        self.lengths = table[:, 2] / graph.rows.costs.mean()
        self.old = {vertex for ends in self.ends[: self.stored] for vertex in ends}
        # Invalid edges and length of valid ones, near the start, near the goal, and at each vertex.
        prior = self.weights.narrowness, self.weights.openness
        self.regions: list[tuple[float, float]] = [prior, prior]
        self.around: dict[int, tuple[float, float]] = {}

    def learn(self, edge: int, invalid: bool) -> None:
        """Add the doubt in worlds that differ, and what an added edge tells about the space around its ends."""
        if edge < self.stored:
            doubt = self.weights.doubt_of_invalid if invalid else self.weights.doubt_of_valid
            self.doubts += doubt * (self.worlds[:, edge] != invalid)
            return
        failures, length = 0.0, float(self.lengths[edge])
        if invalid:
            survival = self.survival(edge)
            failures = (1.0 - survival) / max(1.0 - (1.0 - self.share(self.collisions(edge))) * survival, 1e-9)
            length *= failures / 2
        else:
            self.doubts += self.weights.doubt_of_valid * self.collisions(edge)
        for vertex in self.ends[edge]:
            before = self.around.get(vertex, (0.0, 0.0))
            self.around[vertex] = before[0] + failures, before[1] + length
        for region in {self.region(vertex) for vertex in self.ends[edge]} - {None}:
            assert region is not None
            before, part = self.regions[region], self.weights.region
            self.regions[region] = before[0] + part * failures, before[1] + part * length

    def invalid(self, edge: int) -> float:
        """The probability of an edge."""
        if edge < self.stored:
            value = self.share(self.worlds[:, edge])
        else:
            value = 1.0 - (1.0 - self.share(self.collisions(edge))) * self.survival(edge)
        return float(np.clip(value, 1.0 - self.weights.certainty, self.weights.certainty))

    def surprise(self, edge: int) -> float:
        """The penalty of an edge, in units of the surprise."""
        return -math.log(1.0 - self.invalid(edge))

    def share(self, column: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> float:
        """The share of the worlds in a column, by their weights, smoothed with the frequency."""
        weights = np.exp(self.doubts.min() - self.doubts)
        smoothing = self.weights.smoothing * math.exp(self.doubts.min() / self.weights.patience)
        return float((weights @ column + smoothing * column.mean()) / (weights.sum() + smoothing))

    def collisions(self, edge: int) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        """The worlds in which all stored edges that leave an end of an edge are invalid."""
        found: np.ndarray[tuple[int], np.dtype[np.bool_]] = np.zeros(len(self.worlds), bool)
        for end in self.ends[edge]:
            leaving = [
                number
                for number, (source, target) in enumerate(self.ends[: self.stored])
                if end == source or (self.undirected and end == target)
            ]
            if leaving:
                found |= self.worlds[:, leaving].all(axis=1)
        return found

    def survival(self, edge: int) -> float:
        """The probability that nothing is in the way of an edge whose ends are valid."""
        length, chances = float(self.lengths[edge]), []
        for vertex in self.ends[edge]:
            region = self.region(vertex)
            base = (0.0, self.weights.openness) if region is None else self.regions[region]
            own = self.around.get(vertex, (0.0, 0.0))
            extent = base[1] + own[1]
            chances.append(float((extent / (extent + length)) ** (base[0] + own[0])))
        return min(chances)

    def region(self, vertex: int) -> int | None:
        """Whether an added vertex is nearer to the start (0) or to the goal (1)."""
        if vertex in self.old:
            return None
        places = self.coordinates[[vertex, self.problem.start, self.problem.goal]]
        if not places.shape[1]:
            return int(vertex == self.problem.goal)
        return int(((places[0] - places[2]) ** 2).sum() < ((places[0] - places[1]) ** 2).sum())


def check_evaluations(problem: Problem, posterior: NaivePosterior, bound: float, evaluated: list[list[int]]) -> None:
    """Assert that each evaluated edge is the most doubtful unknown edge of the shortest candidate, up to rounding."""
    graph = problem.graph
    assert isinstance(graph, ExplicitGraph)
    table = graph.edges()
    number: dict[Edge, int] = {}
    for index, (source, target, _) in enumerate(table.tolist()):
        number[int(source), int(target)] = index
        if graph.undirected:
            number[int(target), int(source)] = index
    known, candidate = dict[int, bool](), list[Edge]()
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
        penalty = posterior.weights.surprise * lengths.mean() * posterior.surprise(index)
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
