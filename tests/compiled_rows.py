"""The features that the kernels compute in the state of a search."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sailplan.core import SearchState
from sailplan.core.compiled_engine import allocate_search
from sailplan.core.graph import FloatArray, is_compiled
from sailplan.core.kernel.arrays import INVALID_VERTICES
from sailplan.core.kernel.compile import kernel
from sailplan.core.kernel.obstacles import note_invalid
from sailplan.core.policy import CompiledForm
from sailplan.core.problem import Problem
from sailplan.policies.features import FeatureSet
from sailplan.policies.features.kernel import allocate_features, fill_rows


@kernel
def _note_all(obstacles, graph, state):  # type: ignore[no-untyped-def]
    for number in range(state.counts[INVALID_VERTICES]):
        note_invalid(obstacles, graph, number, state.invalid[number])


def compiled_rows(features: FeatureSet, problem: Problem, state: SearchState, vertices: Sequence[int]) -> FloatArray:
    """Compute the columns of these vertices."""
    assert is_compiled(problem.graph)
    assert features.kernel_columns is not None
    columns = allocate_features(features.kernel_columns)
    search = allocate_search(problem, CompiledForm(columns, needs_obstacles=True, needs_walls=True), state)
    _note_all(search.obstacles, search.graph, state.arrays)
    rows = np.empty((len(vertices), len(features.columns)))
    fill_rows(search, columns, np.asarray(vertices, np.int64), rows)
    return rows
