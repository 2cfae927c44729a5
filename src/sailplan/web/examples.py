"""Example maps, drawn by code."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sailplan.graphs.grid.world import Cell, World

SIDE = 101
"""Width and height of every example."""

Cells = NDArray[np.bool_]


@dataclass(frozen=True)
class Example:
    """A map with a start and a goal."""

    title: str
    """The name on the page."""
    draw: Callable[[], Cells]
    """Draws the blocked cells, the bottom row first."""
    start: Cell = (5, 50)
    """Where the search begins."""
    goal: Cell = (95, 50)
    """Where it ends."""

    def world(self, name: str) -> World:
        """Return the map under a name."""
        return World(self.draw(), name=name)


def _empty() -> Cells:
    return np.zeros((SIDE, SIDE), bool)


def _office() -> Cells:
    """Rooms of 20 cells on both sides of two corridors, each with a door to its corridor and some to the next room."""
    blocked = _empty()
    for y in (20, 30, 50, 70, 80):
        blocked[y, :] = True
    for x in range(20, SIDE - 1, 20):
        blocked[:21, x] = blocked[30:71, x] = blocked[80:, x] = True
    for room, x in enumerate(range(0, SIDE - 1, 20)):
        for wall, y in enumerate((20, 30, 70, 80)):
            door = x + 4 + (7 * room + 5 * wall) % 11
            blocked[y, door : door + 3] = False
    for y, x in ((8, 20), (40, 40), (58, 80), (90, 60), (10, 80)):
        blocked[y : y + 3, x] = False
    blocked[50, 12:15] = blocked[50, 87:90] = False
    return blocked


def _bug_trap() -> Cells:
    """A box with a narrow entrance on the side of the start; its walls end inside, beside the entrance."""
    blocked = _empty()
    blocked[20:82, 78:81] = True
    blocked[20:23, 30:81] = blocked[79:82, 30:81] = True
    blocked[20:46, 30:33] = blocked[56:82, 30:33] = True
    blocked[43:46, 30:60] = blocked[56:59, 30:60] = True
    return blocked


def _spiral() -> Cells:
    """Walls that wind from the border to the centre, ten cells apart."""
    blocked = _empty()
    left, right, bottom, top = 10, 90, 10, 90
    blocked[bottom, :right] = True
    while right - left > 15:
        blocked[bottom : top + 1, right] = True
        blocked[top, left : right + 1] = True
        bottom += 10
        blocked[bottom : top + 1, left] = True
        blocked[bottom, left : right - 9] = True
        left, right, top = left + 10, right - 10, top - 10
    return blocked


def _two_gaps() -> Cells:
    """Two walls from side to side with a gap at opposite ends."""
    blocked = _empty()
    blocked[:, 33:36] = blocked[:, 66:69] = True
    blocked[92:97, 33:36] = blocked[4:9, 66:69] = False
    return blocked


EXAMPLES: dict[str, Example] = {
    "office": Example("Office: rooms with doors", _office, (5, 5), (95, 95)),
    "bug_trap": Example("Bug trap", _bug_trap, (40, 50), (95, 50)),
    "spiral": Example("Spiral", _spiral, (2, 2), (55, 55)),
    "two_gaps": Example("Two gaps", _two_gaps),
    "open": Example("Empty map", _empty),
}
"""The examples by name."""
