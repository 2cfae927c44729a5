"""The distance transform of a grid, and a reachability test between two cells."""

from __future__ import annotations

from sailplan.core.kernel.compile import kernel
from sailplan.graphs.grid.kernel.edges import STEPS_X, STEPS_Y


@kernel
def measure_columns(blocked, distances, far):
    """Compute the distance of each cell to the nearest blocked cell of its column, `far` if there is none."""
    height, width = blocked.shape
    for y in range(height):
        for x in range(width):
            above = distances[y - 1, x] + 1 if y > 0 else far
            distances[y, x] = 0 if blocked[y, x] else min(above, far)
    for y in range(height - 2, -1, -1):
        for x in range(width):
            distances[y, x] = min(distances[y, x], distances[y + 1, x] + 1)


@kernel
def measure_rows(along_column, squares, sites, firsts):
    """Compute the squared distance of each cell: the minimum of (x - site)² + along_column[site]² over its row.

    `sites` and `firsts` are scratch arrays: the parabolas of the lower envelope, and the first x where each is lowest.
    """
    height, width = squares.shape
    for y in range(height):
        last = 0
        sites[0] = firsts[0] = 0
        for x in range(1, width):
            here = along_column[y, x] ** 2
            while last >= 0:
                site, first = sites[last], firsts[last]
                if (first - site) ** 2 + along_column[y, site] ** 2 <= (first - x) ** 2 + here:
                    break
                last -= 1
            if last < 0:
                last = 0
                sites[0], firsts[0] = x, 0
            else:
                site = sites[last]
                first = 1 + (x * x - site * site + here - along_column[y, site] ** 2) // (2 * (x - site))
                if first < width:
                    last += 1
                    sites[last], firsts[last] = x, first
        for x in range(width - 1, -1, -1):
            squares[y, x] = (x - sites[last]) ** 2 + along_column[y, sites[last]] ** 2
            if x == firsts[last]:
                last -= 1


@kernel
def reaches(closed, seen, waiting, start_x, start_y, goal_x, goal_y, directions, corner_cutting):
    """Return whether the goal is reachable through cells that are not closed; `seen` begins as a copy of `closed`."""
    height, width = closed.shape
    if closed[start_y, start_x] or closed[goal_y, goal_x]:
        return False
    seen[start_y, start_x] = True
    waiting[0] = start_y * width + start_x
    count = 1
    while count > 0 and not seen[goal_y, goal_x]:
        count -= 1
        y, x = waiting[count] // width, waiting[count] % width
        for slot in range(directions):
            to_x, to_y = x + STEPS_X[slot], y + STEPS_Y[slot]
            if not (0 <= to_x < width and 0 <= to_y < height) or seen[to_y, to_x]:
                continue
            if slot >= 4 and not corner_cutting and (closed[y, to_x] or closed[to_y, x]):
                continue
            seen[to_y, to_x] = True
            waiting[count] = to_y * width + to_x
            count += 1
    return seen[goal_y, goal_x]
