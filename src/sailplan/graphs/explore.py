"""A graph that is met as it is searched, explored beforehand."""

from __future__ import annotations

from sailplan.core.graph import EdgeStatus, Graph, Problem, edge_statuses
from sailplan.errors import GraphError
from sailplan.graphs.explicit.graph import ExplicitGraph

MOST_VERTICES_TO_EXPLORE = 1_000_000


def explore(
    problem: Problem, *, checked: bool, max_vertices: int = MOST_VERTICES_TO_EXPLORE, why: str = "to explore"
) -> ExplicitGraph:
    """Every vertex in reach of the start as an explicit graph with the same numbers.

    Over valid edges only where they are `checked`, which is expensive; else over all edges, all called valid.
    """
    graph: Graph = problem.graph
    edges: list[tuple[int, int, float]] = []
    met = {problem.start}
    waiting = [problem.start]
    while waiting:
        vertex = waiting.pop()
        targets, costs = graph.successors(vertex)
        if len(targets) != len(costs):
            raise GraphError(f"successors({vertex}) must give vertices and a cost for each, got {targets}, {costs}")
        verdicts = edge_statuses(graph, vertex, targets) if checked else [EdgeStatus.VALID] * len(targets)
        for target, cost, verdict in zip(targets, costs, verdicts, strict=True):
            if verdict == EdgeStatus.VALID:
                edges.append((vertex, target, cost))
                if target not in met:
                    met.add(target)
                    waiting.append(target)
        if len(met) > max_vertices:
            raise GraphError(f"{problem.name}: more than {max_vertices} vertices in reach, too many {why}")
    return ExplicitGraph.from_edges(max(max(met), problem.goal) + 1, edges)
