from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from sailplan.core import SearchState
from sailplan.core.graph import FloatArray
from sailplan.graphs import GridGraph, Problem
from sailplan.policies.features import PRESETS, FeatureSet
from sailplan.testing import check_features, check_regressor


class Column:
    """A feature whose numbers a test gives."""

    columns: tuple[str, ...] = ("one",)

    def __call__(self, problem: Problem, state: SearchState, vertices: Sequence[int]) -> FloatArray:
        return np.ones((len(vertices), 1))


class Clairvoyant(Column):
    def __call__(self, problem: Problem, state: SearchState, vertices: Sequence[int]) -> FloatArray:
        assert isinstance(problem.graph, GridGraph)
        return np.full((len(vertices), 1), float(problem.graph.world.blocked.sum()))


class Counting(Column):
    def __call__(self, problem: Problem, state: SearchState, vertices: Sequence[int]) -> FloatArray:
        return np.full((len(vertices), 1), float(len(vertices)))


class Infinite(Column):
    def __call__(self, problem: Problem, state: SearchState, vertices: Sequence[int]) -> FloatArray:
        return np.full((len(vertices), 1), np.inf)


class Flat(Column):
    def __call__(self, problem: Problem, state: SearchState, vertices: Sequence[int]) -> FloatArray:
        return np.ones(len(vertices))


class Nameless(Column):
    columns = ()


@pytest.mark.parametrize("name", PRESETS)
def test_the_presets_keep_the_contract(name: str) -> None:
    check_features(PRESETS[name])


def test_a_feature_that_keeps_the_contract() -> None:
    check_features(Column())
    check_features(FeatureSet((Column(),)))


@pytest.mark.parametrize(
    ("feature", "told"),
    [
        (Clairvoyant(), "has not seen"),
        (Counting(), "one vertex at a time"),
        (Infinite(), "not finite"),
        (Flat(), "shape"),
        (Nameless(), "named"),
    ],
)
def test_a_feature_that_breaks_it_is_found_out(feature: Column, told: str) -> None:
    with pytest.raises(AssertionError, match=told):
        check_features(feature)


class Line:
    """Least squares."""

    def fit(self, rows: FloatArray, values: FloatArray) -> None:
        self.weights = np.linalg.lstsq(rows, values, rcond=None)[0]

    def predict(self, rows: FloatArray) -> FloatArray:
        return np.asarray(rows @ self.weights)


class Mean(Line):
    def predict(self, rows: FloatArray) -> FloatArray:
        return np.zeros(len(rows))


class FirstOnly(Line):
    def fit(self, rows: FloatArray, values: FloatArray) -> None:
        if not hasattr(self, "weights"):
            super().fit(rows, values)


class Short(Line):
    def predict(self, rows: FloatArray) -> FloatArray:
        return super().predict(rows)[1:]


def test_regressors() -> None:
    check_regressor(Line())
    for regressor, told in ((Mean(), "remains after"), (FirstOnly(), "remains after"), (Short(), "predictions for")):
        with pytest.raises(AssertionError, match=told):
            check_regressor(regressor)
