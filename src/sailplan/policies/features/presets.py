"""The feature sets by name."""

from __future__ import annotations

from sailplan.policies.features.absolute import COST, DEPTH, EUCLIDEAN, GOAL, MANHATTAN, OBSTACLES, POSITION
from sailplan.policies.features.feature import PRESETS, FeatureSet
from sailplan.policies.features.patch import Patch
from sailplan.policies.features.relative import (
    DONE,
    LEFT,
    RELATIVE_COST,
    RELATIVE_DEPTH,
    RELATIVE_EUCLIDEAN,
    RELATIVE_MANHATTAN,
    RELATIVE_OBSTACLES,
)
from sailplan.policies.features.walls import WALLS

__all__ = ["PRESETS", "WALL_WEIGHT"]

WALL_WEIGHT = 3.0
"""Weight of detours around known walls in the initial estimate: detours uncover more walls. Chosen on train maps."""

_RELATIVE = (
    DONE,
    RELATIVE_COST,
    RELATIVE_EUCLIDEAN,
    RELATIVE_MANHATTAN,
    RELATIVE_DEPTH,
    LEFT,
    RELATIVE_OBSTACLES,
)

_SETS = (
    FeatureSet(
        (POSITION, COST, EUCLIDEAN, MANHATTAN, DEPTH, GOAL, OBSTACLES), "paper17", "cells", estimate=(("h_euc", 1.0),)
    ),
    FeatureSet(_RELATIVE, "relative", "span", estimate=(("relative_h_euc", 1.0),)),
    FeatureSet((*_RELATIVE, WALLS), "walls", "span", estimate=(("relative_h_oct", 1.0), ("wall_detour", WALL_WEIGHT))),
    FeatureSet((*_RELATIVE, Patch()), "patch", "span", estimate=(("relative_h_euc", 1.0),)),
)
for one in _SETS:
    PRESETS[one.name] = one
