"""What edges cost in the world as the search believes it to be, and lower bounds of the distances to the goal in it.

A kind of graph that registers bodies here can be replanned over in the compiled engine; any other finite graph is
turned into an explicit one first.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sailplan.core.kernel.arrays import INVALID, NO_VERTEX, QueueArrays
from sailplan.core.kernel.compile import dispatched, inlined
from sailplan.core.kernel.edges import locate, slot_count, successor
from sailplan.graphs.explicit.kernel import CsrArrays
from sailplan.graphs.grid.kernel.edges import STEPS_X, STEPS_Y, GridArrays, TerrainArrays, grid_cell

NO_WAY = 1 << 60
"""A distance longer than all others."""
UNIT = 1 << 8
"""A multiplier of 1: multipliers count in parts of 256."""
TERRAIN_UNIT = 1 << 5
"""A terrain cost of 1: these count in parts of 32."""

EPOCH, REPAIR, READ, READ_EDGES, UPDATE_AT_EXPANSIONS, UPDATE_AT_KNOWN = range(6)
"""Places in `ReplanningArrays.clock`: the epoch, which ends when a confirmed chain is cut or a multiplier changes; the
number of the last repair; how many of the invalid vertices and edges have been read; and the numbers of expansions and
of things known to be invalid at which the belief is to be updated."""
CLOCKS = 6


class ReplanningArrays(NamedTuple):
    """Lower bounds of each vertex's distance to the goal in the world as it is believed to be; see `repair.py`.

    Distances are whole numbers, so that the order in which they are added up does not matter.
    """

    steps: NDArray[np.int64]
    """What an edge costs before multipliers: by slot on a grid, by edge in sparse rows."""
    terrain: NDArray[np.int64]
    """On a grid with terrain: the cost of each cell, in parts of TERRAIN_UNIT; else empty."""
    multipliers: NDArray[np.int64]
    """What the cost of edges into each vertex is multiplied by, in parts of UNIT; empty where it is 1 for all."""
    removed: NDArray[np.bool_]
    """In sparse rows: the edges known to be invalid; else empty."""
    bounds: NDArray[np.int64]
    """The lower bound of each vertex; NO_WAY where it is known that no way leads to the goal."""
    from_empty_grid: bool
    """Whether a bound that is 0 is still to be set, to the distance in an empty grid."""
    onward: NDArray[np.int32]
    """One more than the slot that leads on from each vertex; 0 where none is known."""
    confirmed: NDArray[np.int64]
    """The epoch in which the chain from each vertex was last seen to hold, or its negative if it was seen not to."""
    numbers: NDArray[np.int64]
    """The insertion number of each open vertex."""
    clock: NDArray[np.int64]
    """EPOCH, REPAIR, ...: see there."""
    travelled: NDArray[np.int64]
    """In a repair: the distance from the open vertex to each vertex reached; this and the rest is scratch."""
    phases: NDArray[np.int64]
    """In a repair: whether each vertex was reached, or finished."""
    came_from: NDArray[np.int32]
    came_by: NDArray[np.int32]
    """The vertex and the slot by which each was reached."""
    done: NDArray[np.int32]
    """The finished vertices."""
    waiting: QueueArrays
    """The vertices reached."""


@dispatched("graph")
def step_cost(graph, plan, state, place, slot, target):
    """What the edge in a slot costs before multipliers; NO_WAY where the edge itself is known to be invalid."""


@dispatched("graph")
def bound_of(graph, plan, goal, vertex):
    """The lower bound of a vertex, set now where it was not."""


@dispatched("graph")
def may_cut(graph, plan, vertex):
    """Whether a confirmed chain may lead through a vertex that was found to be invalid, or past its corner."""


@dispatched("graph")
def remove_edge(graph, plan, source, target):
    """Mark an edge as known to be invalid."""


@inlined
def believed_cost(graph, plan, state, place, slot, target):
    """What the edge in a slot costs as far as is known; NO_WAY where it is known to be invalid."""
    step = step_cost(graph, plan, state, place, slot, target)
    return NO_WAY if step == NO_WAY or state.status[target] == INVALID else step * multiplier_of(plan, target)


@inlined
def multiplier_of(plan, vertex):
    """What the cost of edges into a vertex is multiplied by."""
    return plan.multipliers[vertex] if len(plan.multipliers) else UNIT


@step_cost.register(GridArrays)
def _step_on_grid(graph, plan, state, place, slot, target):
    return NO_WAY if _cuts_corner(graph, state, place, slot) else plan.steps[slot]


@step_cost.register(TerrainArrays)
def _step_on_terrain(graph, plan, state, place, slot, target):
    if _cuts_corner(graph, state, place, slot):
        return NO_WAY
    return plan.steps[slot] * (plan.terrain[place[1] * graph.width + place[0]] + plan.terrain[target])


@inlined
def _cuts_corner(graph, state, place, slot):
    """Whether a diagonal move passes a cell known to be invalid, where that is not allowed."""
    if slot < 4 or graph.corner_cutting:
        return False
    x, y = place
    beside = state.status[y * graph.width + x + STEPS_X[slot]]
    above = state.status[(y + STEPS_Y[slot]) * graph.width + x]
    return beside == INVALID or above == INVALID


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


@remove_edge.register(GridArrays, TerrainArrays)
def _remove_on_grid(graph, plan, source, target):
    """Nothing to do: the invalid cells tell which corners are cut."""


@step_cost.register(CsrArrays)
def _step_in_rows(graph, plan, state, place, slot, target):
    return NO_WAY if plan.removed[place[0] + slot] else plan.steps[place[0] + slot]


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
