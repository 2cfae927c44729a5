"""The eight families of the paper by name."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from sailplan.datasets.families.bugtraps import multiple_bugtraps, single_bugtrap
from sailplan.datasets.families.forest import forest
from sailplan.datasets.families.gaps import alternating_gaps, shifting_gaps
from sailplan.datasets.families.mazes import mazes
from sailplan.datasets.families.mixtures import bugtrap_forest, gaps_and_forest

Family = Callable[[tuple[int, int], np.random.Generator], NDArray[np.bool_]]
"""Draws what is blocked in a world of shape (height, width), bottom row first; start and goal are free."""

FAMILIES: dict[str, Family] = {
    "alternating_gaps": alternating_gaps,
    "single_bugtrap": single_bugtrap,
    "shifting_gaps": shifting_gaps,
    "forest": forest,
    "bugtrap_forest": bugtrap_forest,
    "gaps_and_forest": gaps_and_forest,
    "mazes": mazes,
    "multiple_bugtraps": multiple_bugtraps,
}

MAYBE_UNSOLVABLE = frozenset({"gaps_and_forest"})
"""The families whose real maps include some without a path (88 of the 800 training maps)."""
