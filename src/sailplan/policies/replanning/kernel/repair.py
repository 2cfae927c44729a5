"""Shortest paths to the goal in the believed world, repaired as the search uncovers more.

Each vertex has a lower bound of its distance to the goal. The bounds are consistent: the bound of a vertex is at most
the cost of an edge plus the bound of its target. When a vertex or edge is found to be invalid, or a multiplier
increases, distances can only increase, so that the bounds remain valid and need no work. A bound is tested when its
vertex is the first of the open list: a chain of slots leads from the vertex to the goal, and if each edge of the chain
is still valid and as long as the bounds state, the bound is the distance. Otherwise A* runs from the vertex, with the
bounds as its heuristic, to any vertex whose own chain holds. The bounds of all vertices that it expands are raised,
which keeps them consistent (adaptive A*). A vertex whose bound was raised is inserted into the open list again with its
insertion number. The vertex selected thus has the smallest (distance, insertion number), and only vertices that could
be selected are tested.

Paths through closed vertices can be ignored: they leave them through another open vertex, which is closer to the goal.
"""

from __future__ import annotations

import numpy as np

from sailplan.core.kernel.arrays import (
    CLOSED,
    ENTERED,
    EXPANSIONS,
    INVALID_EDGES,
    INVALID_VERTICES,
    NO_ROOM,
    NO_VERTEX,
    OPEN,
    POLICY_EVALUATIONS,
    TOUCHED,
)
from sailplan.core.kernel.compile import inlined, kernel, piece
from sailplan.core.kernel.edges import locate, slot_count, successor
from sailplan.core.kernel.heap import NO_TAG, clear, has_room, pop_entry, put, tag_of, vertex_of
from sailplan.core.kernel.policy import choose, is_due, keys_alone, on_open
from sailplan.policies.replanning.kernel.edges import (
    EPOCH,
    NO_WAY,
    READ,
    READ_EDGES,
    REPAIR,
    UPDATE_AT_EXPANSIONS,
    UPDATE_AT_KNOWN,
    ReplanningArrays,
    believed_cost,
    bound_of,
    may_cut,
    remove_edge,
)

_NEWEST_FIRST = (1 << 35) - 1


@keys_alone.register(ReplanningArrays)
def _keys_alone(policy):
    return True


@is_due.register(ReplanningArrays)
def _is_due(search, policy):
    """Return whether the belief must be updated."""
    counts = search.state.counts
    known = counts[INVALID_VERTICES] + counts[INVALID_EDGES]
    return counts[EXPANSIONS] >= policy.clock[UPDATE_AT_EXPANSIONS] or known >= policy.clock[UPDATE_AT_KNOWN]


@on_open.register(ReplanningArrays)
def _on_open(search, policy, row, vertex, change):
    """Insert a vertex with its lower bound when it enters the open list; cheaper paths to it are ignored."""
    if change == TOUCHED or policy.numbers[vertex] != 0:
        return
    queue = search.queue
    queue.issued[0] += 1
    policy.numbers[vertex] = queue.issued[0]
    search.state.counts[POLICY_EVALUATIONS] += 1
    put(queue, row, bound_of(search.graph, policy, search.goal, vertex), tag_of(queue.issued[0], vertex))


@choose.register(ReplanningArrays)
def _choose(search, policy, row):
    return _pop(search, policy, row)


@piece
def _pop(search, plan, row):
    """Remove and return the open vertex with the smallest (distance to the goal, insertion number).

    NO_VERTEX if none is open, NO_ROOM if the queue of a repair is full.
    """
    graph, state, queue, goal = search.graph, search.state, search.queue, search.goal
    _take_note(graph, plan, state, goal)
    while True:
        rank, tag = pop_entry(queue, row, state.status, OPEN)
        if tag == NO_TAG:
            return NO_VERTEX
        vertex = vertex_of(tag)
        if rank == plan.bounds[vertex]:
            if rank == NO_WAY or _holds(graph, plan, state, goal, vertex):
                return vertex
            if not _repair(graph, plan, state, goal, vertex):
                put(queue, row, rank, tag)
                return NO_ROOM
            state.counts[POLICY_EVALUATIONS] += 1
            if rank == plan.bounds[vertex]:
                return vertex
        put(queue, row, plan.bounds[vertex], tag)


