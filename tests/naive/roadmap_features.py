"""The columns of roadmap features by their definitions, from scratch for every state."""

from __future__ import annotations

import math

import networkx as nx
import numpy as np

from sailplan.core import SearchState
from sailplan.core.graph import FloatArray
from sailplan.core.kernel.arrays import INVALID
from sailplan.graphs import ExplicitGraph, Problem
from sailplan.policies.replanning.beliefs import EdgePosterior
from tests.naive.edge_posterior import NaivePosterior

Edge = tuple[int, int]


def known_results(graph: ExplicitGraph, state: SearchState) -> dict[Edge, bool]:
    """Return whether each edge that the search has evaluated, or that leads to an invalid vertex, is invalid."""
    invalid = {(source, target) for source, target in state.invalid_edges.tolist()}
    known: dict[Edge, bool] = {}
    done: set[int] = set()
    for vertex in state.expanded.tolist():
        for target in graph.successors(vertex)[0]:
            if target not in done:
                wrong = (vertex, target) in invalid or bool(state.status[target] == INVALID)
                known[vertex, target] = wrong
                if graph.undirected:
                    known[target, vertex] = wrong
        done.add(vertex)
    return known


def naive_columns(
    problem: Problem, graph: ExplicitGraph, belief: EdgePosterior, state: SearchState, vertices: list[int]
) -> dict[str, FloatArray]:
    """Return the columns by name."""
    numbers, lengths = _numbers(graph)
    known = known_results(graph, state)
    posterior, learned = NaivePosterior(belief, problem), set[int]()
    chances = {edge: 1.0 - posterior.invalid(number) for edge, number in numbers.items()}
    mean, surprise = _mean_length(graph), belief.weights.surprise

    def cost(edge: Edge) -> float:
        return lengths[edge] - surprise * mean * math.log(chances[edge])

    prior = {edge: cost(edge) for edge in numbers}
    for edge, wrong in known.items():
        if numbers[edge] not in learned:
            posterior.learn(numbers[edge], wrong)
            learned.add(numbers[edge])
    chances = {edge: 1.0 if edge in known else 1.0 - posterior.invalid(number) for edge, number in numbers.items()}
    usable = {edge for edge in numbers if not known.get(edge, state.status[edge[1]] == INVALID)}
    believed_costs = {edge: cost(edge) for edge in usable}

    free = _distances(graph, problem.goal, lengths)
    span = free.get(problem.start, 0.0) or 1.0
    tables = {
        "free": free,
        "optimistic": _distances(graph, problem.goal, {edge: lengths[edge] for edge in usable}),
        "prior": _distances(graph, problem.goal, prior),
        "believed": _distances(graph, problem.goal, believed_costs),
    }
    columns = {
        "g": [state.cost[vertex] / span for vertex in vertices],
        "depth": [state.depth[vertex] * mean / span for vertex in vertices],
    }
    for name, table in tables.items():
        far = 2.0 * max(*table.values(), span)
        columns[name] = [table.get(vertex, far) / span for vertex in vertices]
    far = 2.0 * max(*tables["believed"].values(), span)
    columns["onward"] = [
        _onward(vertex, problem.goal, believed_costs, tables["believed"], far, chances) for vertex in vertices
    ]
    columns["invalid_edges"] = [
        sum(target == vertex and (source, target) not in usable for source, target in numbers) for vertex in vertices
    ]
    columns["unknown_edges"] = [
        sum(edge[0] == vertex and edge in usable and edge not in known for edge in numbers) for vertex in vertices
    ]
    return {name: np.array(column, float) for name, column in columns.items()}


def _onward(
    vertex: int, goal: int, costs: dict[Edge, float], table: dict[int, float], far: float, chances: dict[Edge, float]
) -> float:
    if vertex == goal:
        return 1.0
    through = {edge: cost + table.get(edge[1], far) for edge, cost in costs.items() if edge[0] == vertex}
    return chances[min(through, key=through.__getitem__)] if through else 0.0


def _numbers(graph: ExplicitGraph) -> tuple[dict[Edge, int], dict[Edge, float]]:
    numbers, lengths = dict[Edge, int](), dict[Edge, float]()
    for number, (source, target, length) in enumerate(graph.edges().tolist()):
        both = [(int(source), int(target)), (int(target), int(source))]
        for edge in both if graph.undirected else both[:1]:
            numbers[edge], lengths[edge] = number, length
    return numbers, lengths


def _mean_length(graph: ExplicitGraph) -> float:
    return float(graph.edges()[:, 2].mean())


def _distances(graph: ExplicitGraph, goal: int, costs: dict[Edge, float]) -> dict[int, float]:
    backward = nx.DiGraph()
    backward.add_nodes_from(range(graph.vertex_count))
    backward.add_weighted_edges_from((target, source, cost) for (source, target), cost in costs.items())
    found: dict[int, float] = nx.single_source_dijkstra_path_length(backward, goal)
    return found
