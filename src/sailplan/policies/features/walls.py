"""The detours that known walls force on the straight line to the goal; see `graphs/grid/kernel/walls.py`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sailplan.core.compiled_engine import allocate_search
from sailplan.core.graph import FloatArray, Problem
from sailplan.core.policy import CompiledForm
from sailplan.core.state import SearchState
from sailplan.errors import FeatureError
from sailplan.graphs.grid.graph import GridGraph
from sailplan.policies.features.feature import NamedColumns, allocate_features
from sailplan.policies.features.kernel import COLUMNS, WALL_COLUMNS, fill_rows, note_all_invalid


def _columns(problem: Problem, state: SearchState, vertices: Sequence[int]) -> FloatArray:
    """Compute the columns with the kernel; the only other implementation is in the tests."""
    graph = problem.graph
    if not isinstance(graph, GridGraph):
        raise FeatureError(f"{problem.name}: walls need a grid")
    features = allocate_features([COLUMNS.index(name) for name in WALL_COLUMNS])
    search = allocate_search(graph, problem, CompiledForm(features, needs_walls=True), state)
    note_all_invalid(search)
    rows = np.empty((len(vertices), len(WALL_COLUMNS)))
    fill_rows(search, features, np.asarray(vertices, np.int64), rows)
    return rows


WALLS = NamedColumns(WALL_COLUMNS, _columns, needs_grid=True)
"""The empty-grid distance to the goal, the sum of the detours around all walls on the straight line, the detours around
the first wall to its left and to its right, and the distance to it; in units of the distance from start to goal."""
