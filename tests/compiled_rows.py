"""The features that the kernels compute in the state of a search."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sailplan.core import SearchState
from sailplan.core.compiled_engine import allocate_search
from sailplan.core.graph import FloatArray, Problem, is_compiled
from sailplan.core.policy import CompiledForm
from sailplan.policies.features import FeatureSet
from sailplan.policies.features.feature import allocate_features
from sailplan.policies.features.kernel import fill_rows, note_all_invalid


def compiled_rows(features: FeatureSet, problem: Problem, state: SearchState, vertices: Sequence[int]) -> FloatArray:
    """Compute the columns of these vertices."""
    assert is_compiled(problem.graph)
    assert features.kernel_columns is not None
    columns = allocate_features(features.kernel_columns)
    form = CompiledForm(columns, needs_obstacles=True, needs_walls=True)
    search = allocate_search(problem.graph, problem, form, state)
    note_all_invalid(search)
    rows = np.empty((len(vertices), len(features.columns)))
    fill_rows(search, columns, np.asarray(vertices, np.int64), rows)
    return rows
