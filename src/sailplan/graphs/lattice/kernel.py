"""Edges of a lattice, computed from motion primitives: targets, costs, verdicts and lower bounds of costs."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import uint32
from numpy.typing import NDArray

from sailplan.core.kernel.arrays import INVALID_EDGE, INVALID_TARGET, NO_VERTEX, VALID_EDGE
from sailplan.core.kernel.compile import inlined
from sailplan.core.kernel.edges import (
    PLANE_DIAGONAL,
    combine,
    distance,
    edge_cost,
    locate,
    lower_bound,
    position,
    slot_count,
    successor,
    verdict,
)


class LatticeArrays(NamedTuple):
    """A lattice over the cells of a map: vertex = (y * width + x) * headings + heading.

    The slots of heading h are numbers first[h] .. first[h + 1] - 1 of the arrays below.
    """

    width: int
    height: int
    headings: int
    resolution: float
    """Side of a cell in metres."""
    first: NDArray[np.int64]
    steps: NDArray[np.int64]
    """Rows (x, y, heading): the offset of the target in cells, and its heading."""
    costs: NDArray[np.float64]
    blocked: NDArray[np.bool_]
    """The cells of the map with a blocked margin, as wide as the farthest cell that a motion may touch."""
    stride: int
    """Cells in a row of `blocked`."""
    margin: int
    ranges: NDArray[np.int64]
    """Rows (first, middle, end) of `cells`: what the motion in a slot touches. Up to `middle` these are the cells of
    the footprint at the end of the motion."""
    cells: NDArray[np.int64]
    """Offsets in `blocked` from the cell of the vertex."""
    rates: NDArray[np.float64]
    """Rows (x, y): no motion costs less than its offset in cells times any row."""
    free_costs: NDArray[np.float64]
    """Shape (ends, headings, side, side): lower bounds of the cost to heading `end` in the centre, from the heading
    and the offset [y, x]. The ends are all headings, or the first quarter of them; see `free_space.py`."""
    outside: NDArray[np.float64]
    """The same from offsets outside of the window, for each end."""


@inlined
def lattice_pose(graph, vertex):
    """Return the cell and the heading (x, y, heading) of a vertex."""
    # Division of unsigned 32-bit integers takes a fraction of the time of signed 64-bit ones.
    cell = np.int64(uint32(vertex) // uint32(graph.headings))
    y = np.int64(uint32(cell) // uint32(graph.width))
    return cell - y * graph.width, y, np.int64(vertex) - cell * graph.headings


@locate.register(LatticeArrays)
def _locate(graph, vertex):
    return lattice_pose(graph, vertex)


@slot_count.register(LatticeArrays)
def _slot_count(graph, place):
    return graph.first[place[2] + 1] - graph.first[place[2]]


@successor.register(LatticeArrays)
def _successor(graph, place, slot):
    step = graph.first[place[2]] + slot
    x, y = place[0] + graph.steps[step, 0], place[1] + graph.steps[step, 1]
    if x < 0 or y < 0 or x >= graph.width or y >= graph.height:
        return NO_VERTEX
    return np.int64((y * graph.width + x) * graph.headings + graph.steps[step, 2])


@edge_cost.register(LatticeArrays)
def _edge_cost(graph, place, slot, target):
    return graph.costs[graph.first[place[2]] + slot]


@verdict.register(LatticeArrays)
def _verdict(graph, place, slot, target):
    step = graph.first[place[2]] + slot
    here = (place[1] + graph.margin) * graph.stride + place[0] + graph.margin
    middle = graph.ranges[step, 1]
    for index in range(graph.ranges[step, 0], middle):
        if graph.blocked[here + graph.cells[index]]:
            return INVALID_TARGET
    for index in range(middle, graph.ranges[step, 2]):
        if graph.blocked[here + graph.cells[index]]:
            return INVALID_EDGE
    return VALID_EDGE


@position.register(LatticeArrays)
def _position(graph, vertex):
    x, y, _ = lattice_pose(graph, vertex)
    return x * graph.resolution, y * graph.resolution


@distance.register(LatticeArrays)
def _distance(graph, kind, vertex, other):
    x, y = position(graph, vertex)
    other_x, other_y = position(graph, other)
    dx, dy = abs(x - other_x), abs(y - other_y)
    return combine(kind, dx * dx + dy * dy, dx + dy, max(dx, dy), 0.0, PLANE_DIAGONAL)


@lower_bound.register(LatticeArrays)
def _lower_bound(graph, vertex, other):
    """Return the larger of two bounds in a map without obstacles: of the offset alone, and from the table."""
    x, y, heading = lattice_pose(graph, vertex)
    other_x, other_y, end = lattice_pose(graph, other)
    right, up = other_x - x, other_y - y
    bound = 0.0
    for row in range(len(graph.rates)):
        bound = max(bound, graph.rates[row, 0] * right + graph.rates[row, 1] * up)
    ends, reach = graph.free_costs.shape[0], graph.free_costs.shape[2] // 2
    turns = end // ends
    end -= turns * ends
    if max(abs(right), abs(up)) > reach:
        return max(bound, graph.outside[end])
    # Seen from the other vertex, and turned back until its heading is among the ends.
    right, up = -right, -up
    for _ in range(turns):
        right, up = up, -right
        heading -= ends
    heading %= graph.headings
    return max(bound, graph.free_costs[end, heading, up + reach, right + reach])
