"""A mixture of typical worlds: what training worlds have in common, as pixels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sailplan.core.graph import FloatArray
from sailplan.errors import ModelError, PolicyError
from sailplan.policies.replanning.beliefs.belief import Tensors, set_floats
from sailplan.policies.replanning.beliefs.kernel.pixels import add_evidence, blend, weigh
from sailplan.policies.replanning.beliefs.pixels import PIXELS, Floats

AREAS = 5
"""Number of areas in each direction in which components are weighed separately."""
LEVELS = 255
"""Shares of blocked cells are stored as multiples of 1 / LEVELS."""
RAREST = 0.02
"""Probabilities are limited to this distance from 0 and 1 if cells are compared: no cell excludes a component."""
_LEAST_WEIGHT = 2e-3
_MOST_COMPONENTS = 10_000


@dataclass(frozen=True)
class Recall:
    """How what a search has seen weighs the components of a mixture.

    Raises
    ------
    PolicyError
        If a field is out of its range.
    """

    of_blocked: float = 0.75
    """Weight of the log likelihood of a cell that is known to be blocked, for pixels of one cell."""
    of_free: float = 0.75
    """Weight of the log likelihood of a cell that is known to be free."""
    reach: float = 25.0
    """The distance in pixels at which evidence has decreased to 1/e in the weights of an area."""
    local: float = 0.3
    """The share of the weights of an area, beside the weights by all that is known."""
    prior: float = 0.04
    """The share of the prior, in which components have the weights of the training."""

    def __post_init__(self) -> None:
        positive = all(isfinite(one) and one > 0.0 for one in (self.of_blocked, self.of_free, self.reach))
        if not positive or not 0.0 <= self.local <= 1.0 or not 0.0 <= self.prior <= 1.0:
            raise PolicyError(f"weights and their reach must be positive, and shares between 0 and 1, got {self}")
        set_floats(self, "of_blocked", "of_free", "reach", "local", "prior")

    @classmethod
    def build(cls, facts: Mapping[str, Any]) -> Recall:
        """Create a recall from the facts in a model file."""
        return cls(**{name: float(value) for name, value in facts.items()})

    @cached_property
    def carried(self) -> FloatArray:
        """The share of the evidence in each area (column) that counts in each area (row), by their distance."""
        y, x = np.divmod(np.arange(AREAS**2), AREAS)
        distances = PIXELS / AREAS * np.hypot(x[:, None] - x, y[:, None] - y)
        shares: FloatArray = np.exp(-distances / self.reach)
        return shares


@dataclass(frozen=True, eq=False)
class PixelMixture:
    """Components, each with a probability for every pixel that its cells are blocked, and their weights.

    Raises
    ------
    ModelError
        If shapes or types do not match, or weights are not positive or larger than 1.
    """

    levels: NDArray[np.uint8] = field(repr=False)
    """Shape (components, PIXELS, PIXELS): the probability that a cell is blocked, times LEVELS."""
    weights: FloatArray
    """The share of the training worlds that each component describes."""
    plain: int = 0
    """The number of components, the last ones, that have no structure. They take the weight of the others if a world is
    of a kind that these do not describe, and predict nothing: in them, unseen cells are free."""

    def __post_init__(self) -> None:
        shape = (self.weights.size, PIXELS, PIXELS)
        if self.levels.shape != shape or self.levels.dtype != np.uint8 or not 0 < shape[0] <= _MOST_COMPONENTS:
            raise ModelError(f"components of shape {self.levels.shape} and type {self.levels.dtype}, not {shape}")
        sound = self.weights.dtype == np.float64 and self.weights.ndim == 1 and np.isfinite(self.weights).all()
        if not sound or not ((self.weights > 0.0) & (self.weights <= 1.0)).all():
            raise ModelError("weights of components that are not shares: positive numbers of 64 bits up to 1")
        if not 0 <= self.plain <= len(self):
            raise ModelError(f"{self.plain} of {len(self)} components without structure")

    def __len__(self) -> int:
        return len(self.weights)

    @cached_property
    def shares(self) -> Floats:
        """The probability that a cell of each pixel is blocked, shape (components, PIXELS, PIXELS)."""
        return np.asarray(self.levels / LEVELS, np.float32)

    @cached_property
    def predicted(self) -> Floats:
        """The same, but 0 in components without structure."""
        predicted = self.shares.copy()
        predicted[len(self) - self.plain :] = 0.0
        return predicted

    @cached_property
    def frequencies(self) -> Floats:
        """What the mixture predicts if nothing is known, shape (PIXELS, PIXELS)."""
        return np.asarray(np.tensordot(self.weights / self.weights.sum(), self.predicted, 1), np.float32)

    @cached_property
    def prior_logs(self) -> FloatArray:
        """The logarithms of the weights."""
        logs: FloatArray = np.log(self.weights / self.weights.sum())
        return logs

    @cached_property
    def blocked_logs(self) -> Floats:
        """The logarithm of the probability that a cell is blocked, shape (PIXELS, PIXELS, components)."""
        return _logarithms(self.shares)

    @cached_property
    def free_logs(self) -> Floats:
        """The logarithm of the probability that a cell is free, shape (PIXELS, PIXELS, components)."""
        return _logarithms(1.0 - self.shares)

    def describe(self) -> Tensors:
        """Return the tensors for a model file."""
        return {"components": self.levels, "weights": self.weights}

    @classmethod
    def build(cls, tensors: Tensors, plain: int) -> PixelMixture:
        """Create a mixture from what `describe` returned; raises ModelError if it is damaged."""
        return cls(tensors["components"], tensors["weights"], plain)

    @classmethod
    def union(
        cls, mixtures: Sequence[PixelMixture], densities: Sequence[float] = (), plain_share: float = 0.0
    ) -> PixelMixture:
        """Return the mixture in which each of several mixtures is equally likely.

        There is a component without structure for each density of blocked cells; `plain_share` is the weight of all of
        these together.
        """
        levels = [np.full((1, PIXELS, PIXELS), round(LEVELS * density), np.uint8) for density in densities]
        weights = np.concatenate([one.weights / one.weights.sum() / len(mixtures) for one in mixtures])
        plain = np.full(len(densities), plain_share / max(1, len(densities)))
        return cls(
            np.concatenate([*(one.levels for one in mixtures), *levels]),
            np.concatenate([(1.0 - plain_share) * weights, plain]),
            len(densities),
        )


class Recollection:
    """The weights of the components during one search."""

    def __init__(self, mixture: PixelMixture, recall: Recall, width: int, height: int) -> None:
        self._mixture, self._recall, self._size = mixture, recall, (width, height)
        self._seen = np.zeros(width * height, np.bool_)
        self._evidence = np.zeros((AREAS**2, len(mixture)))
        self._everywhere = np.empty(len(mixture))
        self.weights = np.tile(mixture.weights / mixture.weights.sum(), (AREAS**2, 1))
        """Shape (areas, components)."""
        self._proposed = self.weights.copy()
        self._applied = False

    def observe(self, status: NDArray[np.uint8]) -> float:
        """Compare the components with the cells that have become known; return the largest change of a weight.

        The change is proposed, not yet applied. A search sees a strip around its path. So the evidence of a cell counts
        in proportion to the side length of cells in pixels, and does not depend on the resolution of the map.
        """
        mixture, recall, (width, height) = self._mixture, self._recall, self._size
        side = PIXELS / max(width, height, PIXELS)
        logs = mixture.blocked_logs, mixture.free_logs
        weights = side * recall.of_blocked, side * recall.of_free
        if not add_evidence(status, self._seen, width, height, *logs, *weights, AREAS, self._evidence):
            return 0.0
        arrays = self._everywhere, self._proposed, self.weights
        return float(weigh(self._evidence, mixture.prior_logs, recall.carried, recall.local, *arrays))

    def apply(self) -> None:
        """Use the proposed weights."""
        self.weights[:] = self._proposed
        self._applied = True

    def blocked(self) -> FloatArray:
        """Return the probability that an unseen cell of each pixel is blocked, shape (PIXELS, PIXELS)."""
        mixture, blocked = self._mixture, np.empty((PIXELS, PIXELS))
        if not self._applied:
            # The result of blending with the weights of the training.
            return mixture.frequencies.astype(np.float64)
        blend(mixture.predicted, self.weights, AREAS, _LEAST_WEIGHT, mixture.frequencies, self._recall.prior, blocked)
        return blocked

    def mean_of(self, maps: Floats) -> FloatArray:
        """Return the mean of maps by the weights of the components, of shape (components, PIXELS, PIXELS)."""
        mean = np.empty((PIXELS, PIXELS))
        blend(maps, self.weights, AREAS, _LEAST_WEIGHT, self._mixture.frequencies, 0.0, mean)
        return mean


def _logarithms(shares: Floats) -> Floats:
    return np.ascontiguousarray(np.log(np.clip(np.moveaxis(shares, 0, -1), RAREST, 1.0 - RAREST)), np.float32)
