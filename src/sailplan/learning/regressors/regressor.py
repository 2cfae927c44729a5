"""The regressor protocol, and how a fitted one becomes a policy's model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeGuard

import numpy as np

from sailplan.core.graph import FloatArray
from sailplan.errors import TrainingError
from sailplan.learning.examples import Examples
from sailplan.learning.settings import NetworkSettings
from sailplan.policies.features import FeatureSet, Scaling
from sailplan.policies.learned.network import DenseNetwork, Layer

if TYPE_CHECKING:
    from sailplan.learning.regressors.torch_network import TorchNetwork


class Regressor(Protocol):
    """Anything like scikit-learn's: it learns to predict a number from a row of numbers."""

    def fit(self, rows: FloatArray, values: FloatArray) -> Any:
        """Learn from these examples, from scratch."""

    def predict(self, rows: FloatArray) -> FloatArray:
        """The value of each row."""


class DenseRegressor(Regressor, Protocol):
    """A regressor that the compiled engine can run."""

    def dense_layers(self) -> Sequence[Layer]:
        """What it has learned as dense layers with ReLU between them."""


class Differences(NamedTuple):
    """Steps to learn from by temporal differences, in the unit of the network."""

    rows: FloatArray
    guesses: FloatArray
    """What the network's value is added to."""
    costs: FloatArray
    """Of each step."""
    next_rows: FloatArray
    next_guesses: FloatArray
    largest: FloatArray
    """The most that can lie ahead."""
    goes_on: FloatArray
    """0 where nothing lies ahead, else 1."""


MakeRegressor = Callable[[int], Regressor]
"""A new regressor from a seed."""


def is_dense(regressor: Regressor) -> TypeGuard[DenseRegressor]:
    """Whether the compiled engine can run the regressor."""
    return hasattr(regressor, "dense_layers")


def network_maker(settings: NetworkSettings, features: FeatureSet) -> Callable[[int], TorchNetwork]:
    """What makes the networks of these settings; raises TrainingError where torch is not installed."""
    try:
        from sailplan.learning.regressors.torch_network import TorchNetwork
    except ModuleNotFoundError as error:
        raise TrainingError("training a network needs torch: pip install 'sailplan[train]'") from error
    return lambda seed: TorchNetwork(settings, seed, patch_columns=features.patch_columns)


@dataclass(frozen=True, eq=False)
class ScaledModel:
    """Any regressor as a model: scaled columns in, its prediction in the unit of the labels out."""

    regressor: Regressor
    scaling: Scaling
    linear: FloatArray
    unit: float
    offset: float

    def predict(self, rows: FloatArray) -> FloatArray:
        """The score of each row."""
        values = np.asarray(self.regressor.predict(self.scaling(rows)), np.float64).reshape(-1)
        return values * self.unit + self.offset + rows @ self.linear


def fit_model(
    regressor: Regressor, examples: Examples, features: FeatureSet, target: str
) -> tuple[DenseNetwork | ScaledModel, float]:
    """Fit the regressor to the examples; return the model and its mean squared error, in squared deviations."""
    if target == "detour" and not features.estimate:
        raise TrainingError(f"{features.name}: there is no first guess, so there is no detour to learn")
    linear = features.guess_weights if target == "detour" else np.zeros(len(features.columns))
    values = examples.labels - examples.rows @ linear
    scaling, offset, unit = Scaling.fit(examples.rows), float(values.mean()), float(values.std()) or 1.0
    scaled, wanted = scaling(examples.rows), (values - offset) / unit
    regressor.fit(scaled, wanted)
    loss = float(np.mean((np.asarray(regressor.predict(scaled)).reshape(-1) - wanted) ** 2))
    if is_dense(regressor):
        return DenseNetwork(tuple(regressor.dense_layers()), scaling, linear, unit, offset), loss
    return ScaledModel(regressor, scaling, linear, unit, offset), loss
