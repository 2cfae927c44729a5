"""The compiled search loop: select, expand, update the open list, again."""

from __future__ import annotations

from sailplan.kernels.arrays import (
    BELIEF_DUE,
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
    QUEUE_FULL,
    REPAIR_FULL,
    RUNNING,
    SELECT,
    TOUCHED,
    UNSEEN,
    VALID_EDGE,
)
from sailplan.kernels.clock import cycles
from sailplan.kernels.compile import inlined, kernel
from sailplan.kernels.edges import edge_cost, locate, slot_count, successor, verdict
from sailplan.kernels.heap import has_room
from sailplan.kernels.obstacles import note_invalid
from sailplan.kernels.open_list import choose, is_due, keys_alone, look_round, take_in

_TIMED_EVERY = 64
"""One expansion in so many reads the clock: often enough to tell the shares, too seldom to be felt."""


@kernel
def advance(graph, policy, queue, obstacles, state, start, goal, stop_at_generation, budget, targets, costs, changes):
    """Expand up to `budget` vertices; return why it stopped.

    `targets`, `costs` and `changes` are scratch with room for the successors of one vertex.
    """
    code = _run(
        graph,
        policy,
        queue,
        obstacles,
        state,
        start,
        goal,
        stop_at_generation,
        budget,
        targets,
        costs,
        changes,
    )
    look_round(graph, policy, queue, obstacles, state, start, goal)
    return code


@inlined
def _run(graph, policy, queue, obstacles, state, start, goal, stop_at_generation, budget, targets, costs, changes):
    if stop_at_generation and state.status[goal] == OPEN:
        return GOAL_GENERATED
    if budget > 0 and queue.issued[0] == 0:
        take_in(graph, policy, queue, obstacles, state, start, goal, start, ENTERED)
    for _ in range(budget):
        if not has_room(queue, len(targets)):
            return QUEUE_FULL
        if state.counts[INVALID_EDGES] + len(targets) > len(state.invalid_edges):
            return EDGE_LOG_FULL
        if is_due(policy, state):
            return BELIEF_DUE
        timed = state.counts[EXPANSIONS] % _TIMED_EVERY == 0
        before = cycles() if timed else 0
        vertex = choose(graph, policy, queue, obstacles, state, start, goal)
        if vertex == NO_VERTEX:
            return FRONTIER_EMPTY
        if vertex == NO_ROOM:
            return REPAIR_FULL
        if vertex == goal:
            return GOAL_EXPANDED
        selected = cycles() if timed else 0
        found = _evaluate(graph, obstacles, state, vertex, targets, costs)
        evaluated = cycles() if timed else 0
        _relax(graph, policy, queue, obstacles, state, start, goal, vertex, targets, costs, changes, found)
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
def _evaluate(graph, obstacles, state, vertex, targets, costs):
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
            note_invalid(obstacles, graph, counts[INVALID_VERTICES], target)
            counts[INVALID_VERTICES] += 1
        else:
            state.invalid_edges[counts[INVALID_EDGES], 0] = vertex
            state.invalid_edges[counts[INVALID_EDGES], 1] = target
            counts[INVALID_EDGES] += 1
    counts[EDGE_EVALUATIONS] += checked
    return found


@inlined
def _relax(graph, policy, queue, obstacles, state, start, goal, vertex, targets, costs, changes, found):
    """Let each valid successor into the open list, or give it the cheaper path, and key it."""
    cost_here, depth = state.cost[vertex], state.depth[vertex] + 1
    for index in range(found):
        target, cost = targets[index], cost_here + costs[index]
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
            take_in(graph, policy, queue, obstacles, state, start, goal, target, change)
        else:
            changes[index] = change
    if not keys_alone(policy):
        for index in range(found):
            take_in(graph, policy, queue, obstacles, state, start, goal, targets[index], changes[index])