@inlined
def _take_note(graph, plan, state, goal):
    """Read new invalid vertices and edges; begin a new epoch if one of them may cut a confirmed chain."""
    cut = False
    for number in range(plan.clock[READ], state.counts[INVALID_VERTICES]):
        vertex = state.invalid[number]
        cut |= vertex == goal or may_cut(graph, plan, vertex)
    plan.clock[READ] = state.counts[INVALID_VERTICES]
    for number in range(plan.clock[READ_EDGES], state.counts[INVALID_EDGES]):
        source = state.invalid_edges[number, 0]
        remove_edge(graph, plan, source, state.invalid_edges[number, 1])
        cut |= plan.confirmed[source] == plan.clock[EPOCH]
    plan.clock[READ_EDGES] = state.counts[INVALID_EDGES]
    if cut:
        plan.clock[EPOCH] += 1


@inlined
def _holds(graph, plan, state, goal, vertex):
    """Return whether the chain from a vertex to the goal is valid and as long as its bound; cached for the epoch."""
    epoch, here, steps = plan.clock[EPOCH], np.int64(vertex), 0
    while here != goal and abs(plan.confirmed[here]) != epoch:
        slot = plan.onward[here] - 1
        if slot < 0:
            break
        place = locate(graph, here)
        target = successor(graph, place, slot)
        if plan.bounds[here] != believed_cost(graph, plan, state, place, slot, target) + plan.bounds[target]:
            break
        here = np.int64(target)
        steps += 1
    holds = here == goal or plan.confirmed[here] == epoch
    answer = epoch if holds else -epoch
    if not holds:
        plan.confirmed[here] = answer
    here = np.int64(vertex)
    for _ in range(steps):
        plan.confirmed[here] = answer
        here = np.int64(successor(graph, locate(graph, here), plan.onward[here] - 1))
    return holds


@inlined
def _repair(graph, plan, state, goal, vertex):
    """Find the distance of a vertex by A* and raise the bounds of expanded vertices; false if there is no room."""
    plan.clock[REPAIR] += 1
    reached, finished = 2 * plan.clock[REPAIR], 2 * plan.clock[REPAIR] + 1
    clear(plan.waiting, 0)
    plan.phases[vertex], plan.travelled[vertex] = reached, 0
    put(plan.waiting, 0, plan.bounds[vertex], tag_of(_NEWEST_FIRST, vertex))
    offered, done, distance, end = 0, 0, np.int64(NO_WAY), np.int64(NO_VERTEX)
    while True:
        rank, tag = pop_entry(plan.waiting, 0, plan.phases, reached)
        if tag == NO_TAG:
            break
        here = vertex_of(tag)
        if not has_room(plan.waiting, slot_count(graph, locate(graph, here))):
            return False
        if here != vertex and _holds(graph, plan, state, goal, here):
            distance, end = rank, here
            break
        plan.phases[here] = finished
        plan.done[done] = here
        done += 1
        place = locate(graph, here)
        for slot in range(slot_count(graph, place)):
            target = successor(graph, place, slot)
            if target == NO_VERTEX or state.status[target] >= CLOSED:
                continue
            if plan.phases[target] == finished or bound_of(graph, plan, goal, target) >= NO_WAY:
                continue
            cost = believed_cost(graph, plan, state, place, slot, target)
            travelled = plan.travelled[here] + cost
            if cost == NO_WAY or (plan.phases[target] == reached and travelled >= plan.travelled[target]):
                continue
            plan.phases[target], plan.travelled[target] = reached, travelled
            plan.came_from[target], plan.came_by[target] = here, slot
            offered += 1
            put(plan.waiting, 0, travelled + plan.bounds[target], tag_of(_NEWEST_FIRST - offered, target))
    for index in range(done):
        here = plan.done[index]
        left = distance if distance == NO_WAY else distance - plan.travelled[here]
        plan.bounds[here] = max(plan.bounds[here], left)
    _lay_chain(plan, vertex, end)
    return True


@inlined
def _lay_chain(plan, vertex, end):
    """Store the path that a repair found, from the vertex to the one whose chain is valid."""
    here = end
    while here != vertex and here != NO_VERTEX:
        before = np.int64(plan.came_from[here])
        plan.onward[before] = plan.came_by[here] + 1
        plan.confirmed[before] = plan.clock[EPOCH]
        here = before


@kernel
def belief_due(search, plan):
    """Call `is_due` for the reference engine."""
    return is_due(search, plan)


@kernel
def offer_open(search, plan, vertices):
    """Call `on_open` for the reference engine."""
    for vertex in vertices:
        on_open(search, plan, 0, vertex, ENTERED)


@kernel
def select_open(search, plan):
    """Call `choose` for the reference engine."""
    return choose(search, plan, 0)
