"""Believed costs and bounds on grids, where invalid cells determine which diagonal moves are invalid."""

from __future__ import annotations

import numpy as np

from sailplan.core.kernel.arrays import INVALID, INVALID_EDGE, NO_VERTEX
from sailplan.core.kernel.compile import inlined
from sailplan.core.kernel.edges import edge_cost, locate, successor
from sailplan.graphs.grid.kernel.edges import STEPS_X, STEPS_Y, GridArrays, TerrainArrays, grid_cell
from sailplan.policies.replanning.kernel.edges import (
    EPOCH,
    NO_WAY,
    UNIT,
    blocked_around,
    bound_of,
    may_cut,
    multiplier_of,
    remove_edge,
    reverse,
    step_cost,
)


@step_cost.register(GridArrays)
def _step_on_grid(graph, plan, state, vertex, place, slot, target):
    return NO_WAY if _cuts_corner(graph, state, place, slot) else plan.steps[slot]


@step_cost.register(TerrainArrays)
def _step_on_terrain(graph, plan, state, vertex, place, slot, target):
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
    return len(state.edge_status) > 0 and state.edge_status[8 * vertex + slot] == INVALID_EDGE + 1


@reverse.register(GridArrays, TerrainArrays)
def _reverse_on_grid(graph, plan, state, place, slot, target, source):
    opposite = slot ^ 2
    place = locate(graph, source)
    step = step_cost(graph, plan, state, source, place, opposite, target)
    return (NO_WAY if step == NO_WAY else step * multiplier_of(plan, place, opposite, target)), opposite


@bound_of.register(GridArrays, TerrainArrays)
def _bound_on_grid(graph, plan, goal, vertex):
    if plan.from_lower_bound and plan.bounds[vertex] == 0:
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


@remove_edge.register(GridArrays, TerrainArrays)
def _remove_on_grid(graph, plan, source, target):
    """Do nothing: the invalid cells determine which diagonal moves are invalid."""
