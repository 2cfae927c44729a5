"""Costs of cheapest paths, by networkx."""

from __future__ import annotations

from collections.abc import Iterable

import networkx as nx

from sailplan.graphs import EdgeStatus, Graph


def valid_edges(graph: Graph, sources: Iterable[int]) -> nx.DiGraph:
    """Return the edges out of these vertices that a check finds valid."""
    valid = nx.DiGraph()
    for source in sources:
        valid.add_node(source)
        targets, costs = graph.successors(source)
        for target, cost, status in zip(targets, costs, graph.evaluate(source, targets), strict=True):
            if EdgeStatus(status).valid:
                valid.add_edge(source, target, weight=cost)
    return valid


def cost_to_go(graph: Graph, sources: Iterable[int], goal: int) -> dict[int, float]:
    """Return the cost from each vertex that reaches the goal; the others are left out."""
    backward = valid_edges(graph, sources).reverse()
    backward.add_node(goal)
    costs: dict[int, float] = nx.single_source_dijkstra_path_length(backward, goal)
    return costs
