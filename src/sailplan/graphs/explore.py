"""Exploration of a graph that is defined by callbacks, as an explicit graph."""

from __future__ import annotations

from array import array

import numpy as np

from sailplan.core.edge_step import EdgeEvaluator, checked_cost
from sailplan.core.graph import EdgeStatus, Graph, Problem, is_undirected, successors_of
from sailplan.core.result import check_time, current_deadline
from sailplan.errors import GraphError
from sailplan.graphs.explicit.graph import ExplicitGraph

MOST_VERTICES_TO_EXPLORE = 1_000_000


def explore(
    problem: Problem, *, checked: bool, max_vertices: int = MOST_VERTICES_TO_EXPLORE, why: str = "to explore"
) -> ExplicitGraph:
    """Return all vertices reachable from the start as an explicit graph with the same vertex numbers.

    In the set-up of a search, the time limit is checked between vertices, and between evaluations.

    Parameters
    ----------
    problem
        The problem whose graph is explored from the start.
    checked
        Whether to evaluate each edge, which is expensive, and to follow valid edges only. Otherwise all edges are
        followed and taken to be valid.
    max_vertices
        Largest number of vertices to explore.
    why
        The purpose of the exploration, for the error message.

    Raises
    ------
    GraphError
        If more than `max_vertices` vertices are reachable.
    """
    graph: Graph = problem.graph
    undirected = is_undirected(graph)
    evaluator, deadline = EdgeEvaluator(graph), current_deadline()
    # Rows (source, target, cost), without an object for each of them.
    edges = array("d")
    met = {problem.start}
    waiting = [problem.start]
    while waiting:
        vertex = waiting.pop()
        targets, costs = successors_of(graph, vertex)
        verdicts = evaluator.from_vertex(vertex, targets, deadline) if checked else [EdgeStatus.VALID] * len(targets)
        check_time()
        for target, cost, verdict in zip(targets, costs, verdicts, strict=True):
            if EdgeStatus(verdict).valid:
                if not undirected or vertex < target:
                    edges.extend((vertex, target, checked_cost(vertex, target, cost)))
                if target not in met:
                    met.add(target)
                    waiting.append(target)
        if len(met) > max_vertices:
            raise GraphError(f"{problem.name}: more than {max_vertices} vertices are reachable, too many {why}")
    table = np.frombuffer(edges).reshape(-1, 3)
    return ExplicitGraph.from_edges(max(max(met), problem.goal) + 1, table, undirected=undirected)
