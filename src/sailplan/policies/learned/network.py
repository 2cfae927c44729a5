"""Trained dense networks, which compute the score of a vertex from its features."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sailplan.core.graph import FloatArray
from sailplan.core.state import as_kernel_array
from sailplan.errors import ModelError
from sailplan.policies.learned.kernel import NetworkArrays, forward_rows

Layer = tuple[NDArray[np.float32], NDArray[np.float32]]
"""Weights, shape (inputs, outputs), and biases."""
_MOST_LAYERS = 100


@dataclass(frozen=True, eq=False)
class Scaling:
    """A linear scaling of columns."""

    mean: FloatArray
    """Subtracted from each column."""
    deviation: FloatArray
    """The divisor of each column after that."""

    @classmethod
    def fit(cls, rows: FloatArray) -> Scaling:
        """Return the scaling to mean 0 and deviation 1; a constant column is not divided."""
        constant = rows.max(axis=0) == rows.min(axis=0)
        return cls(rows.mean(axis=0), np.where(constant, 1.0, rows.std(axis=0)))

    @classmethod
    def none(cls, columns: int) -> Scaling:
        """Return the scaling that leaves columns unmodified."""
        return cls(np.zeros(columns), np.ones(columns))

    def __call__(self, rows: FloatArray) -> FloatArray:
        """Return scaled rows."""
        return (rows - self.mean) / self.deviation


@dataclass(frozen=True, eq=False)
class DenseNetwork:
    """Dense layers with ReLU between them over scaled columns, plus a linear term over the unscaled columns.

    Raises
    ------
    ModelError
        If an array does not hold numbers, the shapes of the layers do not match, or the last one has several outputs.

    Examples
    --------
    >>> layer = np.array([[1.0], [2.0]], np.float32), np.zeros(1, np.float32)
    >>> DenseNetwork((layer,), Scaling.none(2), linear=np.zeros(2)).predict(np.array([[3.0, 4.0]]))
    array([11.])
    """

    layers: tuple[Layer, ...]
    """Weights and biases of each layer."""
    scaling: Scaling
    """The scaling of the columns."""
    linear: FloatArray
    """The weight of each column in the linear term."""
    unit: float = 1.0
    """The factor from the output of the last layer to the score."""
    offset: float = 0.0
    """Added to the score."""

    def __post_init__(self) -> None:
        terms = (self.scaling.mean, self.scaling.deviation, self.linear)
        for name, array in (*zip(("mean", "deviation", "linear"), terms, strict=True), *self._named_layers()):
            if not isinstance(array, np.ndarray) or array.dtype.kind not in "biuf":
                raise ModelError(f"{name} must be an array of numbers")
        if not all(isinstance(number, int | float | np.number) for number in (self.unit, self.offset)):
            raise ModelError(f"unit and offset must be numbers, got {self.unit!r} and {self.offset!r}")
        width = self.scaling.mean.size
        if any(term.shape != (width,) for term in terms) or not self.layers:
            raise ModelError(f"a network of {width} columns needs as many deviations and linear terms, and a layer")
        for number, (weights, biases) in enumerate(self.layers):
            if biases.ndim != 1 or weights.shape != (width, len(biases)):
                raise ModelError(f"layer {number}: weights of shape {weights.shape} after {width} values")
            width = len(biases)
        if width != 1:
            raise ModelError(f"the last layer must have one output, not {width}")

    def _named_layers(self) -> Iterator[tuple[str, Any]]:
        for number, (weights, biases) in enumerate(self.layers or ()):
            yield f"layer {number}: weights", weights
            yield f"layer {number}: biases", biases

    @property
    def columns(self) -> int:
        """Number of input columns."""
        return len(self.scaling.mean)

    def predict(self, rows: FloatArray) -> FloatArray:
        """Return the score of each row.

        Parameters
        ----------
        rows
            Unscaled features, shape (rows, columns).

        Returns
        -------
        numpy.ndarray
            The scores, shape (rows,).

        Raises
        ------
        ModelError
            If the number of columns is wrong, or the rows do not hold numbers.
        """
        given = np.asarray(rows)
        if given.ndim != 2 or given.shape[1] != self.columns or given.dtype.kind not in "biuf":
            what = f"{given.dtype} of shape {given.shape}"
            raise ModelError(f"rows of {self.columns} numbers are needed for this network, got {what}")
        scores = np.empty(len(given))
        forward_rows(self.arrays(), as_kernel_array(given, np.float64), scores)
        return scores

    def arrays(self) -> NetworkArrays:
        """Return the network for the kernels, with new scratch arrays, so that threads do not share them."""
        return self._arrays._replace(scratch=np.empty_like(self._arrays.scratch))

    def describe(self) -> dict[str, NDArray[Any]]:
        """Return the tensors for a model file."""
        tensors: dict[str, NDArray[Any]] = {
            "mean": self.scaling.mean,
            "deviation": self.scaling.deviation,
            "linear": self.linear,
            "output": np.array([self.unit, self.offset]),
        }
        for number, (weights, biases) in enumerate(self.layers):
            tensors[f"weights.{number}"] = weights
            tensors[f"biases.{number}"] = biases
        # safetensors ignores strides and writes the memory of an array.
        return {name: np.ascontiguousarray(tensor) for name, tensor in tensors.items()}

    @classmethod
    def build(cls, tensors: Mapping[str, NDArray[Any]], layers: int, prefix: str = "") -> DenseNetwork:
        """Create a network from what `describe` returned, under names with a prefix.

        Raises ModelError or KeyError if tensors are missing or not valid.
        """

        def tensor(name: str, dtype: type[np.floating[Any]], dimensions: int) -> NDArray[Any]:
            found = tensors[prefix + name]
            if found.dtype != dtype or found.ndim != dimensions or not np.isfinite(found).all():
                raise ModelError(f"{name} has shape {found.shape}, type {found.dtype}, or a number that is not finite")
            return found

        unit, offset = tensor("output", np.float64, 1).tolist()
        scaling = Scaling(tensor("mean", np.float64, 1), tensor("deviation", np.float64, 1))
        if not (scaling.deviation > 0).all():
            raise ModelError("a deviation is not positive")
        if not 0 < layers <= _MOST_LAYERS:
            raise ModelError(f"{layers} layers")
        parts = tuple(
            (tensor(f"weights.{number}", np.float32, 2), tensor(f"biases.{number}", np.float32, 1))
            for number in range(layers)
        )
        network = cls(parts, scaling, tensor("linear", np.float64, 1), unit, offset)
        with np.errstate(all="ignore"):
            arrays = network.arrays()
        if not (np.isfinite(arrays.weights).all() and np.isfinite(arrays.biases).all()):
            raise ModelError("numbers too large to compute with")
        return network

    @cached_property
    def _arrays(self) -> NetworkArrays:
        """The network with the scaling merged into the first layer and the unit into the last one."""
        layers = [(weights.astype(np.float64), biases.astype(np.float64)) for weights, biases in self.layers]
        weights, biases = layers[0]
        scaled = weights / self.scaling.deviation[:, None]
        layers[0] = scaled, biases - self.scaling.mean @ scaled
        weights, biases = layers[-1]
        layers[-1] = weights * self.unit, biases * self.unit + self.offset
        return allocate_network(layers, self.linear)


def allocate_network(layers: Sequence[tuple[NDArray[Any], NDArray[Any]]], linear: FloatArray) -> NetworkArrays:
    """Allocate the arrays of dense layers (weights of shape (inputs, outputs), biases) and a linear term."""
    sizes = [len(layers[0][0]), *(len(biases) for _, biases in layers)]
    return NetworkArrays(
        sizes=np.array(sizes, np.int64),
        weights=np.concatenate([np.asarray(weights, np.float32).reshape(-1) for weights, _ in layers]),
        biases=np.concatenate([np.asarray(biases, np.float32) for _, biases in layers]),
        linear=as_kernel_array(linear, np.float64),
        scratch=np.empty((2, max(sizes)), np.float32),
    )
