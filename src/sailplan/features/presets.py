"""The feature sets by name."""

from __future__ import annotations

from sailplan.errors import FeatureError
from sailplan.features.feature import FeatureSet
from sailplan.features.goal import EUCLIDEAN, GOAL, MANHATTAN
from sailplan.features.obstacles import OBSTACLES
from sailplan.features.patch import Patch
from sailplan.features.relative import (
    DONE,
    LEFT,
    RELATIVE_COST,
    RELATIVE_DEPTH,
    RELATIVE_EUCLIDEAN,
    RELATIVE_MANHATTAN,
    RELATIVE_OBSTACLES,
)
from sailplan.features.tree import COST, DEPTH, POSITION
from sailplan.features.walls import WALLS

WALL_WEIGHT = 3.0
"""What a detour round known walls counts in the first guess: going round uncovers more wall. Chosen on train maps."""

_RELATIVE = (
    DONE,
    RELATIVE_COST,
    RELATIVE_EUCLIDEAN,
    RELATIVE_MANHATTAN,
    RELATIVE_DEPTH,
    LEFT,
    RELATIVE_OBSTACLES,
)

PRESETS: dict[str, FeatureSet] = {
    "paper17": FeatureSet(
        (POSITION, COST, EUCLIDEAN, MANHATTAN, DEPTH, GOAL, OBSTACLES), "paper17", "cells", estimate=(("h_euc", 1.0),)
    ),
    "relative": FeatureSet(_RELATIVE, "relative", "span", estimate=(("relative_h_euc", 1.0),)),
    "walls": FeatureSet(
        (*_RELATIVE, WALLS), "walls", "span", estimate=(("relative_h_oct", 1.0), ("wall_detour", WALL_WEIGHT))
    ),
    "patch": FeatureSet((*_RELATIVE, Patch()), "patch", "span", estimate=(("relative_h_euc", 1.0),)),
}


def feature_set(name: str) -> FeatureSet:
    """The feature set of that name."""
    if name not in PRESETS:
        raise FeatureError(f"no feature set {name!r}; there are {', '.join(PRESETS)}")
    return PRESETS[name]
