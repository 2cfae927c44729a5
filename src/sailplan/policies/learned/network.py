"""A trained dense network as a policy uses it: scaled columns in, a score out."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sailplan.core.graph import FloatArray
from sailplan.errors import ModelError
from sailplan.policies.features.scaling import Scaling
from sailplan.policies.learned.kernel import NetworkArrays, allocate_network, forward_rows

Layer = tuple[NDArray[np.float32], NDArray[np.float32]]
"""Weights, shape (inputs, outputs), and biases."""


@dataclass(frozen=True, eq=False)
class DenseNetwork:
    """Dense layers with ReLU between them over scaled columns, and a linear term over the columns as they are."""

    layers: tuple[Layer, ...]
    scaling: Scaling
    linear: FloatArray
    """What each column adds to the score by itself."""
    unit: float = 1.0
    """What the layers' output is multiplied by to give a score."""
    offset: float = 0.0
    """What is added to that."""

    def __post_init__(self) -> None:
        width = len(self.scaling.mean)
        if self.scaling.deviation.shape != (width,) or self.linear.shape != (width,) or not self.layers:
            raise ModelError(f"a network of {width} columns needs as many deviations and linear terms, and a layer")
        for number, (weights, biases) in enumerate(self.layers):
            if weights.shape != (width, len(biases)):
                raise ModelError(f"layer {number}: weights of shape {weights.shape} after {width} values")
            width = len(biases)
        if width != 1:
            raise ModelError(f"the last layer must give one score, not {width}")

    @property
    def columns(self) -> int:
        """Number of columns it takes."""
        return len(self.scaling.mean)

    def predict(self, rows: FloatArray) -> FloatArray:
        """The score of each row of columns."""
        if rows.ndim != 2 or rows.shape[1] != self.columns:
            raise ModelError(f"rows of shape {rows.shape} for a network of {self.columns} columns")
        scores = np.empty(len(rows))
        forward_rows(self.arrays(), np.ascontiguousarray(rows, np.float64), scores)
        return scores

    def arrays(self) -> NetworkArrays:
        """The network for the kernels, with scratch of its own, so that threads do not share it."""
        return self._arrays._replace(scratch=np.empty_like(self._arrays.scratch))

    @cached_property
    def _arrays(self) -> NetworkArrays:
        """With the scaling folded into the first layer and the unit into the last."""
        layers = [(weights.astype(np.float64), biases.astype(np.float64)) for weights, biases in self.layers]
        weights, biases = layers[0]
        scaled = weights / self.scaling.deviation[:, None]
        layers[0] = scaled, biases - self.scaling.mean @ scaled
        weights, biases = layers[-1]
        layers[-1] = weights * self.unit, biases * self.unit + self.offset
        return allocate_network(layers, self.linear)
