"""Worlds drawn as text, so that a failing test can be read."""

from __future__ import annotations

from textwrap import dedent

import numpy as np

from sailplan.core.graph import Problem
from sailplan.errors import WorldError
from sailplan.graphs.grid.graph import PAPER_MOVES, Moves, grid_problem
from sailplan.graphs.grid.world import Cell, World

_FREE = ".SG"
_BLOCKED = "#"


def draw_world(picture: str, *, name: str = "drawing") -> World:
    """Read a world from a picture, top row first: `#` is blocked; `.`, `S` and `G` are free."""
    rows = dedent(picture).split()
    if not rows or len({len(row) for row in rows}) != 1 or not set("".join(rows)) <= set(_FREE + _BLOCKED):
        raise WorldError(f"{name}: a drawing has rows of the same length made of # . S G")
    return World.from_image([[letter != _BLOCKED for letter in row] for row in rows], name=name)


def draw_problem(picture: str, moves: Moves = PAPER_MOVES) -> Problem:
    """Read a problem from a picture with one `S` (start) and one `G` (goal)."""
    rows = dedent(picture).split()[::-1]
    return grid_problem(draw_world(picture), _find(rows, "S"), _find(rows, "G"), moves)


def _find(rows: list[str], letter: str) -> Cell:
    cells = [(x, y) for y, row in enumerate(rows) for x, found in enumerate(row) if found == letter]
    if len(cells) != 1:
        raise WorldError(f"drawing: there must be one {letter}, found {len(cells)}")
    return cells[0]


def random_problem(rng: np.random.Generator, moves: Moves = PAPER_MOVES, largest: int = 20) -> Problem:
    """A problem on a random world of a random shape, from the bottom-left to the top-right cell."""
    height, width = rng.integers(1, largest + 1, size=2)
    blocked = rng.random((height, width)) < rng.uniform(0.0, 0.5)
    blocked[0, 0] = blocked[-1, -1] = False
    return grid_problem(World(blocked, name="random"), moves=moves)
