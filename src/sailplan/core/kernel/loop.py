"""The compiled search loop: select, expand, update the open list, again."""

from __future__ import annotations

import numpy as np

from sailplan.core.kernel.arrays import (
    CHEAPER,
    CLOSED,
    EDGE_EVALUATIONS,
    EDGE_LOG_FULL,
    ENTERED,
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
    NO_ROOM,
    NO_VERTEX,
    OPEN,
    POLICY_DUE,
    POLICY_FULL,
    QUEUE_FULL,
    RUNNING,
    SELECT,
    TOUCHED,
    UNSEEN,
    VALID_EDGE,
)
from sailplan.core.kernel.clock import cycles
from sailplan.core.kernel.compile import inlined, kernel
from sailplan.core.kernel.edges import edge_cost, locate, slot_count, successor, verdict
from sailplan.core.kernel.heap import has_room
from sailplan.core.kernel.obstacles import note_invalid
from sailplan.core.kernel.policy import before_return, choose, is_due, keys_alone, on_open

COMPILE_ONLY = -1
"""A budget with which `advance` does nothing at all."""

_TIMED_EVERY = 64
"""One expansion in so many reads the clock: often enough to tell the shares, too seldom to matter."""


@kernel
def advance(search, policy, stop_at_generation, budget):
    """Expand up to `budget` vertices; return why it stopped."""
    state, queue, goal, most = search.state, search.queue, search.goal, len(search.targets)
    code = GOAL_GENERATED if stop_at_generation and state.status[goal] == OPEN else RUNNING
    if budget > 0 and code == RUNNING and queue.issued[0] == 0:
        # Of the type that successors have, so that no second body is compiled for it.
        on_open(search, policy, 0, np.uint32(search.start), ENTERED)
    spent = 0
    while spent < budget and code == RUNNING:
        spent += 1
        if not has_room(queue, most):
            code = QUEUE_FULL
            break
        if state.counts[INVALID_EDGES] + most > len(state.invalid_edges):
            code = EDGE_LOG_FULL
            break
        if is_due(search, policy):
            code = POLICY_DUE
            break
        timed = state.counts[EXPANSIONS] % _TIMED_EVERY == 0
        before = cycles() if timed else 0
        vertex = choose(search, policy, 0)
        if vertex == NO_VERTEX:
            code = FRONTIER_EMPTY
            break
        if vertex == NO_ROOM:
            code = POLICY_FULL
            break
        if vertex == goal:
            code = GOAL_EXPANDED
            break
        selected = cycles() if timed else 0
        found = _evaluate(search, vertex)
        evaluated = cycles() if timed else 0
        _relax(search, policy, vertex, found)
        if timed:
            state.cycles[SELECT] += selected - before
            state.cycles[EVALUATE] += evaluated - selected
            state.cycles[EXPAND] += cycles() - evaluated
        if stop_at_generation and state.status[goal] == OPEN:
            code = GOAL_GENERATED
    if budget >= 0:
        before_return(search, policy)
    return code


@inlined
def _evaluate(search, vertex):
    """Close the vertex and evaluate its unknown edges; leave the valid ones in the scratch and return their number."""
    graph, state = search.graph, search.state
    counts = state.counts
    state.status[vertex] = CLOSED
    state.expanded[counts[EXPANSIONS]] = vertex
    counts[EXPANSIONS] += 1
    place = locate(graph, vertex)
    found, evaluated = 0, 0
    for slot in range(slot_count(graph, place)):
        target = successor(graph, place, slot)
        if target == NO_VERTEX or state.status[target] >= CLOSED:
            continue
        evaluated += 1
        answer = verdict(graph, place, slot, target)
        if answer == VALID_EDGE:
            search.targets[found] = target
            search.costs[found] = edge_cost(graph, place, slot, target)
            found += 1
        elif answer == INVALID_TARGET:
            state.status[target] = INVALID
            state.invalid[counts[INVALID_VERTICES]] = target
            note_invalid(search.obstacles, graph, counts[INVALID_VERTICES], target)
            counts[INVALID_VERTICES] += 1
        else:
            state.invalid_edges[counts[INVALID_EDGES], 0] = vertex
            state.invalid_edges[counts[INVALID_EDGES], 1] = target
            counts[INVALID_EDGES] += 1
    counts[EDGE_EVALUATIONS] += evaluated
    return found


@inlined
def _relax(search, policy, vertex, found):
    """Let each valid successor into the open list, or give it the cheaper path, and tell the policy."""
    state, targets = search.state, search.targets
    cost_here, depth = state.cost[vertex], state.depth[vertex] + 1
    for index in range(found):
        target, cost = targets[index], cost_here + search.costs[index]
        change = TOUCHED
        if state.status[target] == UNSEEN:
            change = ENTERED
        elif cost < state.cost[target]:
            change = CHEAPER
        if change != TOUCHED:
            state.status[target] = OPEN
            state.cost[target] = cost
            state.parent[target] = vertex
            state.depth[target] = depth
        if keys_alone(policy):
            on_open(search, policy, 0, target, change)
        else:
            search.changes[index] = change
    if not keys_alone(policy):
        for index in range(found):
            on_open(search, policy, 0, targets[index], np.int64(search.changes[index]))


@kernel
def trace_back(parent, vertex, path):
    """Fill `path` with the way to the vertex; its length is the vertex's depth and one more."""
    for index in range(len(path) - 1, -1, -1):
        path[index] = vertex
        vertex = parent[vertex]
