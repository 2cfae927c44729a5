"""Replanning in the loop: the open vertex that is closest to the goal in the believed world is expanded next.

The bounds of distances and their repairs are in `repair.py`. A vertex whose bound was raised is inserted into the open
list again with its insertion number. The vertex selected thus has the smallest (distance, insertion number), and only
vertices that could be selected are tested. Paths through closed vertices can be ignored: they leave them through
another open vertex, which is closer to the goal. If the first vertex of the open list is at the horizon, more bounds
have to be settled (`decrease.py`) before it can be tested.
"""

from __future__ import annotations

from sailplan.core.kernel.arrays import (
    CLOSED,
    ENTERED,
    EXPANSIONS,
    INVALID_EDGES,
    INVALID_VERTICES,
    MOST_WORK,
    NO_TIME,
    NO_VERTEX,
    OPEN,
    POLICY_EVALUATIONS,
    TOUCHED,
    WORK,
)
from sailplan.core.kernel.compile import kernel, piece
from sailplan.core.kernel.heap import NO_TAG, pop_entry, put, tag_of, vertex_of
from sailplan.core.kernel.policy import choose, is_due, keys_alone, on_open
from sailplan.policies.replanning.kernel.edges import (
    HORIZON,
    NO_WAY,
    SHORT,
    UPDATE_AT_KNOWN,
    UPDATE_AT_STEPS,
    ReplanningArrays,
    bound_of,
)
from sailplan.policies.replanning.kernel.repair import holds, repair, take_note


@keys_alone.register(ReplanningArrays)
def _keys_alone(policy):
    return True


@is_due.register(ReplanningArrays)
def _is_due(search, policy):
    """Return whether the belief must be updated, or more bounds settled."""
    counts, clock = search.state.counts, policy.clock
    known = counts[INVALID_VERTICES] + counts[INVALID_EDGES]
    return counts[EXPANSIONS] >= clock[UPDATE_AT_STEPS] or known >= clock[UPDATE_AT_KNOWN] or clock[SHORT] > 0


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

    NO_VERTEX if none is open, NO_ROOM if the queue of a repair is full, NO_TIME if a repair takes long or the vertex
    is at the horizon.
    """
    graph, state, queue, goal = search.graph, search.state, search.queue, search.goal
    take_note(graph, plan, state, goal)
    while True:
        rank, tag = pop_entry(queue, row, state.status, OPEN)
        if tag == NO_TAG:
            return NO_VERTEX
        if rank >= plan.clock[HORIZON]:
            put(queue, row, rank, tag)
            plan.clock[SHORT] = 1
            return NO_TIME
        vertex = vertex_of(tag)
        if rank == plan.bounds[vertex]:
            if rank == NO_WAY or holds(graph, plan, state, goal, vertex):
                return vertex
            interrupted = repair(graph, plan, state, goal, vertex, CLOSED)
            if interrupted:
                put(queue, row, rank, tag)
                return interrupted
            state.counts[POLICY_EVALUATIONS] += 1
            if rank == plan.bounds[vertex]:
                return vertex
            if plan.bounds[vertex] == plan.clock[HORIZON]:
                put(queue, row, plan.bounds[vertex], tag)
                plan.clock[SHORT] = 1
                return NO_TIME
        put(queue, row, plan.bounds[vertex], tag)


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
    search.state.counts[WORK] = MOST_WORK
    return choose(search, plan, 0)
