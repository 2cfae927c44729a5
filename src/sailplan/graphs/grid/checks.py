"""Checks of what users pass as cells, maps and costs: each failure is one clear line."""

from __future__ import annotations

from collections.abc import Mapping, Set
from operator import index
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from sailplan.errors import ProblemError, WorldError

Cell: TypeAlias = tuple[int, int]
"""A cell (x, y); x points right, y points up, (0, 0) is the bottom-left cell."""

Unknown: TypeAlias = Literal["free", "blocked"]
"""What the unknown cells of a map count as."""


def as_cell(cell: Any, role: str = "cell") -> Cell:
    """Return a cell as two Python integers, whatever integer types it is given in.

    Raises
    ------
    ProblemError
        If it is not a pair of integers.

    Examples
    --------
    >>> as_cell(np.array([200, 201], np.uint8))
    (200, 201)
    """
    try:
        if isinstance(cell, Set | Mapping):
            raise TypeError("no order")
        x, y = cell
        if isinstance(x, bool) or isinstance(y, bool):
            raise TypeError("a flag")
        return index(x), index(y)
    except (TypeError, ValueError) as error:
        raise ProblemError(f"the {role} must be a pair of integers (x, y), got {shown(cell)}") from error


def check_unknown(unknown: Unknown) -> Unknown:
    """Return the argument if it is "free" or "blocked"; raise WorldError otherwise."""
    if unknown not in get_args(Unknown):
        raise WorldError(f'unknown must be "free" or "blocked", got {shown(unknown)}')
    return unknown


def shown(value: object) -> str:
    """Return a short text of a value on one line, for messages."""
    if isinstance(value, np.ndarray):
        return described(value)
    text = " ".join(repr(value).split())
    return text if len(text) <= 60 else text[:57] + "..."


def as_grid(given: Any, name: str) -> NDArray[Any]:
    """Return a two-dimensional array that is not empty."""
    try:
        array = np.asarray(given)
    except ValueError as error:
        raise WorldError(f"{name}: a world needs rows of equal length") from error
    if array.ndim != 2 or array.size == 0:
        raise WorldError(f"{name}: a world needs two dimensions and a cell, got shape {array.shape}")
    return array


def described(array: NDArray[Any]) -> str:
    """Return the type and shape of an array, for messages."""
    return f"an array of {array.dtype} of shape {array.shape}"


def wrong_type(array: NDArray[Any]) -> str:
    """Say which constructor takes an array that is not boolean."""
    advice = {
        "f": "for terrain costs use costs=",
        "i": "use World.from_image for 0 and 1, where 1 is free",
        "u": "use World.from_gray for gray values, or World.from_image for 0 and 1, where 1 is free",
    }.get(array.dtype.kind, "use a boolean array")
    return f"blocked must be a boolean array, got {array.dtype}; {advice}"


def checked_costs(given: Any, shape: tuple[int, ...], name: str) -> NDArray[np.float64]:
    """Return terrain costs as floats, finite and at least 1."""
    costs = np.asarray(given)
    if costs.shape != shape:
        raise WorldError(f"{name}: costs need the shape of the map {shape}, got {costs.shape}")
    if costs.dtype.kind not in "iuf":
        raise WorldError(f"{name}: costs must be numbers, got {costs.dtype}")
    costs = costs.astype(np.float64)
    bad = ~((costs >= 1.0) & (costs < np.inf))
    if bad.any():
        y, x = np.unravel_index(int(bad.argmax()), shape)
        raise WorldError(f"{name}: costs must be finite and at least 1, got {costs[y, x]} at cell ({x}, {y})")
    return costs


def frozen(array: NDArray[Any]) -> NDArray[Any]:
    """Return a copy that cannot be written to."""
    copy = np.array(array, order="C")
    copy.flags.writeable = False
    return copy
