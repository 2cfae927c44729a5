"""Where a vertex is, and how the search got there."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sailplan.core.graph import FloatArray
from sailplan.core.problem import Problem
from sailplan.core.state import SearchState
from sailplan.policies.features.feature import NamedColumns, plane_coordinates


def _cost(problem: Problem, state: SearchState, vertices: Sequence[int]) -> FloatArray:
    return state.cost[np.asarray(vertices, np.int64), None]


def _depth(problem: Problem, state: SearchState, vertices: Sequence[int]) -> FloatArray:
    return state.depth[np.asarray(vertices, np.int64), None].astype(np.float64)


POSITION = NamedColumns(("x", "y"), lambda problem, state, vertices: plane_coordinates(problem, vertices))
"""The coordinates of the vertex."""
COST = NamedColumns(("g",), _cost)
"""The cost of the best path found to it."""
DEPTH = NamedColumns(("depth",), _depth)
"""The number of edges on that path."""
