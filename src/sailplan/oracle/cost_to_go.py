"""The clairvoyant oracle: the true cost-to-go of every vertex, by Dijkstra backward from the goal."""

from __future__ import annotations

import math

import numpy as np

from sailplan.core.graph import CompiledGraph, FloatArray, Problem, is_compiled
from sailplan.core.kernel.heap import FIRST_ROOM, VERTEX_BITS
from sailplan.core.state import allocate_queues, enlarge_queues
from sailplan.errors import GraphError
from sailplan.graphs.explore import MOST_VERTICES_TO_EXPLORE, explore
from sailplan.oracle.kernel import begin_settling, settle


def cost_to_go(
    problem: Problem, *, limit: float = math.inf, max_vertices: int = MOST_VERTICES_TO_EXPLORE
) -> FloatArray:
    """Cost of the cheapest path from each vertex to the goal (Q) in the world as it is; infinite where there is none.

    Vertices farther than `limit` are infinite too. A graph without arrays is explored forward from the start first;
    one with more than `max_vertices` vertices in reach is refused, and vertices out of reach are infinite.
    """
    graph = problem.graph
    finite = (
        graph if is_compiled(graph) else explore(problem, checked=True, max_vertices=max_vertices, why="for the oracle")
    )
    return _settle_all(finite, problem.goal, limit)


def _settle_all(graph: CompiledGraph, goal: int, limit: float) -> FloatArray:
    if graph.vertex_count > 1 << VERTEX_BITS:
        raise GraphError(f"the graph has {graph.vertex_count} vertices, more than {1 << VERTEX_BITS}")
    backward = graph.backward_arrays()
    degree = graph.max_in_degree
    result = np.full(graph.vertex_count, math.inf)
    settled = np.zeros(graph.vertex_count, np.bool_)
    queue = allocate_queues(1, FIRST_ROOM + 2 * degree)
    begin_settling(queue, goal, result)
    while not settle(backward, limit, queue, settled, result, degree):
        queue = enlarge_queues(queue)
    return result
