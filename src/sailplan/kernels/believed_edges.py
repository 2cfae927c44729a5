"""What edges cost in the world as it is believed to be, and lower bounds of the distances to the goal in it."""

from __future__ import annotations

from sailplan.kernels.arrays import INVALID, CsrArrays
from sailplan.kernels.compile import inlined, inlined_overload
from sailplan.kernels.grid import STEPS_X, STEPS_Y, grid_cell

NO_WAY = 1 << 60
"""A distance longer than all others."""
UNCHARGED = 1 << 8
"""A charge of 1: charges count in parts of 256."""


def step_cost(graph, plan, state, place, slot):
    """What the edge in a slot costs where nothing is charged; NO_WAY where it is known to be invalid by itself."""


@inlined_overload(step_cost)
def _step_cost(graph, plan, state, place, slot):
    return _step_in_rows if graph.instance_class is CsrArrays else _step_on_grid


def _step_on_grid(graph, plan, state, place, slot):
    if slot >= 4 and not graph.corner_cutting:
        x, y = place
        beside = state.status[y * graph.width + x + STEPS_X[slot]]
        above = state.status[(y + STEPS_Y[slot]) * graph.width + x]
        if beside == INVALID or above == INVALID:
            return NO_WAY
    return plan.steps[slot]


def _step_in_rows(graph, plan, state, place, slot):
    return NO_WAY if plan.removed[place[0] + slot] else plan.steps[place[0] + slot]


@inlined
def believed_cost(graph, plan, state, place, slot, target):
    """What the edge in a slot costs as far as is known; NO_WAY where it is known to be invalid."""
    step = step_cost(graph, plan, state, place, slot)
    return NO_WAY if step == NO_WAY or state.status[target] == INVALID else step * charge_of(plan, target)


@inlined
def charge_of(plan, vertex):
    """By how much edges into a vertex are multiplied."""
    return plan.charges[vertex] if len(plan.charges) else UNCHARGED


def bound_of(graph, plan, goal, vertex):
    """The lower bound of a vertex, set now where it was not."""


@inlined_overload(bound_of)
def _bound_of(graph, plan, goal, vertex):
    if graph.instance_class is CsrArrays:
        return lambda graph, plan, goal, vertex: plan.bounds[vertex]
    return _bound_on_grid


def _bound_on_grid(graph, plan, goal, vertex):
    if plan.from_empty_grid and plan.bounds[vertex] == 0:
        x, y = grid_cell(graph, vertex)
        goal_x, goal_y = grid_cell(graph, goal)
        dx, dy = abs(x - goal_x), abs(y - goal_y)
        straight = min(plan.steps[0], plan.steps[4])
        diagonal = min(2 * plan.steps[0], plan.steps[4])
        fewer = min(dx, dy)
        plan.bounds[vertex] = UNCHARGED * (diagonal * fewer + straight * (max(dx, dy) - fewer))
    return plan.bounds[vertex]
