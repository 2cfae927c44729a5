"""Rectangles written in the cells of the 201 x 201 maps of the paper, drawn on a grid of any shape."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

PAPER_SIDE = 201
"""Side of the maps in whose cells every family is written."""


def empty(shape: tuple[int, int]) -> NDArray[np.bool_]:
    """Return a grid of shape (height, width) without obstacles."""
    return np.zeros(shape, dtype=np.bool_)


def rectangle(shape: tuple[int, int], left: float, bottom: float, right: float, top: float) -> tuple[slice, slice]:
    """Index [y, x] of the cells from one corner to the other, both included, scaled to the shape.

    It is at least one cell wide and high. What lies outside is moved to the border, so that even a rectangle
    that lies outside altogether draws a line there: so do the maps of the paper.
    """
    height, width = shape
    return _scaled(bottom, top, height), _scaled(left, right, width)


def free_ends(blocked: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Clear the start (bottom left) and the goal (top right), which obstacles of a small grid may cover."""
    blocked[0, 0] = blocked[-1, -1] = False
    return blocked


def _scaled(first: float, last: float, length: int) -> slice:
    scale = length / PAPER_SIDE
    low = min(max(round(first * scale), 0), length - 1)
    end = min(max(round((last + 1) * scale), low + 1), length)
    return slice(low, end)
