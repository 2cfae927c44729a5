"""The exact cost-to-go of every vertex, and the fewest edges of a path, by searches backward from the goal."""

from __future__ import annotations

import math
import sys
from dataclasses import replace
from typing import Any

import numpy as np

from sailplan.core.graph import FloatArray, Problem, as_real, is_compiled
from sailplan.core.kernel.arrays import NO_QUEUE, NONE
from sailplan.core.kernel.heap import FIRST_ROOM, VERTEX_BITS
from sailplan.core.result import check_time
from sailplan.core.state import allocate_queues, enlarge_queues
from sailplan.errors import GraphError, ProblemError
from sailplan.graphs.explore import MOST_VERTICES_TO_EXPLORE, explore
from sailplan.oracle.kernel import begin_settling, count_edges, settle

_SETTLED_AT_ONCE = 1 << 13
"""Number of vertices between two looks at the clock, which takes about a millisecond."""


def cost_to_go(
    problem: Problem, *, limit: float = math.inf, max_vertices: int = MOST_VERTICES_TO_EXPLORE
) -> FloatArray:
    """Compute the cost of the cheapest valid path from each vertex to the goal (Q).

    Parameters
    ----------
    problem
        The problem; all of its edges are evaluated, as only an oracle may do.
    limit
        Vertices with a larger cost-to-go than this are reported as infinite, which saves time.
    max_vertices
        A graph without arrays is first explored from the start; this is the largest number of vertices that may be
        reachable.

    Returns
    -------
    numpy.ndarray
        The cost-to-go of each vertex, shape (vertices,); infinite if no path exists or the vertex was not explored.

    Raises
    ------
    GraphError
        If the graph has too many vertices, or the limit is not a number.

    Examples
    --------
    >>> from sailplan.testing import draw_problem
    >>> problem = draw_problem("S.#G")
    >>> cost_to_go(problem)
    array([inf, inf, inf,  0.])
    >>> float(cost_to_go(draw_problem("S..G"))[0])
    3.0
    """
    number = as_real(limit)
    if not number <= math.inf:
        raise GraphError(f"a limit of the cost-to-go must be a number, got {limit!r}")
    graph = with_known_edges(problem, max_vertices=max_vertices).graph
    assert is_compiled(graph)
    vertices, degree = graph.vertex_count, graph.max_in_degree
    # A kernel is compiled for each type of a number. An integer may be larger than any float.
    most = float(min(number, sys.float_info.max)) if number < math.inf else math.inf
    return distances_to(graph.backward_arrays(), problem.goal, vertices=vertices, in_degree=degree, limit=most)


def with_known_edges(problem: Problem, *, max_vertices: int = MOST_VERTICES_TO_EXPLORE) -> Problem:
    """Return the problem on a graph whose arrays hold the result of every edge; others are explored.

    Parameters
    ----------
    problem
        The problem; if its graph has no such arrays, all edges that can be reached from the start are evaluated.
    max_vertices
        The largest number of vertices that may be reachable in a graph without arrays.

    Returns
    -------
    Problem
        The same problem, on an explicit graph if it was explored.

    Raises
    ------
    GraphError
        If the graph has too many vertices.
    """
    if not isinstance(problem, Problem):
        raise ProblemError(f"the oracle needs a Problem, got {type(problem).__name__}")
    if is_compiled(problem.graph) and not getattr(problem.graph, "checker", None):
        return problem
    return replace(problem, graph=explore(problem, checked=True, max_vertices=max_vertices, why="for the oracle"))


def fewest_edges(problem: Problem) -> float:
    """Count the edges of the valid path that has the fewest: the clairvoyant limit of searches by edges.

    Parameters
    ----------
    problem
        The problem; all of its edges may be evaluated, as only an oracle may do.

    Returns
    -------
    float
        The number of edges; infinite if there is no path.

    Raises
    ------
    GraphError
        If the graph has too many vertices.

    Examples
    --------
    >>> from sailplan.testing import draw_problem
    >>> fewest_edges(draw_problem("S.. .#G"))
    2.0
    >>> fewest_edges(draw_problem("S#G"))
    inf
    """
    graph = with_known_edges(problem).graph
    assert is_compiled(graph)
    depths, waiting = np.full(graph.vertex_count, NONE, np.int64), np.empty(graph.vertex_count, np.int64)
    depth = count_edges(graph.backward_arrays(), problem.start, problem.goal, depths, waiting)
    return math.inf if depth == NONE else float(depth)


def distances_to(backward: Any, goal: int, *, vertices: int, in_degree: int, limit: float = math.inf) -> FloatArray:
    """Compute the cost of the cheapest path from each vertex to the goal over the edges that arrays give as valid.

    Nothing is checked: the kernel writes beyond its arrays if the numbers are not those of the graph.

    Parameters
    ----------
    backward
        A graph with its edges reversed, as a NamedTuple of arrays; see `CompiledGraph.backward_arrays`.
    goal
        The goal.
    vertices
        Number of vertices.
    in_degree
        Largest number of edges that lead to a vertex.
    limit
        Vertices with a larger cost than this are reported as infinite, which saves time.

    Returns
    -------
    numpy.ndarray
        The cost of each vertex, shape (vertices,).

    Raises
    ------
    GraphError
        If the graph has too many vertices.

    Examples
    --------
    >>> from sailplan.graphs import ExplicitGraph
    >>> graph = ExplicitGraph.from_edges(3, [(0, 1, 1.0), (1, 2, 1.0)])
    >>> distances_to(graph.backward_arrays(), 2, vertices=3, in_degree=1)
    array([2., 1., 0.])
    """
    if vertices > 1 << VERTEX_BITS:
        raise GraphError(f"the graph has {vertices} vertices, more than {1 << VERTEX_BITS}")
    result, settled = np.full(vertices, math.inf), np.zeros(vertices, np.bool_)
    queue = allocate_queues(1, FIRST_ROOM + 2 * in_degree)
    begin_settling(queue, goal, result)
    while code := settle(backward, limit, queue, settled, result, in_degree, _SETTLED_AT_ONCE):
        if code == NO_QUEUE:
            queue = enlarge_queues(queue)
        # In the set-up of a search, the time limit counts.
        check_time()
    return result
