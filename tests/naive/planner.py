"""The loss of a planner from its definition: distances in floating point, by Dijkstra from the goal."""

from __future__ import annotations

from heapq import heappop, heappush
from math import exp, inf, isfinite

import numpy as np
from numpy.typing import NDArray

from sailplan.core.graph import FloatArray
from sailplan.core.kernel.arrays import CLOSED, INVALID, OPEN
from sailplan.graphs import GridGraph, Problem


def believed_distances(problem: Problem, status: NDArray[np.uint8], multipliers: FloatArray) -> dict[int, float]:
    """The distance of each vertex to the goal, where an edge costs its length times the multiplier of its target.

    No path leads through closed vertices, or along edges that are known to be invalid.
    """
    graph = problem.graph
    assert isinstance(graph, GridGraph)
    into: dict[int, list[tuple[int, float]]] = {vertex: [] for vertex in range(graph.vertex_count)}
    for source in range(graph.vertex_count):
        for target, cost in zip(*graph.successors(source), strict=True):
            if INVALID not in (status[source], status[target]) and not _cuts_a_corner(graph, status, source, target):
                into[target].append((source, cost * float(multipliers[target])))
    distances: dict[int, float] = {}
    waiting: list[tuple[float, int]] = [(0.0, problem.goal)]
    while waiting:
        distance, vertex = heappop(waiting)
        if vertex in distances or status[vertex] >= CLOSED:
            continue
        distances[vertex] = distance
        for source, cost in into[vertex]:
            heappush(waiting, (distance + cost, source))
    return distances


def temperature_of(distances: dict[int, float], regrets: dict[int, float], least: float) -> float:
    """Half of what the nearest of the best vertices is farther than the nearest vertex, but not less than the least."""
    nearest = min(distances[vertex] for vertex in regrets)
    return max(least, (min(distances[vertex] for vertex in regrets if regrets[vertex] < 1.0) - nearest) / 2.0)


def regrets_of(status: NDArray[np.uint8], distances: dict[int, float], table: FloatArray) -> dict[int, float]:
    """How much larger the cost-to-go of each open vertex is than the smallest one, at most 3."""
    candidates = [vertex for vertex in np.flatnonzero(status == OPEN).tolist() if isfinite(table[vertex])]
    candidates = [vertex for vertex in candidates if vertex in distances]
    smallest = min((table[vertex] for vertex in candidates), default=inf)
    return {vertex: min(float(table[vertex] - smallest), 3.0) for vertex in candidates}


def expected_regret(distances: dict[int, float], regrets: dict[int, float], temperature: float) -> float:
    """The mean regret with probabilities in proportion to exp(-distance / temperature)."""
    nearest = min(distances[vertex] for vertex in regrets)
    weights = {vertex: exp((nearest - distances[vertex]) / temperature) for vertex in regrets}
    return sum(weights[vertex] * regrets[vertex] for vertex in regrets) / sum(weights.values())


def _cuts_a_corner(graph: GridGraph, status: NDArray[np.uint8], source: int, target: int) -> bool:
    (x, y), (to_x, to_y) = graph.cell(source), graph.cell(target)
    if graph.moves.corner_cutting or x == to_x or y == to_y:
        return False
    return INVALID in (status[graph.vertex((x, to_y))], status[graph.vertex((to_x, y))])
