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
        (POSITION, COST, EUCLIDEAN, MANHATTAN, DEPTH, GOAL, OBSTACLES), "paper17", "cells", estimate="h_euc"
    ),
    "relative": FeatureSet(_RELATIVE, "relative", "span", estimate="relative_h_euc"),
    "patch": FeatureSet((*_RELATIVE, Patch()), "patch", "span", estimate="relative_h_euc"),
}


def feature_set(name: str) -> FeatureSet:
    """The feature set of that name."""
    if name not in PRESETS:
        raise FeatureError(f"no feature set {name!r}; there are {', '.join(PRESETS)}")
    return PRESETS[name]
