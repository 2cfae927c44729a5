"""Edges between configurations, checked in the order of bisection."""

from __future__ import annotations

from sailplan.core.kernel.compile import inlined, kernel, piece
from sailplan.robots.kernel.collision import is_valid


@inlined
def _midpoint(count, level, part):
    """Return the middle of part `part` of 0 .. count after `level` halvings; 0 if nothing is between its ends."""
    low, high = 0, count
    for bit in range(level - 1, -1, -1):
        middle = (low + high) // 2
        if (part >> bit) & 1:
            low = middle
        else:
            high = middle
    return (low + high) // 2 if high - low > 1 else 0


@inlined
def _interpolate(start, difference, share, configuration):
    for joint in range(len(configuration)):
        configuration[joint] = start[joint] + share * difference[joint]


@piece
def _edge_is_valid(arm, scene, pose, start, difference, count, endpoints, configuration, checked):
    """Check one edge: its ends if asked, then count - 1 points between them in the order of bisection."""
    for end in range(2 if endpoints else 0):
        _interpolate(start, difference, 1.0 - end, configuration)
        checked[0] += 1
        if not is_valid(arm, scene, pose, configuration):
            return False
    left, level = count - 1, 0
    while left > 0:
        for part in range(1 << level):
            middle = _midpoint(count, level, part)
            if middle > 0:
                left -= 1
                _interpolate(start, difference, middle / count, configuration)
                checked[0] += 1
                if not is_valid(arm, scene, pose, configuration):
                    return False
        level += 1
    return True


@kernel
def check_edges(arm, scene, pose, starts, differences, counts, endpoints, configuration, checked, valid):
    """Check edges, one row each; `checked[0]` counts the configurations."""
    for row in range(len(starts)):
        valid[row] = _edge_is_valid(
            arm, scene, pose, starts[row], differences[row], counts[row], endpoints, configuration, checked
        )
