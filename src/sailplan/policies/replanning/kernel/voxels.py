"""Believed costs and bounds on voxels, where invalid voxels determine which diagonal moves are invalid."""

from __future__ import annotations

from sailplan.core.kernel.arrays import INVALID, INVALID_EDGE, NO_VERTEX
from sailplan.core.kernel.compile import inlined
from sailplan.core.kernel.edges import edge_number, locate, successor
from sailplan.graphs.voxels.kernel.edges import CORNERS, FACES, PLANES, VoxelArrays, voxel_of, voxels_beside
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


@step_cost.register(VoxelArrays)
def _step_cost(graph, plan, state, vertex, place, slot, target):
    return NO_WAY if _squeezes(graph, plan, state, place, slot) else plan.steps[slot]


@inlined
def _squeezes(graph, plan, state, place, slot):
    """Return whether a move is known to squeeze past an invalid voxel although that is not allowed."""
    if graph.any_target or slot < FACES:
        return False
    for index in range(voxels_beside(slot)):
        if state.status[place[3] + graph.beside[slot, index]] == INVALID:
            return True
    # In a search by edges, the move may be known to be invalid although none of these voxels is.
    if len(state.edge_status) == 0:
        return False
    return state.edge_status[edge_number(graph, plan.degree, place[3], place, slot)] == INVALID_EDGE + 1


@reverse.register(VoxelArrays)
def _reverse(graph, plan, state, place, slot, target, source):
    opposite = slot ^ 1
    there = locate(graph, source)
    step = step_cost(graph, plan, state, source, there, opposite, target)
    return (NO_WAY if step == NO_WAY else step * multiplier_of(plan, there, opposite, target)), opposite


@bound_of.register(VoxelArrays)
def _bound_of(graph, plan, goal, vertex):
    """Start from the distance in an empty volume."""
    if plan.bounds[vertex] == 0:
        x, y, z = voxel_of(graph, vertex)
        to_x, to_y, to_z = voxel_of(graph, goal)
        dx, dy, dz = abs(x - to_x), abs(y - to_y), abs(z - to_z)
        plan.bounds[vertex] = UNIT * _empty_distance(graph, plan, dx + dy + dz, max(dx, dy, dz), min(dx, dy, dz))
    return plan.bounds[vertex]


@inlined
def _empty_distance(graph, plan, total, largest, smallest):
    straight = plan.steps[0]
    if graph.connectivity == FACES:
        return straight * total
    diagonal = plan.steps[FACES]
    if graph.connectivity == CORNERS:
        middle = total - largest - smallest
        space = plan.steps[PLANES]
        return space * smallest + diagonal * (middle - smallest) + straight * (largest - middle)
    # Diagonal moves pair the axes; what cannot be paired is left to straight moves.
    paired = min(total - largest, total // 2)
    return diagonal * paired + straight * (total - 2 * paired)


@may_cut.register(VoxelArrays)
def _may_cut(graph, plan, vertex):
    epoch, place = plan.clock[EPOCH], locate(graph, vertex)
    for slot in range(blocked_around(graph)):
        beside = successor(graph, place, slot)
        if beside != NO_VERTEX and plan.confirmed[beside] == epoch:
            return True
    return plan.confirmed[vertex] == epoch


@blocked_around.register(VoxelArrays)
def _blocked_around(graph):
    """The ends of a move that squeezes past a voxel share a face with it, or in 26-connected volumes an edge."""
    if graph.any_target:
        return 0
    return PLANES if graph.connectivity == CORNERS else FACES


@remove_edge.register(VoxelArrays)
def _remove_edge(graph, plan, source, target):
    """Do nothing: the invalid voxels determine which moves are invalid."""
