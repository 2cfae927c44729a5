from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pytest

from sailplan.core import SearchState
from sailplan.core.graph import FloatArray
from sailplan.errors import FeatureError
from sailplan.graphs import Problem
from sailplan.policies.features import PRESETS, FeatureSet, Patch, feature_set
from sailplan.policies.features.absolute import COST, POSITION
from sailplan.testing import draw_problem


@dataclass(frozen=True)
class Constant:
    """The same numbers for all, of a shape that may be wrong."""

    shape: tuple[int, ...]
    columns: tuple[str, ...] = ("one", "two")

    def __call__(self, problem: Problem, state: SearchState, vertices: Sequence[int]) -> FloatArray:
        return np.ones(self.shape)


PROBLEM = draw_problem("S..G")


def test_features_stand_side_by_side_in_the_order_given() -> None:
    state = SearchState(4)
    state.begin(0)
    both = FeatureSet((Constant((1, 2)), POSITION, COST))
    assert both.columns == ("one", "two", "x", "y", "g")
    assert both(PROBLEM, state, [0]).tolist() == [[1, 1, 0, 0, 0]]


def test_the_compiled_engine_needs_a_code_for_every_column() -> None:
    assert FeatureSet((Constant((1, 2)), POSITION)).kernel_columns is None
    for features in PRESETS.values():
        assert features.kernel_columns is not None
        assert len(set(features.kernel_columns)) == len(features.columns)


def test_rows_of_another_shape_are_refused() -> None:
    for shape in ((1, 2), (2,), (2, 3)):
        with pytest.raises(FeatureError, match=r"^Constant: shape .* for 2 vertices$"):
            FeatureSet((Constant(shape),))(PROBLEM, SearchState(4), [0, 1])


def test_a_set_needs_columns_with_names_of_their_own() -> None:
    with pytest.raises(FeatureError, match="needs a column"):
        FeatureSet(())
    with pytest.raises(FeatureError, match=r"^twice: a column is named twice$"):
        FeatureSet((POSITION, POSITION), "twice")


def test_the_unit_of_costs() -> None:
    assert feature_set("paper17").span(PROBLEM) == 1.0
    assert feature_set("relative").span(PROBLEM) == 3.0
    assert feature_set("relative").span(Problem(PROBLEM.graph, 2, 2)) == 1.0


def test_how_many_columns_are_cells() -> None:
    assert [PRESETS[name].patch_columns for name in ("paper17", "relative", "patch")] == [0, 0, 121]
    assert FeatureSet((POSITION, Patch(1))).patch_columns == 9
