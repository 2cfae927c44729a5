"""The feature protocol and sets of features."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, Protocol, TypeGuard

import numpy as np
from numpy.typing import NDArray

from sailplan.core.graph import FloatArray, Problem
from sailplan.core.state import SearchState
from sailplan.errors import FeatureError, ModelError
from sailplan.policies.features.kernel import CLOSEST, COLUMNS, FIRST_RELATIVE, FIRST_WALL, PATCH, FeatureArrays

Unit = Literal["cells", "span"]
"""The unit of lengths in a feature set: cells, or the straight-line distance from start to goal."""


class Feature(Protocol):
    """Named numbers that describe an open vertex in a search.

    A feature may have these methods: `follow(problem)` returns the feature for the calls of one search, which may
    remember what it computed; `held_out(problem)` returns one that does not know the world of a training problem;
    `span(problem)` returns the unit "span" instead of the straight-line distance; `describe()` returns facts and
    tensors for a model file, from which a function in `SAVED_SETS` creates the feature set. Check your own features
    with `sailplan.testing.check_features`.
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
        own = next((feature.span for feature in self.features if hasattr(feature, "span")), span_of)
        return 1.0 if self.unit == "cells" else float(own(problem))

    def follow(self, problem: Problem) -> FeatureSet:
        """Return the set for the calls of one search; raises FeatureError if the problem is not supported."""
        return self._with("follow", problem)

    def held_out(self, problem: Problem) -> FeatureSet:
        """Return the set for training on a problem, whose world the features may not have stored."""
        return self._with("held_out", problem)

    def _with(self, method: str, problem: Problem) -> FeatureSet:
        """Return the set with what a method of its features returns; the set itself if none has the method."""
        if not any(hasattr(feature, method) for feature in self.features):
            return self
        made = (getattr(one, method)(problem) if hasattr(one, method) else one for one in self.features)
        return replace(self, features=tuple(made))

    def describe(self) -> tuple[dict[str, Any], Tensors]:
        """Return the facts and tensors for a model file; raises ModelError if the set cannot be saved."""
        if PRESETS.get(self.name) == self:
            return {}, {}
        describe = getattr(self.features[0], "describe", None)
        if self.name not in SAVED_SETS or len(self.features) != 1 or describe is None:
            raise ModelError(f"only feature sets of this library can be saved, not {self.name}")
        facts, tensors = describe()
        return facts, tensors

    def is_saved_as(self, other: FeatureSet) -> bool:
        """Return whether another set is the same in a model file."""
        if self is other:
            return True
        (facts, tensors), (others, their_tensors) = self.describe(), other.describe()
        same = facts == others and tensors.keys() == their_tensors.keys()
        return same and all(np.array_equal(tensors[key], their_tensors[key]) for key in tensors)


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
Tensors = dict[str, NDArray[Any]]
SAVED_SETS: dict[str, Callable[[Mapping[str, Any], Tensors], FeatureSet]] = {}
"""Functions that create feature sets with data of their own from what `FeatureSet.describe` returned, by name."""


def build_features(name: str, facts: Mapping[str, Any], tensors: Tensors) -> FeatureSet:
    """Create a feature set from what `describe` returned; raises KeyError or ModelError if that is not possible."""
    return SAVED_SETS[name](facts, tensors) if name in SAVED_SETS else PRESETS[name]


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
