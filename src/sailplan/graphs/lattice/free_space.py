"""Exact costs between poses of a lattice without obstacles, in a window: lower bounds that consider headings."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from sailplan.core.graph import FloatArray
from sailplan.graphs.lattice.primitives import MotionPrimitives, turn_between

_ROUNDING = 1e-9
"""Share by which bounds are reduced, so that costs that are rounded differently do not exceed them."""
_EQUAL = 1e-12
"""Costs that differ by less than this share are rounded differently."""


@lru_cache(maxsize=16)
def free_space_costs(primitives: MotionPrimitives, reach: int) -> FloatArray:
    """Compute lower bounds of the cost from poses around a cell to each heading in this cell.

    With D the exact cost in a map without obstacles, and C the smallest D of a pose outside of the window, the bound is
    min(D, C). So it is consistent, also where a motion leaves the window: every pose outside of it has the bound C.

    Parameters
    ----------
    primitives
        The motions.
    reach
        The window holds the offsets -reach .. reach along both axes.

    Returns
    -------
    numpy.ndarray
        Shape (ends, headings, side, side): from the heading and the offset [y, x] to heading `end` in the centre. If
        the motions are the same after a quarter turn, the ends are a quarter of the headings; the others follow by
        rotation. The array cannot be written to.

    Examples
    --------
    >>> from sailplan.graphs.lattice.primitives import four_ways
    >>> four_ways([(1, 0, 0), (1, 1, 1)], resolution=1.0)
    MotionPrimitives('four ways', 4 headings, 8 primitives, cells of 1 m)
    >>> free_space_costs(four_ways([(1, 0, 0), (1, 1, 1)], resolution=1.0), 1)[0, 0].round(3).tolist()
    [[2.0, 2.0, 2.0], [1.0, 0.0, 2.0], [2.0, 2.0, 2.0]]
    """
    count, side = len(primitives.headings), 2 * reach + 1
    ends = count // 4 if _turns_by_quarters(primitives) else count
    costs = np.full((ends, count, side, side), math.inf)
    for end in range(ends):
        costs[end, end, reach, reach] = 0.0
    _relax_all(primitives, costs)
    leaving = _cost_of_leaving(primitives, costs)
    bounds: FloatArray = np.minimum(costs, leaving[:, None, None, None]) * (1.0 - _ROUNDING)
    bounds.flags.writeable = False
    return bounds


def _relax_all(primitives: MotionPrimitives, costs: FloatArray) -> None:
    """Lower the costs until no motion within the window lowers one (Bellman and Ford)."""
    changed = np.ones(len(primitives.headings), np.bool_)
    while changed.any():
        before, changed = changed, np.zeros_like(changed)
        for start, group in enumerate(primitives.by_heading):
            for one in group:
                if not (before[one.end] or changed[one.end]):
                    continue
                here, there = _overlap(one.offset, costs.shape[-1])
                through = costs[:, one.end][there] + one.cost
                if (through < costs[:, start][here]).any():
                    changed[start] = True
                    np.minimum(costs[:, start][here], through, out=costs[:, start][here])


def _overlap(offset: tuple[int, int], side: int) -> tuple[tuple[slice, ...], tuple[slice, ...]]:
    """Return the sources and the targets of a motion for which both are in the window."""
    sources, targets = [slice(None)], [slice(None)]
    for step in (offset[1], offset[0]):
        sources.append(slice(max(0, -step), max(0, min(side, side - step))))
        targets.append(slice(max(0, step), max(0, min(side, side + step))))
    return tuple(sources), tuple(targets)


def _cost_of_leaving(primitives: MotionPrimitives, costs: FloatArray) -> FloatArray:
    """Return the smallest cost from a pose outside of the window, from which one motion leads into it, to each end."""
    smallest = np.full(len(costs), math.inf)
    for group in primitives.by_heading:
        for one in group:
            _, there = _overlap(one.offset, costs.shape[-1])
            entered = costs[:, one.end].copy()
            entered[there] = math.inf
            np.minimum(smallest, entered.min(axis=(1, 2)) + one.cost, out=smallest)
    return smallest


def _turns_by_quarters(primitives: MotionPrimitives) -> bool:
    """Return whether the motions are the same after a turn of headings and offsets by a quarter."""
    count = len(primitives.headings)
    if count % 4:
        return False
    quarter = count // 4
    for number, angle in enumerate(primitives.headings):
        turned = primitives.headings[(number + quarter) % count]
        if abs(turn_between(angle, turned) - math.pi / 2.0) > _ROUNDING:
            return False
    costs = {(one.start, one.end, *one.offset): one.cost for group in primitives.by_heading for one in group}
    for (start, end, x, y), cost in costs.items():
        turned = costs.get(((start + quarter) % count, (end + quarter) % count, -y, x), math.inf)
        if not math.isclose(turned, cost, rel_tol=_EQUAL):
            return False
    return True
