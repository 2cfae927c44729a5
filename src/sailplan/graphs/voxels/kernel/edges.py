"""Edges of a voxel graph, computed from its voxels: targets, costs and verdicts."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import uint32
from numpy.typing import NDArray

from sailplan.core.kernel.arrays import INVALID_EDGE, INVALID_TARGET, NO_VERTEX, VALID_EDGE, VALID_TARGET
from sailplan.core.kernel.compile import inlined
from sailplan.core.kernel.edges import (
    PLANE_DIAGONAL,
    combine,
    distance,
    edge_cost,
    locate,
    position,
    slot_count,
    successor,
    verdict,
)

FACES, PLANES, CORNERS = 6, 18, 26
"""The slots below these numbers are straight moves, moves with up to two and with up to three components."""


class VoxelArrays(NamedTuple):
    """A volume whose edges are implied by its voxels; vertex = (x * size_y + y) * size_z + z."""

    blocked: NDArray[np.bool_]
    """Shape (size_x * size_y * size_z,)."""
    size_x: int
    size_y: int
    size_z: int
    connectivity: int
    """6, 18 or 26."""
    any_target: bool
    """Whether every move into a free voxel is valid: with corner cutting, or without diagonal moves."""
    steps: NDArray[np.int64]
    """Shape (26, 4): the differences of x, y and z, and of the vertex, for each slot."""
    costs: NDArray[np.float64]
    """The cost of the move in each slot."""
    beside: NDArray[np.int64]
    """Shape (26, 6): the voxels that the move in each slot squeezes past, as differences of the vertex."""


@inlined
def voxel_of(graph, vertex):
    """Return the voxel (x, y, z) of a vertex."""
    # Division of unsigned 32-bit integers takes a fraction of the time of signed 64-bit ones.
    column = uint32(vertex) // uint32(graph.size_z)
    x = column // uint32(graph.size_y)
    z = uint32(vertex) - column * uint32(graph.size_z)
    return np.int64(x), np.int64(column - x * uint32(graph.size_y)), np.int64(z)


@inlined
def voxels_beside(slot):
    """Return the number of voxels that the move in a slot squeezes past."""
    if slot < FACES:
        return 0
    return 2 if slot < PLANES else 6


@inlined
def _outside(number, size):
    """Return whether `number` is outside 0 .. size - 1, in one unsigned comparison."""
    return np.int64(number).view(np.uint64) >= np.int64(size).view(np.uint64)


@locate.register(VoxelArrays)
def _locate(graph, vertex):
    x, y, z = voxel_of(graph, vertex)
    return x, y, z, np.int64(vertex)


@slot_count.register(VoxelArrays)
def _slot_count(graph, place):
    return graph.connectivity


@successor.register(VoxelArrays)
def _successor(graph, place, slot):
    step = graph.steps[slot]
    if (
        _outside(place[0] + step[0], graph.size_x)
        or _outside(place[1] + step[1], graph.size_y)
        or _outside(place[2] + step[2], graph.size_z)
    ):
        return np.int64(NO_VERTEX)
    return np.int64(uint32(place[3] + step[3]))


@edge_cost.register(VoxelArrays)
def _edge_cost(graph, place, slot, target):
    return graph.costs[slot]


@verdict.register(VoxelArrays)
def _verdict(graph, place, slot, target):
    if graph.blocked[target]:
        return INVALID_TARGET
    if graph.any_target:
        return VALID_TARGET
    for index in range(voxels_beside(slot)):
        if graph.blocked[place[3] + graph.beside[slot, index]]:
            return INVALID_EDGE
    return VALID_EDGE


@position.register(VoxelArrays)
def _position(graph, vertex):
    x, y, _ = voxel_of(graph, vertex)
    return float(x), float(y)


@distance.register(VoxelArrays)
def _distance(graph, kind, vertex, other):
    x, y, z = voxel_of(graph, vertex)
    to_x, to_y, to_z = voxel_of(graph, other)
    dx, dy, dz = float(abs(x - to_x)), float(abs(y - to_y)), float(abs(z - to_z))
    squares = dx * dx + dy * dy + dz * dz
    return combine(kind, squares, dx + dy + dz, max(dx, dy, dz), min(dx, dy, dz), PLANE_DIAGONAL)
