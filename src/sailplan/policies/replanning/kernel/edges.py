"""Costs of edges in the believed world, and lower bounds of the distances to the goal in it.

Graphs whose arrays register implementations here are used directly; any other finite graph is first converted to an
explicit one.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sailplan.core.kernel.arrays import INVALID, INVALID_EDGE, NO_VERTEX, QueueArrays
from sailplan.core.kernel.compile import dispatched, inlined
from sailplan.core.kernel.edges import edge_cost, locate, slot_count, successor
from sailplan.graphs.explicit.kernel import CsrArrays
from sailplan.graphs.grid.kernel.edges import STEPS_X, STEPS_Y, GridArrays, TerrainArrays, grid_cell

NO_WAY = 1 << 60
"""A distance larger than all others: there is no path."""
UNIT = 1 << 8
"""A multiplier of 1: multipliers are integers in units of 1/256."""

EPOCH, REPAIR, READ, READ_EDGES, UPDATE_AT_STEPS, UPDATE_AT_KNOWN, REPAIRING, OFFERED, DONE, WORK = range(10)
"""Indices of `ReplanningArrays.clock`: the epoch, which ends when a confirmed chain is cut or a multiplier changes; the
number of the last repair; the numbers of invalid vertices and of invalid edges that have been read; the numbers of
steps and of known invalid vertices and edges at which the belief is updated; and the state of a repair, which may be
interrupted: one plus its vertex, the numbers of vertices reached and finished, and the number of vertices that may be
finished before the kernel returns."""
CLOCKS = 10
MOST_WORK = 1 << 12
"""The number of vertices that repairs may finish in one call of the kernel, which takes about a millisecond."""


class ReplanningArrays(NamedTuple):
    """Lower bounds of the distance of each vertex to the goal in the believed world; see `repair.py`.

    Distances are integers, so that their sum does not depend on the order of addition.
    """

    steps: NDArray[np.int64]
    """Costs of edges before multipliers: by slot on a grid without terrain, by edge in sparse rows."""
    scale: float
    """The cost of an edge is `scale` times as large in `steps`."""
    multipliers: NDArray[np.int64]
    """Cost multipliers of edges into each vertex, in units of 1 / UNIT; empty if all are 1."""
    per_edge: bool
    """Whether there is a multiplier for each edge of sparse rows instead."""
    removed: NDArray[np.bool_]
    """In sparse rows: whether each edge is known to be invalid; otherwise empty."""
    edge_of: NDArray[np.int64]
    """In sparse rows: the edge whose reverse is each edge of the reversed graph; otherwise empty."""
    bounds: NDArray[np.int64]
    """The lower bound of each vertex; NO_WAY if there is no path to the goal."""
    from_empty_grid: bool
    """Whether a bound of 0 has yet to be set to the distance on an empty grid."""
    onward: NDArray[np.int32]
    """One plus the slot of the next edge on the path from each vertex; 0 if none is known."""
    confirmed: NDArray[np.int64]
    """The epoch in which the chain from each vertex was last tested; negative if it did not hold."""
    numbers: NDArray[np.int64]
    """The insertion number of each open vertex."""
    clock: NDArray[np.int64]
    """Counters; see EPOCH, REPAIR, ..."""
    travelled: NDArray[np.int64]
    """Scratch of a repair, like all fields below: the distance from the open vertex to each vertex reached."""
    phases: NDArray[np.int64]
    """Whether each vertex was reached or finished in the current repair."""
    came_from: NDArray[np.int32]
    came_by: NDArray[np.int32]
    """`came_from` and `came_by` are the vertex and the slot by which each vertex was reached."""
    done: NDArray[np.int32]
    """The finished vertices."""
    waiting: QueueArrays
    """The vertices reached."""


@dispatched("graph")
def step_cost(graph, plan, state, place, slot, target):
    """Return the cost of the edge in a slot before multipliers; NO_WAY if the edge is known to be invalid."""


@dispatched("graph")
def reverse(graph, plan, state, place, slot, target, source):
    """Return the believed cost and the slot of the edge from `source` to `target`.

    `place` and `slot` are those of `source` among the edges of `target` in the reversed graph. The cost is NO_WAY if
    the edge is known to be invalid.
    """


@dispatched("graph")
def bound_of(graph, plan, goal, vertex):
    """Return the lower bound of a vertex, and set it if it was not set."""


@dispatched("graph")
def may_cut(graph, plan, vertex):
    """Return whether a confirmed chain may pass through an invalid vertex, or cut its corner."""


@dispatched("graph")
def blocked_around(graph):
    """Return the number of slots of an invalid vertex whose targets may have lost edges between each other."""


@dispatched("graph")
def remove_edge(graph, plan, source, target):
    """Mark an edge as known to be invalid."""


@inlined
def believed_cost(graph, plan, state, place, slot, target):
    """Return the believed cost of the edge in a slot; NO_WAY if the edge or its target is known to be invalid."""
    step = step_cost(graph, plan, state, place, slot, target)
    return (
        NO_WAY if step == NO_WAY or state.status[target] == INVALID else step * multiplier_of(plan, place, slot, target)
    )


@inlined
def multiplier_of(plan, place, slot, target):
    """Return the cost multiplier of the edge in a slot, which leads into the target."""
    return plan.multipliers[place[0] + slot if plan.per_edge else target] if len(plan.multipliers) else UNIT


@step_cost.register(GridArrays)
def _step_on_grid(graph, plan, state, place, slot, target):
    return NO_WAY if _cuts_corner(graph, state, place, slot) else plan.steps[slot]


@step_cost.register(TerrainArrays)
def _step_on_terrain(graph, plan, state, place, slot, target):
    if _cuts_corner(graph, state, place, slot):
        return NO_WAY
    return np.int64(edge_cost(graph, place, slot, target) * plan.scale + 0.5)


@inlined
def _cuts_corner(graph, state, place, slot):
    """Return whether a diagonal move is known to cut the corner of an invalid cell although that is not allowed."""
    if slot < 4 or graph.corner_cutting:
        return False
    x, y = place
    vertex = y * graph.width + x
    beside = state.status[vertex + STEPS_X[slot]]
    above = state.status[vertex + STEPS_Y[slot] * graph.width]
    if beside == INVALID or above == INVALID:
        return True
    # In a search by edges, the move may be known to be invalid although neither cell is.
    return len(state.edge_status) > 0 and state.edge_status[8 * vertex + slot] == INVALID_EDGE


@reverse.register(GridArrays, TerrainArrays)
def _reverse_on_grid(graph, plan, state, place, slot, target, source):
    opposite = slot ^ 2
    place = locate(graph, source)
    step = step_cost(graph, plan, state, place, opposite, target)
    return (NO_WAY if step == NO_WAY else step * multiplier_of(plan, place, opposite, target)), opposite


@bound_of.register(GridArrays, TerrainArrays)
def _bound_on_grid(graph, plan, goal, vertex):
    if plan.from_empty_grid and plan.bounds[vertex] == 0:
        x, y = grid_cell(graph, vertex)
        goal_x, goal_y = grid_cell(graph, goal)
        dx, dy = abs(x - goal_x), abs(y - goal_y)
        straight = min(plan.steps[0], plan.steps[4])
        diagonal = min(2 * plan.steps[0], plan.steps[4])
        fewer = min(dx, dy)
        plan.bounds[vertex] = UNIT * (diagonal * fewer + straight * (max(dx, dy) - fewer))
    return plan.bounds[vertex]


@may_cut.register(GridArrays, TerrainArrays)
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


@blocked_around.register(GridArrays, TerrainArrays)
def _blocked_around_on_grid(graph):
    return 0 if graph.corner_cutting else 4


@blocked_around.register(CsrArrays)
def _blocked_around_in_rows(graph):
    return 0


@remove_edge.register(GridArrays, TerrainArrays)
def _remove_on_grid(graph, plan, source, target):
    """Do nothing: the invalid cells determine which diagonal moves are invalid."""


@step_cost.register(CsrArrays)
def _step_in_rows(graph, plan, state, place, slot, target):
    return NO_WAY if plan.removed[place[0] + slot] else plan.steps[place[0] + slot]


@reverse.register(CsrArrays)
def _reverse_in_rows(graph, plan, state, place, slot, target, source):
    edge = plan.edge_of[place[0] + slot]
    first = graph.first[source]
    cost = plan.steps[edge] * multiplier_of(plan, (first, first), edge - first, target)
    return (NO_WAY if plan.removed[edge] else cost), edge - first


@bound_of.register(CsrArrays)
def _bound_in_rows(graph, plan, goal, vertex):
    return plan.bounds[vertex]


@may_cut.register(CsrArrays)
def _may_cut_in_rows(graph, plan, vertex):
    return plan.confirmed[vertex] == plan.clock[EPOCH]


@remove_edge.register(CsrArrays)
def _remove_in_rows(graph, plan, source, target):
    place = locate(graph, source)
    for slot in range(slot_count(graph, place)):
        if successor(graph, place, slot) == target:
            plan.removed[place[0] + slot] = True
