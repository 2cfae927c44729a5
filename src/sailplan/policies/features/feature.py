"""The feature protocol and sets of features."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, Protocol, TypeGuard

import numpy as np

from sailplan.core.graph import FloatArray, Problem
from sailplan.core.state import SearchState
from sailplan.errors import FeatureError
from sailplan.policies.features.kernel import CLOSEST, COLUMNS, FIRST_RELATIVE, FIRST_WALL, PATCH, FeatureArrays

Unit = Literal["cells", "span"]
"""The unit of lengths in a feature set: cells, or the straight-line distance from start to goal."""


class Feature(Protocol):
    """Named numbers that describe an open vertex in a search.

    Check your own features with `sailplan.testing.check_features`.
    """

    @property
    def columns(self) -> tuple[str, ...]:
        """The name of each number."""

    def __call__(self, problem: Problem, state: SearchState, vertices: Sequence[int]) -> FloatArray:
        """Compute the features of open vertices from the state and the goal only, shape (vertices, columns)."""


class CompiledFeature(Feature, Protocol):
    """A feature that the compiled engine can compute."""

    @property
    def kernel_columns(self) -> tuple[int, ...]:
        """The code of each column in the kernel."""


def is_compiled_feature(feature: Feature) -> TypeGuard[CompiledFeature]:
    """Return whether the compiled engine can compute the feature."""
    return hasattr(feature, "kernel_columns")


@dataclass(frozen=True)
class NamedColumns:
    """A feature that the kernel identifies by the names of its columns."""

    columns: tuple[str, ...]
    """Names in `COLUMNS` of the kernel."""
    compute: Callable[[Problem, SearchState, Sequence[int]], FloatArray]
    """The feature in Python."""
    needs_grid: bool = False
    """Whether it can be computed on grids only."""

    def __call__(self, problem: Problem, state: SearchState, vertices: Sequence[int]) -> FloatArray:
        """Compute the features of open vertices, shape (vertices, columns)."""
        return self.compute(problem, state, vertices)

    @property
    def kernel_columns(self) -> tuple[int, ...]:
        """The code of each column in the kernel."""
        return tuple(COLUMNS.index(name) for name in self.columns)


@dataclass(frozen=True)
class FeatureSet:
    """Several features, whose columns are concatenated.

    Raises
    ------
    FeatureError
        If there is no column, or two columns have the same name.

    Examples
    --------
    >>> len(feature_set("paper17").columns)
    17
    """

    features: tuple[Feature, ...]
    """The features, in the order of their columns."""
    name: str = "custom"
    """A key of `PRESETS`, which identifies the set in a model file."""
    unit: Unit = "cells"
    """The unit of costs that are learned from these features."""
    estimate: tuple[tuple[str, float], ...] = ()
    """Columns and their weights in an initial estimate of the cost-to-go, in the same unit."""

    def __post_init__(self) -> None:
        if not self.columns:
            raise FeatureError("a feature set needs a column")
        if len(set(self.columns)) != len(self.columns):
            raise FeatureError(f"{self.name}: a column is named twice")

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """The names of all columns."""
        return tuple(name for feature in self.features for name in feature.columns)

    def __call__(self, problem: Problem, state: SearchState, vertices: Sequence[int]) -> FloatArray:
        """Compute the features of open vertices, shape (vertices, columns); raises FeatureError if that fails."""
        parts = [np.asarray(feature(problem, state, vertices), np.float64) for feature in self.features]
        for feature, part in zip(self.features, parts, strict=True):
            if part.shape != (len(vertices), len(feature.columns)):
                raise FeatureError(f"{type(feature).__name__}: shape {part.shape} for {len(vertices)} vertices")
        return np.concatenate(parts, axis=1)

    @cached_property
    def kernel_columns(self) -> tuple[int, ...] | None:
        """The codes of all columns; None if a feature has no codes."""
        codes: list[int] = []
        for feature in self.features:
            if not is_compiled_feature(feature):
                return None
            codes += feature.kernel_columns
        return tuple(codes)

    @property
    def patch_columns(self) -> int:
        """The number of columns, at the end, that are cells of a patch."""
        return len(self.features[-1].columns) if getattr(self.features[-1], "is_patch", False) else 0

    @property
    def needs_grid(self) -> bool:
        """Whether a feature can be computed on grids only."""
        return any(getattr(feature, "needs_grid", False) for feature in self.features)

    @cached_property
    def guess_weights(self) -> FloatArray:
        """The weight of each column in the initial estimate."""
        weights = np.zeros(len(self.columns))
        for name, weight in self.estimate:
            weights[self.columns.index(name)] = weight
        return weights

    def span(self, problem: Problem) -> float:
        """Return the unit of costs in a problem, in the costs of its graph."""
        return 1.0 if self.unit == "cells" else span_of(problem)


def span_of(problem: Problem) -> float:
    """Return the straight-line distance from start to goal; 1 if they coincide."""
    start, goal = plane_coordinates(problem, [problem.start, problem.goal])
    return float(np.sqrt(((goal - start) ** 2).sum())) or 1.0


def plane_coordinates(problem: Problem, vertices: Sequence[int]) -> FloatArray:
    """Return the coordinates of vertices, shape (vertices, 2); raises FeatureError if the graph is not in the plane."""
    places = problem.graph.coordinates(vertices)
    if places.shape[1] != 2:
        raise FeatureError(f"{problem.name}: these features need two coordinates, the graph has {places.shape[1]}")
    return places


PRESETS: dict[str, FeatureSet] = {}
"""The feature sets by name; `presets.py` adds them."""


def feature_set(name: str) -> FeatureSet:
    """Return a feature set by name.

    Parameters
    ----------
    name
        A key of `PRESETS`: "paper17" (the features of the paper), "relative", "walls" or "patch".

    Returns
    -------
    FeatureSet
        The feature set.

    Raises
    ------
    FeatureError
        If there is no such feature set.

    Examples
    --------
    >>> feature_set("paper17").columns[:4]
    ('x', 'y', 'g', 'h_euc')
    """
    if name not in PRESETS:
        raise FeatureError(f"no feature set {name!r}; there are {', '.join(PRESETS)}")
    return PRESETS[name]


def allocate_features(codes: Sequence[int]) -> FeatureArrays:
    """Allocate the arrays of the kernel for some columns."""
    named = [code for code in codes if code < PATCH]
    return FeatureArrays(
        columns=np.array(codes, np.int64),
        needs_obstacles=any(code < FIRST_WALL and code % FIRST_RELATIVE >= CLOSEST for code in named),
        needs_walls=any(code >= FIRST_WALL for code in named),
        values=np.empty(len(COLUMNS)),
        row=np.empty(len(codes)),
    )
