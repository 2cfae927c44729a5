"""Shortest paths to the goal in the world as a search believes it to be, repaired as it uncovers more.

Each vertex has a lower bound of its distance to the goal. The bounds are consistent: none is larger than an edge and
the bound behind it. When something is found to be invalid, or is charged more for, distances only grow, so that bounds
stay bounds, and nothing is done. Only when a vertex comes up as the first of the open list is its bound put to the
test: a chain of slots leads from it to the goal, and where each link still holds and is as long as the bounds say, the
bound is the distance. Else the distance is found by A* forward from the vertex, with the bounds as its heuristic, up
to any vertex whose own chain holds; and everything that it went through gets a better bound, which is consistent
again (adaptive A*). A vertex whose bound has risen goes back into the open list under its old insertion number. So what
is selected has the smallest (distance, insertion number), and only what could be that is ever looked at.

A way through closed vertices is of no account: it leaves them through another open vertex, which is closer to the goal.
"""

from __future__ import annotations

import numpy as np

from sailplan.kernels.arrays import (
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
    CsrArrays,
)
from sailplan.kernels.believed_edges import NO_WAY, believed_cost, bound_of
from sailplan.kernels.compile import inlined, inlined_overload, kernel, piece
from sailplan.kernels.edges import locate, slot_count, successor
from sailplan.kernels.heap import NO_TAG, clear, enlarge_queues, has_room, pop_entry, put, tag_of, vertex_of
from sailplan.kernels.policy_arrays import ReplanningArrays

EPOCH, REPAIR, READ, READ_EDGES, LOOK_AT_EXPANSIONS, LOOK_AT_KNOWN = range(6)
"""Places in `ReplanningArrays.clock`: the epoch, which ends when a confirmed chain is cut or something is charged
otherwise; the number of the last repair; how many of the invalid vertices and edges have been read; and the numbers of
expansions and of things known to be invalid at which the belief is due."""
CLOCKS = 6

_NEWEST_FIRST = (1 << 35) - 1


@inlined
def belief_due(plan, state):
    """Whether so much has happened that the belief should look at the state again."""
    known = state.counts[INVALID_VERTICES] + state.counts[INVALID_EDGES]
    return state.counts[EXPANSIONS] >= plan.clock[LOOK_AT_EXPANSIONS] or known >= plan.clock[LOOK_AT_KNOWN]


@inlined
def offer_replanned(graph, plan, queue, state, goal, vertex, change):
    """Put a vertex in under its lower bound when it enters the open list; a cheaper path to it changes nothing."""
    if change == TOUCHED or plan.numbers[vertex] != 0:
        return
    queue.issued[0] += 1
    plan.numbers[vertex] = queue.issued[0]
    state.counts[POLICY_EVALUATIONS] += 1
    put(queue, 0, bound_of(graph, plan, goal, vertex), tag_of(queue.issued[0], vertex))


@piece
def pop_replanned(graph, plan, queue, state, goal):
    """Take out the open vertex with the smallest (distance to the goal, insertion number).

    NO_VERTEX where none is open, NO_ROOM where the queue of a repair needs more.
    """
    _take_note(graph, plan, state, goal)
    while True:
        rank, tag = pop_entry(queue, 0, state.status, OPEN)
        if tag == NO_TAG:
            return NO_VERTEX
        vertex = vertex_of(tag)
        if rank == plan.bounds[vertex]:
            if rank == NO_WAY or _holds(graph, plan, state, goal, vertex):
                return vertex
            if not _repair(graph, plan, state, goal, vertex):
                put(queue, 0, rank, tag)
                return NO_ROOM
            state.counts[POLICY_EVALUATIONS] += 1
            if rank == plan.bounds[vertex]:
                return vertex
        put(queue, 0, plan.bounds[vertex], tag)


@inlined
def _take_note(graph, plan, state, goal):
    """Begin an epoch where something was found to be invalid that a confirmed chain leads by."""
    cut = False
    for number in range(plan.clock[READ], state.counts[INVALID_VERTICES]):
        vertex = state.invalid[number]
        cut |= vertex == goal or _may_cut(graph, plan, vertex)
    plan.clock[READ] = state.counts[INVALID_VERTICES]
    for number in range(plan.clock[READ_EDGES], state.counts[INVALID_EDGES]):
        source = state.invalid_edges[number, 0]
        _remove(graph, plan, source, state.invalid_edges[number, 1])
        cut |= plan.confirmed[source] == plan.clock[EPOCH]
    plan.clock[READ_EDGES] = state.counts[INVALID_EDGES]
    if cut:
        plan.clock[EPOCH] += 1


def _may_cut(graph, plan, vertex):
    """Whether a confirmed chain may lead through a vertex or, where corners may not be cut, close by it."""


@inlined_overload(_may_cut)
def _may_cut_either(graph, plan, vertex):
    if graph.instance_class is CsrArrays:
        return lambda graph, plan, vertex: plan.confirmed[vertex] == plan.clock[EPOCH]
    return _may_cut_on_grid


def _may_cut_on_grid(graph, plan, vertex):
    epoch = plan.clock[EPOCH]
    if graph.corner_cutting:
        return plan.confirmed[vertex] == epoch
    place = locate(graph, vertex)
    for slot in range(4):
        beside = successor(graph, place, slot)
        if beside != NO_VERTEX and plan.confirmed[beside] == epoch:
            return True
    return plan.confirmed[vertex] == epoch


@inlined
def _remove(graph, plan, source, target):
    """Mark an edge in sparse rows as invalid; on a grid the invalid cells tell."""
    if len(plan.removed):
        place = locate(graph, source)
        for slot in range(slot_count(graph, place)):
            if successor(graph, place, slot) == target:
                plan.removed[place[0] + slot] = True


@inlined
def _holds(graph, plan, state, goal, vertex):
    """Whether the chain from a vertex to the goal holds and is as long as its bound; kept for the rest of the epoch."""
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
    """Find the distance of a vertex by A* and better the bounds of all that it goes through; false for want of room."""
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
    """Let the way that a repair found lead on from the vertex to the one whose chain held."""
    here = end
    while here != vertex and here != NO_VERTEX:
        before = np.int64(plan.came_from[here])
        plan.onward[before] = plan.came_by[here] + 1
        plan.confirmed[before] = plan.clock[EPOCH]
        here = before


@kernel
def offer_open(graph, plan, queue, state, goal, vertices):
    """`offer_replanned` for the reference engine."""
    for vertex in vertices:
        offer_replanned(graph, plan, queue, state, goal, vertex, ENTERED)


@kernel
def select_open(graph, plan, queue, state, goal):
    """`pop_replanned` for the reference engine."""
    return pop_replanned(graph, plan, queue, state, goal)


def with_more_room(plan: ReplanningArrays) -> ReplanningArrays:
    """The same with twice the room for what waits in a repair."""
    return plan._replace(waiting=enlarge_queues(plan.waiting))
