"""Whether a free path joins two cells of a grid."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sailplan.core.kernel.compile import kernel


def connected(blocked: NDArray[np.bool_], start_x: int, start_y: int, goal_x: int, goal_y: int) -> bool:
    """Whether 8-connected moves lead from start to goal; a diagonal needs only its target free."""
    if blocked[start_y, start_x] or blocked[goal_y, goal_x]:
        return False
    waiting = np.empty(blocked.size, dtype=np.int64)
    return bool(_flood(blocked.copy(), waiting, start_x, start_y, goal_x, goal_y))


@kernel
def _flood(seen, waiting, start_x, start_y, goal_x, goal_y):
    """Spread from the start until the goal is seen or nothing waits; blocked cells count as seen."""
    height, width = seen.shape
    seen[start_y, start_x] = True
    waiting[0] = start_y * width + start_x
    count = 1
    while count > 0 and not seen[goal_y, goal_x]:
        count -= 1
        y, x = waiting[count] // width, waiting[count] % width
        for near_y in range(max(y - 1, 0), min(y + 2, height)):
            for near_x in range(max(x - 1, 0), min(x + 2, width)):
                if not seen[near_y, near_x]:
                    seen[near_y, near_x] = True
                    waiting[count] = near_y * width + near_x
                    count += 1
    return seen[goal_y, goal_x]
