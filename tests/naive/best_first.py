"""The search loop with dictionaries and lists, straight from its description."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from sailplan.graphs import EdgeStatus, Problem

Place = tuple[float, ...]
Key = Callable[[float, Place, Place, list[Place]], Any]
"""The key of a vertex, in any order, by its cost, its place, the goal's place and the places known to be invalid."""


@dataclass
class Found:
    order: list[int] = field(default_factory=list)
    path: list[int] = field(default_factory=list)
    cost: float = math.inf
    edge_evaluations: int = 0


def best_first(problem: Problem, keys: Sequence[Key], *, follows_cost: bool, stop_at_generation: bool) -> Found:
    """Search until the goal is found or nothing is left; every queue is a plain list, gone through for its smallest."""
    found = Found()
    cost, parent = {problem.start: 0.0}, {problem.start: -1}
    invalid: list[int] = []
    queues: list[list[tuple[Any, int]]] = [[] for _ in keys]

    def place(vertex: int) -> Place:
        return tuple(problem.graph.coordinates([vertex])[0].tolist())

    def insert(vertex: int) -> None:
        known = [place(other) for other in invalid]
        for queue, key in zip(queues, keys, strict=True):
            queue.append((key(cost[vertex], place(vertex), place(problem.goal), known), vertex))

    insert(problem.start)
    while not (stop_at_generation and problem.goal in cost):
        queue = queues[len(found.order) % len(queues)]
        waiting = [entry for entry in queue if entry[1] not in found.order]
        if not waiting:
            return found
        vertex = min(waiting, key=lambda entry: entry[0])[1]
        if vertex == problem.goal:
            break
        found.order.append(vertex)
        targets, costs = problem.graph.successors(vertex)
        unknown = [index for index, at in enumerate(targets) if at not in found.order and at not in invalid]
        statuses = problem.graph.evaluate(vertex, [targets[index] for index in unknown])
        found.edge_evaluations += len(unknown)
        invalid += [targets[i] for i, status in zip(unknown, statuses, strict=True) if status == 2]
        for index, status in zip(unknown, statuses, strict=True):
            target, through = targets[index], cost[vertex] + costs[index]
            if EdgeStatus(status).valid and through < cost.get(target, math.inf):
                new = target not in cost
                cost[target], parent[target] = through, vertex
                if new or follows_cost:
                    insert(target)
    found.path, found.cost = [problem.goal], cost[problem.goal]
    while parent[found.path[0]] != -1:
        found.path.insert(0, parent[found.path[0]])
    return found
