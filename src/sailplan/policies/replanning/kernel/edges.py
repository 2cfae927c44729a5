"""Costs of edges in the believed world, and lower bounds of the distances to the goal in it.

The functions here support any graph that registers the functions of `core/kernel/edges.py`, without enumerating it.
`grids.py`, `rows.py` and `voxels.py` beside this module have faster implementations for graphs of this package.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sailplan.core.kernel.arrays import INVALID, NO_VERTEX, QueueArrays
from sailplan.core.kernel.compile import dispatched, inlined, kernel
from sailplan.core.kernel.edges import edge_cost, edge_number, locate, lower_bound, slot_count, successor

NO_WAY = 1 << 60
"""A distance larger than all others: there is no path."""
NO_HORIZON = (1 << 63) - 1
"""The horizon if all bounds are settled; see `decrease.py`."""
UNIT = 1 << 8
"""A multiplier of 1: multipliers are integers in units of 1/256."""

EPOCH, REPAIR, READ, READ_EDGES, UPDATE_AT_STEPS, UPDATE_AT_KNOWN = range(6)
REPAIRING, OFFERED, DONE, RAISING, DISTANCE, END, HORIZON, SHORT = range(6, 14)
FOLLOWING, FOLLOWED_TO, FOLLOWED = range(14, 17)
"""Indices of `ReplanningArrays.clock`: the epoch, which ends when a confirmed chain is cut or a multiplier changes; the
number of the last repair; the numbers of invalid vertices and of invalid edges that have been read; the numbers of
steps and of known invalid vertices and edges at which the belief is updated; and the state of a repair, which may be
interrupted: one plus its vertex, the numbers of vertices reached and finished, whether bounds are being raised, and
the distance and the end that were found; the horizon, from which on bounds are not settled, and whether the search has
come to it; and of a chain that was not followed to its end: one plus its first vertex, the last one, and the number of
edges."""
CLOCKS = 17


class ReplanningArrays(NamedTuple):
    """Lower bounds of the distance of each vertex to the goal in the believed world; see `repair.py`.

    Distances are integers, so that their sum does not depend on the order of addition.
    """

    goal: int
    degree: int
    """The largest number of slots of a vertex."""
    steps: NDArray[np.int64]
    """Costs of edges before multipliers: by slot on a grid without terrain, by edge in sparse rows; otherwise empty."""
    scale: float
    """The cost of an edge is `scale` times as large in `steps`."""
    multipliers: NDArray[np.int64]
    """Cost multipliers of edges into each vertex, in units of 1 / UNIT; empty if all are 1."""
    per_edge: bool
    """Whether there is a multiplier for each edge of sparse rows instead."""
    removed: NDArray[np.bool_]
    """Whether each edge is known to be invalid, by its number; empty on grids, where invalid cells determine this."""
    edge_of: NDArray[np.int64]
    """In sparse rows: the edge whose reverse is each edge of the reversed graph; otherwise empty."""
    bounds: NDArray[np.int64]
    """The lower bound of each vertex; NO_WAY if there is no path to the goal."""
    from_lower_bound: bool
    """Whether a bound of 0 has yet to be set to the lower bound that the graph provides."""
    onward: NDArray[np.int16] | NDArray[np.int32]
    """One plus the slot of the next edge on the path from each vertex; 0 if none is known."""
    confirmed: NDArray[np.int32]
    """The epoch in which the chain from each vertex was last tested; negative if it did not hold."""
    numbers: NDArray[np.int64]
    """The insertion number of each open vertex."""
    clock: NDArray[np.int64]
    """Counters; see EPOCH, REPAIR, ..."""
    travelled: NDArray[np.int64]
    """Scratch of a repair, like all fields below: the distance from the open vertex to each vertex reached."""
    phases: NDArray[np.int32]
    """Whether each vertex was reached or finished in the current repair."""
    came_from: NDArray[np.int32]
    came_by: NDArray[np.int16] | NDArray[np.int32]
    """`came_from` and `came_by` are the vertex and the slot by which each vertex was reached."""
    done: NDArray[np.int32]
    """The finished vertices."""
    waiting: QueueArrays
    """The vertices reached."""


@dispatched("graph", default=True)
def step_cost(graph, plan, state, vertex, place, slot, target):
    """Return the cost of the edge in a slot before multipliers; NO_WAY if the edge is known to be invalid."""
    if plan.removed[edge_number(graph, plan.degree, vertex, place, slot)]:
        return NO_WAY
    # Rounded up, and `bound_of` rounds down: floor(a + b) <= ceil(a) + floor(b), so that bounds remain consistent.
    return max(np.int64(math.ceil(edge_cost(graph, place, slot, target) * plan.scale)), np.int64(1))


@dispatched("graph", default=True)
def reverse(graph, plan, state, place, slot, target, source):
    """Return the believed cost and the slot of the edge from `source` to `target`.

    `place` and `slot` are those of `source` among the edges of `target` in the reversed graph. The cost is NO_WAY if
    the edge is known to be invalid. The default visits all slots of `source`.
    """
    best, best_slot = np.int64(NO_WAY), np.int64(0)
    there = locate(graph, source)
    for other in range(slot_count(graph, there)):
        if successor(graph, there, other) == target:
            step = np.int64(step_cost(graph, plan, state, source, there, other, target))
            if step < NO_WAY and step * multiplier_of(plan, there, other, target) < best:
                best, best_slot = step * multiplier_of(plan, there, other, target), np.int64(other)
    return best, best_slot


@dispatched("graph", default=True)
def bound_of(graph, plan, goal, vertex):
    """Return the lower bound of a vertex, and set it if it was not set."""
    if plan.from_lower_bound and plan.bounds[vertex] == 0:
        bound = lower_bound(graph, vertex, goal) * plan.scale
        plan.bounds[vertex] = UNIT * np.int64(math.floor(bound)) if bound < NO_WAY // UNIT else NO_WAY
    return plan.bounds[vertex]


@dispatched("graph", default=True)
def may_cut(graph, plan, vertex):
    """Return whether a confirmed chain may pass through an invalid vertex, or cut its corner."""
    return plan.confirmed[vertex] == plan.clock[EPOCH]


@dispatched("graph", default=True)
def blocked_around(graph):
    """Return the number of slots of an invalid vertex whose targets may have lost edges between each other."""
    return 0


@dispatched("graph", default=True)
def remove_edge(graph, plan, source, target):
    """Mark an edge as known to be invalid."""
    place = locate(graph, source)
    for slot in range(slot_count(graph, place)):
        if successor(graph, place, slot) == target:
            plan.removed[edge_number(graph, plan.degree, source, place, slot)] = True


@inlined
def believed_cost(graph, plan, state, vertex, place, slot, target):
    """Return the believed cost of the edge in a slot; NO_WAY if the edge or its target is known to be invalid."""
    step = step_cost(graph, plan, state, vertex, place, slot, target)
    return (
        NO_WAY if step == NO_WAY or state.status[target] == INVALID else step * multiplier_of(plan, place, slot, target)
    )


@inlined
def multiplier_of(plan, place, slot, target):
    """Return the cost multiplier of the edge in a slot, which leads into the target."""
    return plan.multipliers[place[0] + slot if plan.per_edge else target] if len(plan.multipliers) else UNIT


@kernel
def largest_cost(graph, count, stride):
    """Return the largest cost of the edges of every `stride`-th of `count` vertices."""
    largest = 0.0
    for vertex in range(0, count, stride):
        place = locate(graph, vertex)
        for slot in range(slot_count(graph, place)):
            target = successor(graph, place, slot)
            if target != NO_VERTEX:
                largest = max(largest, edge_cost(graph, place, slot, target))
    return largest
