"""The features that the kernels compute in the state of a search."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sailplan.core import SearchState
from sailplan.core.graph import FloatArray, is_compiled
from sailplan.core.problem import Problem
from sailplan.kernels.arrays import INVALID_VERTICES
from sailplan.kernels.compile import piece
from sailplan.kernels.features import allocate_features, fill_rows
from sailplan.kernels.obstacles import allocate_obstacles, note_invalid
from sailplan.policies.features import FeatureSet


@piece
def _note_all(obstacles, graph, state):  # type: ignore[no-untyped-def]
    for number in range(state.counts[INVALID_VERTICES]):
        note_invalid(obstacles, graph, number, state.invalid[number])  # type: ignore[no-untyped-call]


def compiled_rows(features: FeatureSet, problem: Problem, state: SearchState, vertices: Sequence[int]) -> FloatArray:
    """Compute the columns of these vertices."""
    assert is_compiled(problem.graph)
    assert features.kernel_columns is not None
    graph, columns = problem.graph.arrays(), allocate_features(features.kernel_columns)
    obstacles = allocate_obstacles(graph, True, True)
    _note_all(obstacles, graph, state.arrays)
    rows = np.empty((len(vertices), len(features.columns)))
    places = np.asarray(vertices, np.int64)
    fill_rows(graph, columns, obstacles, state.arrays, problem.start, problem.goal, places, rows)
    return rows
