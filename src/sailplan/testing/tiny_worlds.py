"""Worlds and problems drawn as text, which keeps tests readable."""

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
    """Create a world from a drawing.

    Parameters
    ----------
    picture
        Rows of characters separated by white space, the top row first: `#` is blocked; `.`, `S` and `G` are free.
    name
        The name of the world.

    Returns
    -------
    World
        A world with one cell per character.

    Raises
    ------
    WorldError
        If the rows differ in length or contain other characters.

    Examples
    --------
    >>> draw_world("..# ...")
    World('drawing', 3 x 2, 17% blocked)
    """
    rows = dedent(picture).split()
    if not rows or len({len(row) for row in rows}) != 1 or not set("".join(rows)) <= set(_FREE + _BLOCKED):
        raise WorldError(f"{name}: a drawing has rows of the same length made of # . S G")
    return World.from_image([[letter != _BLOCKED for letter in row] for row in rows], name=name)


def draw_problem(picture: str, moves: Moves = PAPER_MOVES) -> Problem:
    """Create a problem from a drawing.

    Parameters
    ----------
    picture
        A drawing as for `draw_world`, with one `S` (start) and one `G` (goal).
    moves
        The moves of the grid.

    Returns
    -------
    Problem
        A problem on a `GridGraph`.

    Raises
    ------
    WorldError
        If there is not one start and one goal, or the drawing is not a world.

    Examples
    --------
    >>> problem = draw_problem('''
    ...     ..G
    ...     S#.
    ... ''')
    >>> problem.states([problem.start, problem.goal])
    [(0, 0), (2, 1)]
    """
    rows = dedent(picture).split()[::-1]
    return grid_problem(draw_world(picture), _find(rows, "S"), _find(rows, "G"), moves)


def _find(rows: list[str], letter: str) -> Cell:
    cells = [(x, y) for y, row in enumerate(rows) for x, found in enumerate(row) if found == letter]
    if len(cells) != 1:
        raise WorldError(f"drawing: there must be one {letter}, found {len(cells)}")
    return cells[0]


def random_problem(rng: np.random.Generator, moves: Moves = PAPER_MOVES, largest: int = 20) -> Problem:
    """Create a problem on a random world of random shape, from the bottom-left to the top-right cell.

    Parameters
    ----------
    rng
        The source of randomness.
    moves
        The moves of the grid.
    largest
        Largest width and height.

    Returns
    -------
    Problem
        A problem with a free start and goal; there may be no path between them.

    Examples
    --------
    >>> problem = random_problem(np.random.default_rng(0), largest=5)
    >>> problem.start, problem.graph.vertex_count <= 25
    (0, True)
    """
    height, width = rng.integers(1, largest + 1, size=2)
    blocked = rng.random((height, width)) < rng.uniform(0.0, 0.5)
    blocked[0, 0] = blocked[-1, -1] = False
    return grid_problem(World(blocked, name="random"), moves=moves)
