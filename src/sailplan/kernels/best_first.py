"""The compiled search loop: select, expand, update the open list, again."""

from __future__ import annotations

import math

from sailplan.kernels.arrays import (
    CLOSED,
    EDGE_EVALUATIONS,
    EDGE_LOG_FULL,
    EUCLIDEAN,
    EVALUATE,
    EXPAND,
    EXPANSIONS,
    FRONTIER_EMPTY,
    GOAL_EXPANDED,
    GOAL_GENERATED,
    INVALID,
    INVALID_EDGES,
    INVALID_TARGET,
    INVALID_VERTICES,
    NO_VERTEX,
    NON_FINITE_SCORES,
    OBSTACLE,
    OPEN,
    POLICY_EVALUATIONS,
    QUEUE_FULL,
    RUNNING,
    SELECT,
    TABLE,
    UNSEEN,
    VALID_EDGE,
)
from sailplan.kernels.clock import cycles
from sailplan.kernels.compile import inlined, kernel
from sailplan.kernels.edges import distance, edge_cost, locate, slot_count, successor, verdict
from sailplan.kernels.heap import has_room, offer, pop, queue_count

_TIMED_EVERY = 64
"""One expansion in so many reads the clock: often enough to tell the shares, too seldom to be felt."""

NOTHING_INVALID_KNOWN = 1e9
"""Distance to the closest known invalid vertex before there is one."""


@kernel
def advance(graph, keys, queue, state, start, goal, stop_at_generation, budget, targets, costs):
    """Expand up to `budget` vertices; return why it stopped.

    `targets` and `costs` are scratch with room for the successors of one vertex.
    """
    if stop_at_generation and state.status[goal] == OPEN:
        return GOAL_GENERATED
    if budget > 0 and queue.issued[0] == 0:
        _insert(graph, keys, queue, state, start, 0.0, goal, True)
    for _ in range(budget):
        if not has_room(queue, len(targets)):
            return QUEUE_FULL
        if state.counts[INVALID_EDGES] + len(targets) > len(state.invalid_edges):
            return EDGE_LOG_FULL
        timed = state.counts[EXPANSIONS] % _TIMED_EVERY == 0
        before = cycles() if timed else 0
        vertex = _select(queue, state)
        if vertex == NO_VERTEX:
            return FRONTIER_EMPTY
        if vertex == goal:
            return GOAL_EXPANDED
        selected = cycles() if timed else 0
        found = _evaluate(graph, state, vertex, targets, costs)
        evaluated = cycles() if timed else 0
        _relax(graph, keys, queue, state, vertex, goal, targets, costs, found)
        if timed:
            state.cycles[SELECT] += selected - before
            state.cycles[EVALUATE] += evaluated - selected
            state.cycles[EXPAND] += cycles() - evaluated
        if stop_at_generation and state.status[goal] == OPEN:
            return GOAL_GENERATED
    return RUNNING


@kernel
def trace_back(parent, vertex, path):
    """Fill `path` with the way to the vertex; its length is the vertex's depth and one more."""
    for index in range(len(path) - 1, -1, -1):
        path[index] = vertex
        vertex = parent[vertex]


@inlined
def _select(queue, state):
    """Pop from the queue whose turn it is; vertices closed by way of another queue are passed over."""
    row = state.counts[EXPANSIONS] % queue_count(queue)
    return pop(queue, row, state.status, OPEN)


@inlined
def _evaluate(graph, state, vertex, targets, costs):
    """Close the vertex and check its edges that are not yet known; leave the valid ones in the scratch."""
    counts = state.counts
    state.status[vertex] = CLOSED
    state.expanded[counts[EXPANSIONS]] = vertex
    counts[EXPANSIONS] += 1
    place = locate(graph, vertex)
    found, checked = 0, 0
    for slot in range(slot_count(graph, place)):
        target = successor(graph, place, slot)
        if target == NO_VERTEX or state.status[target] >= CLOSED:
            continue
        checked += 1
        answer = verdict(graph, place, slot, target)
        if answer == VALID_EDGE:
            targets[found] = target
            costs[found] = edge_cost(graph, place, slot)
            found += 1
        elif answer == INVALID_TARGET:
            state.status[target] = INVALID
            state.invalid[counts[INVALID_VERTICES]] = target
            counts[INVALID_VERTICES] += 1
        else:
            state.invalid_edges[counts[INVALID_EDGES], 0] = vertex
            state.invalid_edges[counts[INVALID_EDGES], 1] = target
            counts[INVALID_EDGES] += 1
    counts[EDGE_EVALUATIONS] += checked
    return found


@inlined
def _relax(graph, keys, queue, state, vertex, goal, targets, costs, found):
    """Let each valid successor into the open list, or give it the cheaper path."""
    cost_here, depth = state.cost[vertex], state.depth[vertex] + 1
    for index in range(found):
        target, cost = targets[index], cost_here + costs[index]
        new = state.status[target] == UNSEEN
        if new or cost < state.cost[target]:
            state.status[target] = OPEN
            state.cost[target] = cost
            state.parent[target] = vertex
            state.depth[target] = depth
            _insert(graph, keys, queue, state, target, cost, goal, new)


@inlined
def _insert(graph, keys, queue, state, vertex, cost, goal, new):
    """Key the vertex in every queue; one that is there already is keyed again only where its cost counts."""
    for row in range(queue_count(queue)):
        if not new and keys.cost_weight[row] == 0.0:
            continue
        key = keys.cost_weight[row] * cost
        if keys.heuristic_weight[row] != 0.0:
            key += keys.heuristic_weight[row] * _heuristic(graph, keys, state, row, vertex, goal)
        state.counts[POLICY_EVALUATIONS] += 1
        if not math.isfinite(key):
            state.counts[NON_FINITE_SCORES] += 1
            key = math.inf
        offer(queue, row, vertex, key)


@inlined
def _heuristic(graph, keys, state, row, vertex, goal):
    kind = keys.heuristic[row]
    if kind == TABLE:
        return keys.table[vertex]
    if kind == OBSTACLE:
        return _obstacle_distance(graph, state, vertex)
    return distance(graph, kind, vertex, goal)


@inlined
def _obstacle_distance(graph, state, vertex):
    if state.counts[INVALID_VERTICES] == 0:
        return NOTHING_INVALID_KNOWN
    closest = math.inf
    for index in range(state.counts[INVALID_VERTICES]):
        closest = min(closest, distance(graph, EUCLIDEAN, vertex, state.invalid[index]))
    return closest
