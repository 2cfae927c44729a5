"""The closest vertices known to be invalid: by straight-line distance, along x and along y.

Among equally close ones the first discovered counts. Before any is known, the vertex itself is taken for it, at
distance zero: a number that stands out would spoil the scaling of its column. Edges that are invalid by themselves,
between valid vertices, do not count.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sailplan.core.graph import FloatArray
from sailplan.core.problem import Problem
from sailplan.core.state import SearchState
from sailplan.policies.features.feature import NamedColumns, plane_coordinates

COLUMNS = tuple(
    f"obstacle{by}_{what}" for by in ("", "_by_x", "_by_y") for what in ("x", "y", "distance")
)  # (The paper prints the first distance as d_OBSX: a slip.)


def _closest(problem: Problem, state: SearchState, vertices: Sequence[int]) -> FloatArray:
    here = plane_coordinates(problem, vertices)
    if len(state.invalid) == 0:
        return np.tile(np.hstack([here, np.zeros((len(here), 1))]), 3)
    known = plane_coordinates(problem, state.invalid.tolist())
    dx, dy = np.abs(known[None, :, :] - here[:, None, :]).transpose(2, 0, 1)
    parts = []
    for distances in (np.sqrt(dx * dx + dy * dy), dx, dy):
        closest = distances.argmin(axis=1)
        parts += [known[closest], np.take_along_axis(distances, closest[:, None], axis=1)]
    return np.hstack(parts)


OBSTACLES = NamedColumns(COLUMNS, _closest)
"""Place and distance of each of the three."""
