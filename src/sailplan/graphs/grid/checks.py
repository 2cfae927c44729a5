"""Checks of terrain costs, and texts for messages about what users pass as cells, maps and costs."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sailplan.core.graph import LARGEST_NUMBER
from sailplan.errors import WorldError


def shown(value: object) -> str:
    """Return a short text of a value on one line, for messages."""
    if isinstance(value, np.ndarray):
        return described(value)
    text = " ".join(repr(value).split())
    return text if len(text) <= 60 else text[:57] + "..."


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
    """Return terrain costs as floats, at least 1 and at most `LARGEST_NUMBER`."""
    costs = np.asarray(given)
    if costs.shape != shape:
        raise WorldError(f"{name}: costs need the shape of the map {shape}, got {costs.shape}")
    if costs.dtype.kind not in "iuf":
        raise WorldError(f"{name}: costs must be numbers, got {costs.dtype}")
    costs = costs.astype(np.float64)
    bad = ~((costs >= 1.0) & (costs <= LARGEST_NUMBER))
    if bad.any():
        y, x = np.unravel_index(int(bad.argmax()), shape)
        at = f"got {costs[y, x]} at cell ({x}, {y})"
        raise WorldError(f"{name}: costs must be at least 1 and at most {LARGEST_NUMBER:g}, {at}")
    return costs
