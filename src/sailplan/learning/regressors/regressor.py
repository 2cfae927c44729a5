"""Examples, the regressor protocol, and how a fitted regressor becomes the model of a policy."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeGuard

import numpy as np

from sailplan.core.graph import FloatArray
from sailplan.errors import TrainingError
from sailplan.learning.settings import NetworkSettings
from sailplan.policies.features import FeatureSet
from sailplan.policies.learned.network import DenseNetwork, Layer, Scaling

if TYPE_CHECKING:
    from sailplan.learning.regressors.torch_network import TorchNetwork


NO_TORCH = "training a network needs torch: pip install '.[train]' in a checkout"
"""The error message where torch is not installed."""


@dataclass(frozen=True, eq=False)
class Examples:
    """What a regressor learns from: features of open vertices, and the cost-to-go that the oracle gives them."""

    rows: FloatArray
    """Shape (examples, columns): the features."""
    labels: FloatArray
    """Shape (examples,): the cost-to-go, in the unit of the features."""

    def __len__(self) -> int:
        return len(self.labels)

    @classmethod
    def concatenate(cls, parts: Iterable[Examples]) -> Examples:
        """All examples of the parts, in order."""
        held = list(parts)
        return cls(np.concatenate([one.rows for one in held]), np.concatenate([one.labels for one in held]))


class Regressor(Protocol):
    """Predicts a number from a row of numbers; any regressor of scikit-learn will do."""

    def fit(self, rows: FloatArray, values: FloatArray) -> Any:
        """Learn from these examples, from scratch."""

    def predict(self, rows: FloatArray) -> FloatArray:
        """The value of each row."""


class DenseRegressor(Regressor, Protocol):
    """A regressor that the compiled engine can run."""

    def dense_layers(self) -> Sequence[Layer]:
        """The fitted function as dense layers with ReLU between them."""


class Differences(NamedTuple):
    """Transitions for temporal-difference learning, in the unit of the network."""

    rows: FloatArray
    guesses: FloatArray
    """Initial estimates, to which the output of the network is added."""
    costs: FloatArray
    """Of each step."""
    next_rows: FloatArray
    next_guesses: FloatArray
    largest: FloatArray
    """Upper limit of the cost that follows."""
    goes_on: FloatArray
    """0 after the last step of a search, else 1."""


MakeRegressor = Callable[[int], Regressor]
"""Makes a new regressor from a seed."""


def is_dense(regressor: Regressor) -> TypeGuard[DenseRegressor]:
    """Whether the compiled engine can run the regressor."""
    return hasattr(regressor, "dense_layers")


def network_maker(settings: NetworkSettings, features: FeatureSet) -> Callable[[int], TorchNetwork]:
    """A function that makes networks of these settings; raises TrainingError if torch is not installed."""
    return _network_maker(settings, features.patch_columns)


def make_network(settings: NetworkSettings, seed: int) -> TorchNetwork:
    """A network without a patch; raises TrainingError if torch is not installed."""
    return _network_maker(settings, 0)(seed)


def _network_maker(settings: NetworkSettings, patch_columns: int) -> Callable[[int], TorchNetwork]:
    try:
        from sailplan.learning.regressors.torch_network import TorchNetwork
    except ModuleNotFoundError as error:
        raise TrainingError(NO_TORCH) from error
    return lambda seed: TorchNetwork(settings, seed, patch_columns=patch_columns)


@dataclass(frozen=True, eq=False)
class ScaledModel:
    """Any regressor as a model: it gets scaled columns, and its prediction is scaled to the unit of the labels."""

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
    """Fit the regressor to the examples; return the model and its mean squared error in squared standard deviations."""
    if target == "detour" and not features.estimate:
        raise TrainingError(f"{features.name}: the features have no initial estimate, so there is no detour to learn")
    linear = features.guess_weights if target == "detour" else np.zeros(len(features.columns))
    values = examples.labels - examples.rows @ linear
    scaling, offset, unit = Scaling.fit(examples.rows), float(values.mean()), float(values.std()) or 1.0
    scaled, wanted = scaling(examples.rows), (values - offset) / unit
    regressor.fit(scaled, wanted)
    loss = float(np.mean((np.asarray(regressor.predict(scaled)).reshape(-1) - wanted) ** 2))
    if is_dense(regressor):
        return DenseNetwork(tuple(regressor.dense_layers()), scaling, linear, unit, offset), loss
    return ScaledModel(regressor, scaling, linear, unit, offset), loss
