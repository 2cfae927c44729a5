"""Lowering of bounds: initially from the goal, later from vertices whose multiplier has decreased.

Bounds are settled in ascending order. A search needs only those up to the smallest one of its open vertices, so that it
settles the others when it comes to them. Until then, bounds from the horizon on may be too large; those below it are
consistent, and so are all of them if the larger ones count as the horizon.

Vertices wait in buckets by their bounds, which takes half of the time of a heap. The order within a bucket is that of
arrival, so that a vertex may be lowered again after its turn, and then has another one: the bounds in the end are the
same for every order.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sailplan.core.kernel.arrays import CLOSED, INVALID, NO_VERTEX, OPEN
from sailplan.core.kernel.compile import inlined, kernel
from sailplan.core.kernel.edges import locate, slot_count, successor
from sailplan.core.kernel.heap import clear, put, tag_of
from sailplan.policies.replanning.kernel.edges import EPOCH, HORIZON, NO_HORIZON, NO_WAY, SHORT, UNIT, bound_of, reverse

MARGIN = 3
"""Bounds are settled up to 1 + 1/2^3 times the smallest one of the open vertices, for a search that is a little longer
than believed."""


DONE_SETTLING = -1
"""Returned by `settle` when all bounds up to its limit are settled."""


class FallArrays(NamedTuple):
    """Vertices that have come closer to the goal, and whose predecessors may have: lists in buckets.

    Vertices and buckets are stored plus one; 0 means none.
    """

    heads: NDArray[np.int32]
    tails: NDArray[np.int32]
    """The first and the last vertex of each bucket; the last bucket has all bounds that are larger."""
    before: NDArray[np.int32]
    after: NDArray[np.int32]
    """The neighbours of each vertex in its bucket."""
    buckets: NDArray[np.int32]
    """The bucket of each vertex."""
    shift: int
    """The bounds of bucket b begin at b 2^shift."""
    first: NDArray[np.int64]
    """A single number: all buckets before it are empty."""


@kernel
def round_multipliers(multipliers, least, most, wholes):
    """Write multipliers between `least` and `most` as integers in units of 1 / UNIT; NaN becomes 1."""
    for index in range(len(wholes)):
        multiplier = multipliers[index]
        kept = 1.0 if math.isnan(multiplier) else min(max(multiplier, least), most)
        wholes[index] = np.int64(np.rint(kept * UNIT))


@kernel
def begin_settling(plan, falls, goal):
    """Set the bound of the goal to 0; those of all others must be NO_WAY."""
    plan.bounds[goal] = 0
    _let_wait(plan, falls, np.int64(goal))


@kernel
def set_multipliers(graph, backward, plan, falls, state, multipliers):
    """Set the multipliers of all edges, and let vertices wait if a multiplier of an edge into them falls."""
    plan.clock[EPOCH] += 1
    for vertex in range(len(plan.bounds)):
        fallen = _set_multipliers_into(backward, plan, vertex, multipliers)
        if fallen and bound_of(graph, plan, plan.goal, vertex) < NO_WAY and state.status[vertex] != INVALID:
            _let_wait(plan, falls, vertex)


@inlined
def _set_multipliers_into(backward, plan, vertex, multipliers):
    """Set the multipliers of edges into a vertex; return whether one of them falls."""
    if not plan.per_edge:
        falls = multipliers[vertex] < plan.multipliers[vertex]
        plan.multipliers[vertex] = multipliers[vertex]
        return falls
    falls = False
    place = locate(backward, vertex)
    for slot in range(slot_count(backward, place)):
        edge = plan.edge_of[place[0] + slot]
        falls |= multipliers[edge] < plan.multipliers[edge]
        plan.multipliers[edge] = multipliers[edge]
    return falls


@kernel
def settle(graph, backward, plan, falls, state, limit, needed, work):
    """Continue to lower bounds up to a limit, or as far as the search needs them if only these are `needed`.

    Return DONE_SETTLING; or, after the turns of `work` vertices, the limit with which to continue.
    """
    for _ in range(work):
        vertex = _first(falls)
        if vertex == NO_VERTEX:
            plan.clock[HORIZON] = NO_HORIZON
            return np.int64(DONE_SETTLING)
        begin = falls.first[0] << falls.shift
        if begin > limit:
            plan.clock[HORIZON] = begin
            return np.int64(DONE_SETTLING)
        _remove(falls, vertex)
        if state.status[vertex] == INVALID:
            continue
        if needed and state.status[vertex] == OPEN:
            limit = min(limit, _with_margin(plan.bounds[vertex]))
        _shorten(graph, backward, plan, falls, state, vertex)
    return np.int64(limit)


@inlined
def _with_margin(bound):
    return np.int64(NO_HORIZON) if bound >= NO_WAY else np.int64(bound + (bound >> MARGIN))


@kernel
def put_all(plan, queue, vertices):
    """Clear the open list and insert vertices with their bounds and insertion numbers."""
    plan.clock[SHORT] = 0
    clear(queue, 0)
    for vertex in vertices:
        put(queue, 0, plan.bounds[vertex], tag_of(plan.numbers[vertex], vertex))


@inlined
def _shorten(graph, backward, plan, falls, state, vertex):
    """Lower the bounds of vertices from which the path through this vertex is shorter."""
    place = locate(backward, vertex)
    for slot in range(slot_count(backward, place)):
        source = successor(backward, place, slot)
        # Costs are positive; the test of the bounds saves computing most of them.
        if source == NO_VERTEX or plan.bounds[source] <= plan.bounds[vertex] or state.status[source] >= CLOSED:
            continue
        cost = reverse(graph, plan, state, place, slot, vertex, source)[0]
        if cost == NO_WAY:
            continue
        bound = plan.bounds[vertex] + cost
        if bound < plan.bounds[source]:
            plan.bounds[source] = bound
            _let_wait(plan, falls, np.int64(source))


@inlined
def _let_wait(plan, falls, vertex):
    """Append a vertex to the bucket of its bound."""
    bucket = min(plan.bounds[vertex] >> falls.shift, len(falls.heads) - 1)
    if falls.buckets[vertex] == bucket + 1:
        return
    if falls.buckets[vertex]:
        _remove(falls, vertex)
    tail = np.int64(falls.tails[bucket])
    if tail:
        falls.after[tail - 1] = vertex + 1
    else:
        falls.heads[bucket] = vertex + 1
    falls.before[vertex], falls.after[vertex] = tail, 0
    falls.tails[bucket], falls.buckets[vertex] = vertex + 1, bucket + 1
    falls.first[0] = min(falls.first[0], bucket)


@inlined
def _first(falls):
    """Return the first vertex of the first bucket that is not empty; NO_VERTEX if all are."""
    while falls.first[0] < len(falls.heads):
        head = np.int64(falls.heads[falls.first[0]])
        if head:
            return head - 1
        falls.first[0] += 1
    return np.int64(NO_VERTEX)


@inlined
def _remove(falls, vertex):
    """Remove a vertex from its bucket."""
    bucket, before, after = falls.buckets[vertex] - 1, np.int64(falls.before[vertex]), np.int64(falls.after[vertex])
    if before:
        falls.after[before - 1] = after
    else:
        falls.heads[bucket] = after
    if after:
        falls.before[after - 1] = before
    else:
        falls.tails[bucket] = before
    falls.buckets[vertex] = 0
