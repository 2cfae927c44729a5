"""The arrays of a lattice for kernels: motions by heading, and the cells that each of them touches."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sailplan.core.graph import FloatArray
from sailplan.graphs.grid.world import World
from sailplan.graphs.lattice.footprint import Cells, Footprint
from sailplan.graphs.lattice.free_space import free_space_costs, offset_rates
from sailplan.graphs.lattice.kernel import LatticeArrays
from sailplan.graphs.lattice.primitives import MotionPrimitive, MotionPrimitives

MOST_REACH = 60
"""Largest offset, in cells, in the table of costs without obstacles."""


@dataclass(frozen=True, eq=False)
class Motion:
    """A primitive with the cells that it touches, as offsets from the cell of its start."""

    primitive: MotionPrimitive
    end_cells: Cells
    """The cells of the footprint at the end."""
    other_cells: Cells
    """The other cells that the robot touches along the motion."""


def build_motions(primitives: MotionPrimitives, footprint: Footprint, conservative: bool) -> list[list[Motion]]:
    """Return the motions of each heading, with the cells that the footprint sweeps over."""
    standing = standing_cells(primitives, footprint)
    resolution = primitives.resolution
    motions: list[list[Motion]] = []
    for group in primitives.by_heading:
        motions.append([])
        for one in group:
            swept = footprint.sweep(one.poses, resolution, conservative=conservative)
            ends = standing[one.end] + np.array(one.offset)
            known = set(map(tuple, ends.tolist()))
            others = [cell for cell in swept.tolist() if tuple(cell) not in known]
            motions[-1].append(Motion(one, ends, np.array(others, np.int64).reshape(-1, 2)))
    return motions


def standing_cells(primitives: MotionPrimitives, footprint: Footprint) -> list[Cells]:
    """Return the cells that the robot covers at each heading in the centre of cell (0, 0)."""
    return [footprint.cells((0.0, 0.0, angle), primitives.resolution) for angle in primitives.headings]


def forward_arrays(world: World, primitives: MotionPrimitives, motions: list[list[Motion]]) -> LatticeArrays:
    """Return the arrays of a lattice."""
    # The cells are also needed from the other end of a motion.
    offsets = [
        np.abs(cells - shift).max(initial=0)
        for group in motions
        for motion in group
        for cells in (motion.end_cells, motion.other_cells)
        for shift in ((0, 0), motion.primitive.offset)
    ]
    margin = int(max(offsets, default=0))
    blocked = np.pad(world.blocked, margin, constant_values=True)
    reach = min(MOST_REACH, max(world.width, world.height) - 1)
    free = free_space_costs(primitives, reach)
    arrays = LatticeArrays(
        width=world.width,
        height=world.height,
        headings=len(primitives.headings),
        resolution=primitives.resolution,
        first=np.empty(0, np.int64),
        steps=np.empty((0, 3), np.int64),
        costs=np.empty(0),
        blocked=blocked.reshape(-1),
        stride=blocked.shape[1],
        margin=margin,
        ranges=np.empty((0, 3), np.int64),
        cells=np.empty(0, np.int64),
        rates=offset_rates(primitives),
        free_costs=free.costs,
        outside=free.outside,
    )
    groups = [
        [_Slot((*one.offset, one.end), one.cost, motion, (0, 0)) for motion in group for one in [motion.primitive]]
        for group in motions
    ]
    return _with_slots(arrays, groups)


def reversed_arrays(arrays: LatticeArrays, motions: list[list[Motion]]) -> LatticeArrays:
    """Return the arrays with reversed edges: the slots of a heading are the motions that end there."""
    groups: list[list[_Slot]] = [[] for _ in motions]
    for group in motions:
        for motion in group:
            one, (x, y) = motion.primitive, motion.primitive.offset
            groups[one.end].append(_Slot((-x, -y, one.start), one.cost, motion, (x, y)))
    return _with_slots(arrays, groups)


@dataclass(frozen=True, eq=False)
class _Slot:
    """An edge of a heading: its step (x, y, heading), its cost, and its motion seen from a cell of it."""

    step: tuple[int, int, int]
    cost: float
    motion: Motion
    seen_from: tuple[int, int]


def _with_slots(arrays: LatticeArrays, groups: list[list[_Slot]]) -> LatticeArrays:
    slots = [slot for group in groups for slot in group]
    parts, ranges = [], np.zeros((len(slots), 3), np.int64)
    first = 0
    for number, slot in enumerate(slots):
        motion = slot.motion
        middle, end = first + len(motion.end_cells), first + len(motion.end_cells) + len(motion.other_cells)
        ranges[number] = first, middle, end
        parts.append(np.concatenate([motion.end_cells, motion.other_cells]) - np.array(slot.seen_from))
        first = end
    offsets: NDArray[np.int64] = np.concatenate(parts)
    return arrays._replace(
        first=np.cumsum([0, *map(len, groups)]).astype(np.int64),
        steps=np.array([slot.step for slot in slots], np.int64),
        costs=_costs(slots),
        ranges=ranges,
        cells=np.ascontiguousarray(offsets[:, 1] * arrays.stride + offsets[:, 0]),
    )


def _costs(slots: list[_Slot]) -> FloatArray:
    return np.array([slot.cost for slot in slots])
