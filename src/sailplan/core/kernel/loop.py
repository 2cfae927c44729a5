"""The compiled search loop: select, expand, update the open list, repeat."""

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
"""A budget with which `advance` does nothing."""

_TIMED_EVERY = 64
"""The clock is read in one of this many expansions: enough to estimate the shares, without overhead."""


@kernel
def advance(search, policy, stop_at_generation, budget):
    """Expand at most `budget` vertices; return why the loop stopped."""
    state, queue, goal, most = search.state, search.queue, search.goal, len(search.targets)
    code = GOAL_GENERATED if stop_at_generation and state.status[goal] == OPEN else RUNNING
    if budget > 0 and code == RUNNING and queue.issued[0] == 0:
        # With the type of successors, so that `on_open` is compiled once.
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
    """Close a vertex and evaluate its edges; write the valid ones to the scratch arrays and return their number."""
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
    """Open each valid successor or update its path, and notify the policy."""
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
    """Fill `path` with the vertices from the start to `vertex`; its length is the depth of the vertex plus one."""
    for index in range(len(path) - 1, -1, -1):
        path[index] = vertex
        vertex = parent[vertex]
