"""Shortest paths to the goal in the believed world, repaired as the search uncovers more.

Each vertex has a lower bound of its distance to the goal. The bounds are consistent: the bound of a vertex is at most
the cost of an edge plus the bound of its target. When a vertex or edge is found to be invalid, or a multiplier
increases, distances can only increase, so that the bounds remain valid and need no work. A bound is tested when its
vertex is the first of the open list: a chain of slots leads from the vertex to the goal, and if each edge of the chain
is still valid and as long as the bounds state, the bound is the distance. Otherwise A* runs from the vertex, with the
bounds as its heuristic, to any vertex whose own chain holds. The bounds of all vertices that it expands are raised,
which keeps them consistent (adaptive A*).
"""

from __future__ import annotations

import numpy as np

from sailplan.core.kernel.arrays import INVALID_EDGES, INVALID_VERTICES, NO_ROOM, NO_TIME, NO_VERTEX, WORK
from sailplan.core.kernel.compile import inlined
from sailplan.core.kernel.edges import locate, slot_count, successor
from sailplan.core.kernel.heap import NO_TAG, clear, has_room, pop_entry, put, tag_of, vertex_of
from sailplan.policies.replanning.kernel.edges import (
    DISTANCE,
    DONE,
    END,
    EPOCH,
    HORIZON,
    NO_WAY,
    OFFERED,
    RAISING,
    READ,
    READ_EDGES,
    REPAIR,
    REPAIRING,
    believed_cost,
    bound_of,
    may_cut,
    remove_edge,
)

_NEWEST_FIRST = (1 << 35) - 1
_RAISED_AT_ONCE = 8
"""As many bounds are raised in the time in which a repair finishes one vertex."""


@inlined
def take_note(graph, plan, state, goal):
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
def holds(graph, plan, state, goal, vertex):
    """Return whether the chain from a vertex to the goal is valid and as long as its bound; cached for the epoch."""
    epoch, here, steps = plan.clock[EPOCH], np.int64(vertex), 0
    while here != goal and abs(plan.confirmed[here]) != epoch:
        slot = np.int64(plan.onward[here]) - 1
        if slot < 0:
            break
        place = locate(graph, here)
        target = successor(graph, place, slot)
        if plan.bounds[here] != believed_cost(graph, plan, state, here, place, slot, target) + plan.bounds[target]:
            break
        here = np.int64(target)
        steps += 1
    return mark_chain(graph, plan, goal, vertex, here, steps)


@inlined
def mark_chain(graph, plan, goal, vertex, end, steps):
    """Store for the epoch whether the chain from a vertex holds, which was followed for `steps` edges to its `end`."""
    epoch = plan.clock[EPOCH]
    holds = end == goal or plan.confirmed[end] == epoch
    answer = epoch if holds else -epoch
    if not holds:
        plan.confirmed[end] = answer
    here = np.int64(vertex)
    for _ in range(steps):
        plan.confirmed[here] = answer
        here = np.int64(successor(graph, locate(graph, here), np.int64(plan.onward[here]) - 1))
    return holds


@inlined
def repair(graph, plan, state, goal, vertex, least):
    """Find the distance of a vertex by A* and raise the bounds of finished vertices.

    Paths do not pass vertices whose status is `least` or more. A distance from the horizon on is not found: the bound
    of the vertex becomes the horizon. Return 0; or NO_ROOM or NO_TIME if the repair was interrupted, in which case the
    next call for the same vertex continues it.
    """
    clock = plan.clock
    if clock[REPAIRING] != vertex + 1:
        if clock[RAISING]:
            # Of a repair that nothing waits for any more. Only if all of its bounds are raised are they consistent.
            _raise_bounds(plan, clock[DONE])
        clock[REPAIR] += 1
        clock[REPAIRING], clock[OFFERED], clock[DONE], clock[RAISING] = vertex + 1, 0, 0, 0
        clear(plan.waiting, 0)
        plan.phases[vertex], plan.travelled[vertex] = 2 * clock[REPAIR], 0
        put(plan.waiting, 0, plan.bounds[vertex], tag_of(_NEWEST_FIRST, vertex))
    if not clock[RAISING]:
        interrupted = _find_distance(graph, plan, state, goal, vertex, least)
        if interrupted:
            return interrupted
        clock[RAISING] = 1
    some = min(clock[DONE], _RAISED_AT_ONCE * max(state.counts[WORK], 1))
    _raise_bounds(plan, some)
    state.counts[WORK] -= some // _RAISED_AT_ONCE
    if clock[DONE] > 0:
        return NO_TIME
    _lay_chain(plan, vertex, clock[END])
    clock[REPAIRING], clock[RAISING] = 0, 0
    return 0


@inlined
def _find_distance(graph, plan, state, goal, vertex, least):
    """Search for the end of a path from a vertex; return 0 when it is found or there is none, or NO_ROOM or NO_TIME."""
    clock, counts = plan.clock, state.counts
    reached, finished = 2 * clock[REPAIR], 2 * clock[REPAIR] + 1
    clock[DISTANCE], clock[END] = min(np.int64(NO_WAY), clock[HORIZON]), NO_VERTEX
    while True:
        if counts[WORK] <= 0:
            return NO_TIME
        rank, tag = pop_entry(plan.waiting, 0, plan.phases, reached)
        if tag == NO_TAG or rank >= clock[HORIZON]:
            return 0
        here = vertex_of(tag)
        place = locate(graph, here)
        if not has_room(plan.waiting, slot_count(graph, place)):
            put(plan.waiting, 0, rank, tag)
            return NO_ROOM
        if here != vertex and holds(graph, plan, state, goal, here):
            clock[DISTANCE], clock[END] = rank, here
            return 0
        counts[WORK] -= 1
        plan.phases[here] = finished
        plan.done[clock[DONE]] = here
        clock[DONE] += 1
        for slot in range(slot_count(graph, place)):
            target = successor(graph, place, slot)
            if target == NO_VERTEX or state.status[target] >= least:
                continue
            if plan.phases[target] == finished or bound_of(graph, plan, goal, target) >= NO_WAY:
                continue
            cost = believed_cost(graph, plan, state, here, place, slot, target)
            travelled = plan.travelled[here] + cost
            if cost == NO_WAY or (plan.phases[target] == reached and travelled >= plan.travelled[target]):
                continue
            plan.phases[target], plan.travelled[target] = reached, travelled
            plan.came_from[target], plan.came_by[target] = here, slot
            clock[OFFERED] += 1
            put(plan.waiting, 0, travelled + plan.bounds[target], tag_of(_NEWEST_FIRST - clock[OFFERED], target))


@inlined
def _raise_bounds(plan, count):
    """Raise the bounds of the last `count` finished vertices; that of the vertex of the repair is the last of all."""
    clock = plan.clock
    for _ in range(count):
        clock[DONE] -= 1
        here = plan.done[clock[DONE]]
        left = clock[DISTANCE] if clock[DISTANCE] == NO_WAY else clock[DISTANCE] - plan.travelled[here]
        plan.bounds[here] = max(plan.bounds[here], left)


@inlined
def _lay_chain(plan, vertex, end):
    """Store the path that a repair found, from the vertex to the one whose chain is valid."""
    here = end
    while here != vertex and here != NO_VERTEX:
        before = np.int64(plan.came_from[here])
        plan.onward[before] = plan.came_by[here] + 1
        plan.confirmed[before] = plan.clock[EPOCH]
        here = before
