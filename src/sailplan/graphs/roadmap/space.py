"""Configuration spaces: limits, a weighted metric, and joints that wrap."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sailplan.core.graph import LARGEST_NUMBER, FloatArray
from sailplan.errors import GraphError

_DEFAULT_RESOLUTION = 0.01
"""Distance of checked configurations, as a part of the diagonal of the space."""
_TOLERANCE = 1e-6
"""A configuration may exceed a limit by this part of the range, which is the rounding of files with few digits."""


@dataclass(frozen=True, eq=False)
class ConfigurationSpace:
    """A box in R^n whose distance is the length of the weighted difference; create one with `within`.

    Examples
    --------
    >>> space = ConfigurationSpace.within([-3.0, 0.0], [3.0, 1.0], wraps=[True, False])
    >>> space.distance(np.array([-2.5, 0.5]), np.array([2.5, 0.5])).item()
    1.0
    """

    lower: FloatArray
    """The lower limit of each dimension."""
    upper: FloatArray
    """The upper limit of each dimension."""
    weights: FloatArray
    """The weight of each dimension in the distance."""
    wraps: NDArray[np.bool_]
    """Whether the upper limit of each dimension is the same place as the lower one."""
    names: tuple[str, ...] = ()
    """The names of the dimensions, for example of joints; empty if they have none."""

    def __post_init__(self) -> None:
        lower, upper, weights, wraps = self.lower, self.upper, self.weights, self.wraps
        for name, array in (("upper", upper), ("weights", weights), ("wraps", wraps)):
            if array.shape != lower.shape:
                raise GraphError(f"{name} has the shape {array.shape}, the lower limits have {lower.shape}")
        if wraps.dtype != np.bool_:
            raise GraphError(f"wraps must be a bool for each dimension, got {wraps.tolist()}")
        if len(lower) == 0 or not (lower < upper).all():
            raise GraphError(f"each lower limit must be below the upper one, got {lower.tolist()} and {upper.tolist()}")
        if not (weights > 0).all():
            raise GraphError(f"weights must be positive, got {weights.tolist()}")
        if not (weights * (upper - lower) <= LARGEST_NUMBER).all():
            # Squares of distances are finite: of infinite ones, no neighbour is nearer than another.
            raise GraphError(f"a dimension times its weight must be at most {LARGEST_NUMBER:g}")
        if self.names and (len(self.names) != len(lower) or not all(isinstance(name, str) for name in self.names)):
            raise GraphError(f"{len(lower)} dimensions need as many names, got {self.names!r}")

    @classmethod
    def within(
        cls,
        lower: ArrayLike,
        upper: ArrayLike,
        weights: ArrayLike | None = None,
        wraps: ArrayLike | None = None,
        names: Iterable[str] = (),
    ) -> ConfigurationSpace:
        """Create a space.

        Parameters
        ----------
        lower, upper
            The limits of each dimension.
        weights
            The weight of each dimension in the distance; 1 by default.
        wraps
            Whether the upper limit of each dimension is the same place as the lower one; by default none wraps.
        names
            The names of the dimensions, for example of joints.

        Returns
        -------
        ConfigurationSpace
            The space.

        Raises
        ------
        GraphError
            If the lists have different lengths, a limit is not finite, a lower limit is not below the upper one, or a
            weight is not positive.
        """
        low = _numbers(lower, "lower")
        return cls(
            low,
            _numbers(upper, "upper"),
            np.ones(len(low)) if weights is None else _numbers(weights, "weights"),
            np.zeros(len(low), np.bool_) if wraps is None else np.array(wraps),
            tuple(names),
        )

    @property
    def dimensions(self) -> int:
        """Number of dimensions."""
        return len(self.lower)

    @cached_property
    def periods(self) -> FloatArray:
        """The period of each dimension that wraps; infinite for the others."""
        return np.where(self.wraps, self.upper - self.lower, np.inf)

    @cached_property
    def default_resolution(self) -> float:
        """A hundredth of the diagonal of the space, as in OMPL."""
        return float(_DEFAULT_RESOLUTION * np.linalg.norm(self.weights * (self.upper - self.lower)))

    def difference(self, starts: FloatArray, ends: FloatArray) -> FloatArray:
        """Return the shortest way from starts to ends, which may cross the limits of dimensions that wrap."""
        offsets = ends - starts
        if not self.wraps.any():
            return offsets
        periods = np.where(self.wraps, self.upper - self.lower, 1.0)
        return offsets - self.wraps * periods * np.round(offsets / periods)

    def distance(self, starts: FloatArray, ends: FloatArray) -> FloatArray:
        """Return the length of the weighted difference."""
        squares = np.square(self.weights * self.difference(starts, ends))
        return np.asarray(np.sqrt(squares.sum(axis=-1)), np.float64)

    def embed(self, configurations: FloatArray) -> FloatArray:
        """Return points whose straight distance is never longer than the distance of the configurations.

        A dimension that wraps becomes a circle, whose chords are shorter than its arcs; without such dimensions the
        distances are the same.
        """
        scaled = configurations * self.weights
        if not self.wraps.any():
            return scaled
        radius = (self.weights * (self.upper - self.lower))[self.wraps] / (2 * np.pi)
        angles = scaled[:, self.wraps] / radius
        return np.concatenate([scaled[:, ~self.wraps], radius * np.cos(angles), radius * np.sin(angles)], axis=1)

    def normalised(self, configuration: ArrayLike, what: str) -> FloatArray:
        """Return a configuration within the limits.

        Parameters
        ----------
        configuration
            A number for each dimension; one that wraps may have any value.
        what
            What it is, for error messages.

        Returns
        -------
        array
            The same configuration.

        Raises
        ------
        GraphError
            If it does not have one finite number per dimension, or is outside the limits.
        """
        values = _numbers(configuration, what)
        if values.shape != self.lower.shape:
            raise GraphError(f"{what}: {self.dimensions} numbers are needed, got {values.shape[0]}")
        turned = self.lower + np.mod(values - self.lower, self.upper - self.lower)
        values = np.where(self.wraps, turned, values)
        slack = _TOLERANCE * (self.upper - self.lower)
        outside = np.flatnonzero((values < self.lower - slack) | (values > self.upper + slack))
        if len(outside):
            at = int(outside[0])
            name = self.names[at] if self.names else f"dimension {at}"
            raise GraphError(f"{what}: {name} is {values[at]:g}, outside {self.lower[at]:g} .. {self.upper[at]:g}")
        return np.clip(values, self.lower, self.upper)

    def facts(self) -> dict[str, Any]:
        """Return the space as a dictionary for JSON."""
        arrays = {name: getattr(self, name).tolist() for name in ("lower", "upper", "weights", "wraps")}
        return {**arrays, "joints": list(self.names)}

    @classmethod
    def build(cls, facts: dict[str, Any]) -> ConfigurationSpace:
        """Create a space from what `facts` returned; raises GraphError if something is missing or wrong."""
        missing = [name for name in ("lower", "upper", "weights", "wraps", "joints") if name not in facts]
        if missing:
            raise GraphError(f"its facts lack {', '.join(missing)}")
        names: Sequence[str] = facts["joints"]
        return cls.within(facts["lower"], facts["upper"], facts["weights"], facts["wraps"], names)


def _numbers(values: ArrayLike, what: str) -> FloatArray:
    try:
        array = np.array(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise GraphError(f"{what} must be a list of numbers: {error}") from error
    if array.ndim != 1 or not np.isfinite(array).all():
        raise GraphError(f"{what} must be a list of finite numbers, got {array.tolist()}")
    return array
