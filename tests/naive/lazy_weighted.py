"""Lazy weighted A* with an unsorted open list, and path costs that are computed from scratch at each step."""

from __future__ import annotations

from collections.abc import Callable

import networkx as nx

from sailplan.graphs import EdgeStatus, Graph


def evaluated_edges(
    graph: Graph, start: int, goal: int, weight: float, distance: Callable[[int], float]
) -> list[tuple[int, int]]:
    """Return the edges in the order in which they are evaluated, until the goal is the first of the open list."""
    order: list[tuple[int, int]] = []
    valid, invalid = nx.DiGraph(), set[int]()
    valid.add_node(start)
    expanded: dict[int, float] = {}
    listed: dict[tuple[int, int], float] = {}
    while True:
        costs = nx.single_source_dijkstra_path_length(valid, start)
        entries = [(key, 1, edge) for edge, key in listed.items()]
        entries += [
            (cost + weight * distance(vertex), 0, (vertex, vertex))
            for vertex, cost in costs.items()
            if expanded.get(vertex) != cost
        ]
        if not entries:
            return order
        _, kind, (source, target) = min(entries)
        lengths = dict(zip(*graph.successors(source), strict=True))
        if kind == 0:
            if source == goal:
                return order
            expanded[source] = costs[source]
            for other, length in lengths.items():
                cost = costs[source] + length
                if (source, other) not in order and other not in invalid and cost < costs.get(other, float("inf")):
                    listed[source, other] = cost + weight * distance(other)
            continue
        del listed[source, target]
        if target in invalid or not costs[source] + lengths[target] < costs.get(target, float("inf")):
            continue
        order.append((source, target))
        status = EdgeStatus(graph.evaluate(source, [target])[0])
        if status.valid:
            valid.add_edge(source, target, weight=lengths[target])
        elif status is EdgeStatus.INVALID_TARGET:
            invalid.add(target)
