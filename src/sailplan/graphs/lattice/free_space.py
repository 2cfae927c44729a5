"""Exact costs between poses of a lattice without obstacles, in a window: lower bounds that consider headings."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from sailplan.core.graph import FloatArray
from sailplan.graphs.lattice.primitives import FULL_TURN, MotionPrimitives, turn_between

_ROUNDING = 1e-9
"""Share by which bounds are reduced, so that costs that are rounded differently do not exceed them."""
_EQUAL = 1e-12
"""Costs that differ by less than this share are rounded differently."""


class FreeSpace(NamedTuple):
    """Lower bounds of costs, from poses in a window around a cell and from poses outside of it."""

    costs: FloatArray
    """Shape (ends, headings, side, side): from the heading and the offset [y, x] to heading `end` in the centre."""
    outside: FloatArray
    """Shape (ends,): from a pose outside of the window."""


@lru_cache(maxsize=16)
def free_space_costs(primitives: MotionPrimitives, reach: int) -> FreeSpace:
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
    FreeSpace
        The bounds. If the motions are the same after a quarter turn, the ends are a quarter of the headings, and the
        others follow by rotation.

    Examples
    --------
    >>> from sailplan.graphs.lattice.primitives import four_ways
    >>> free_space_costs(four_ways([(1, 0, 0), (1, 1, 1)], resolution=1.0), 1).costs[0, 0].round(3).tolist()
    [[2.0, 2.0, 2.0], [1.0, 0.0, 2.0], [2.0, 2.0, 2.0]]
    """
    count, side = len(primitives.headings), 2 * reach + 1
    ends = count // 4 if _turns_by_quarters(primitives) else count
    costs = np.full((ends, count, side, side), math.inf)
    for end in range(ends):
        costs[end, end, reach, reach] = 0.0
    _relax_all(primitives, costs)
    leaving = _cost_of_leaving(primitives, costs)
    bounds = FreeSpace(np.minimum(costs, leaving[:, None, None, None]) * (1.0 - _ROUNDING), leaving * (1.0 - _ROUNDING))
    for array in bounds:
        array.flags.writeable = False
    return bounds


def offset_rates(primitives: MotionPrimitives) -> FloatArray:
    """Compute rows (x, y) such that the cost of any path is at least its offset in cells times each row.

    The motions divided by their costs are points that the robot reaches at cost 1. Each side of their convex hull that
    does not pass through the origin gives a row: the cost at which the side is reached. If there are fewer than three
    such sides, rows for the smallest cost per metre in 32 directions are added.

    Examples
    --------
    >>> from sailplan.graphs.lattice.primitives import four_ways
    >>> offset_rates(four_ways([(1, 0, 0)], resolution=1.0)).round(3).tolist()
    [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]]
    """
    points = {(one.offset[0] / one.cost, one.offset[1] / one.cost) for one in primitives.primitives}
    corners = _convex_hull([*points, (0.0, 0.0)])
    rows = []
    for (x, y), (to_x, to_y) in zip(corners, [*corners[1:], *corners[:1]], strict=True):
        area = x * to_y - to_x * y
        if area > _ROUNDING * math.hypot(x, y) * math.hypot(to_x, to_y):
            rows.append(((to_y - y) / area, (x - to_x) / area))
    if len(rows) < 3:
        rate = primitives.cost_per_metre * primitives.resolution
        rows += [(rate * math.cos(angle), rate * math.sin(angle)) for angle in np.linspace(0.0, FULL_TURN, 33)[:-1]]
    rates: FloatArray = np.array(rows) * (1.0 - _ROUNDING)
    return rates


def _convex_hull(points: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Return the corners of the convex hull, counter-clockwise (Andrew)."""
    hull: list[tuple[float, float]] = []
    ordered = sorted(set(points))
    for half in (ordered, ordered[::-1]):
        first = len(hull)
        for x, y in half:
            while len(hull) > first + 1:
                (a, b), (c, d) = hull[-2:]
                if (c - a) * (y - b) - (d - b) * (x - a) > 0.0:
                    break
                hull.pop()
            hull.append((x, y))
        hull.pop()
    return hull


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
