"""Samples of a configuration space: Halton and random points, and points near a configuration."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from sailplan.core.graph import FloatArray
from sailplan.errors import GraphError
from sailplan.files import fault_line
from sailplan.graphs.roadmap.space import ConfigurationSpace

Validity = Callable[[FloatArray], NDArray[np.bool_]]
"""`valid(configurations)` returns a bool for each row."""

SAMPLERS = ("halton", "random")
_MAX_DRAWS = 1000
"""Draws for each sample before the filter is given up."""
_SMALLEST_SPREAD = 1 / 32
"""The smallest distance of a point near a configuration, as a part of the largest."""


def halton(first: int, count: int, dimensions: int) -> FloatArray:
    """Return points of the Halton sequence in the unit cube, from number `first` on.

    Examples
    --------
    >>> halton(1, 3, 2).round(3).tolist()
    [[0.5, 0.333], [0.25, 0.667], [0.75, 0.111]]
    """
    numbers = np.arange(first, first + count)
    return np.stack([_radical_inverse(numbers, base) for base in _primes(dimensions)], axis=1)


def draw_samples(
    space: ConfigurationSpace, count: int, sampler: str, seed: int, valid: Validity | None
) -> tuple[FloatArray, int]:
    """Draw samples that a filter accepts.

    Parameters
    ----------
    space
        The space.
    count
        Number of samples to return.
    sampler
        A name in `SAMPLERS`.
    seed
        Seed of the random points, or of the vector by which the Halton points are shifted (modulo 1).
    valid
        The filter, or None.

    Returns
    -------
    samples, rejected
        The samples, one row each, and the number of samples that the filter rejected before the last of them.

    Raises
    ------
    GraphError
        If the sampler is unknown, or if the filter fails or rejects nearly all samples.
    """
    if sampler not in SAMPLERS:
        raise GraphError(f"no sampler {sampler!r}; there are {', '.join(SAMPLERS)}")
    kept, rejected, have, drawn = list[FloatArray](), 0, 0, 0
    for batch in _batches(space, count, sampler, seed):
        accepted = np.flatnonzero(is_valid(valid, batch))[: count - have]
        kept.append(batch[accepted])
        have, drawn = have + len(accepted), drawn + len(batch)
        tried = int(accepted[-1]) + 1 if have == count and count else len(batch)
        rejected += tried - len(accepted)
        if have == count:
            break
        if drawn >= _MAX_DRAWS * count:
            raise GraphError(f"only {have} of {drawn} samples are valid, and {count} are needed")
    return np.concatenate(kept), rejected


def near_samples(
    space: ConfigurationSpace, centre: FloatArray, count: int, spread: float, rng: np.random.Generator
) -> FloatArray:
    """Return points around a configuration, at distances between `spread` and a small part of it, within the limits."""
    directions = rng.normal(size=(count, space.dimensions))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    distances = spread * _SMALLEST_SPREAD ** rng.random((count, 1))
    points = centre + distances * directions / space.weights
    turned = space.lower + np.mod(points - space.lower, space.upper - space.lower)
    return np.where(space.wraps, turned, np.clip(points, space.lower, space.upper))


def is_valid(valid: Validity | None, configurations: FloatArray) -> NDArray[np.bool_]:
    """Call a validity function; raises GraphError if it fails or does not return a bool for each configuration."""
    if valid is None:
        return np.ones(len(configurations), np.bool_)
    try:
        answers = np.asarray(valid(configurations))
    except Exception as error:
        raise GraphError(f"the checker failed: {type(error).__name__}: {fault_line(error)}") from error
    if answers.shape != (len(configurations),) or answers.dtype != np.bool_:
        raise GraphError(
            f"the checker must return a bool for each of {len(configurations)} rows, got an array of {answers.dtype} "
            f"with the shape {answers.shape}"
        )
    return answers


def check_seed(seed: object) -> None:
    """Raise GraphError if a seed is not an integer that is not negative."""
    if not isinstance(seed, int | np.integer) or seed < 0:
        raise GraphError(f"a seed must be an integer that is not negative, got {seed!r}")


def _batches(space: ConfigurationSpace, count: int, sampler: str, seed: int) -> Iterator[FloatArray]:
    check_seed(seed)
    rng = np.random.default_rng(seed)
    shift, first = rng.random(space.dimensions), 1
    while True:
        if sampler == "halton":
            points = np.mod(halton(first, count, space.dimensions) + shift, 1.0)
        else:
            points = rng.random((count, space.dimensions))
        yield space.lower + points * (space.upper - space.lower)
        first += count


def _radical_inverse(numbers: NDArray[np.int64], base: int) -> FloatArray:
    left, inverse, digit = numbers.copy(), np.zeros(len(numbers)), 1.0
    while left.any():
        digit /= base
        inverse += digit * (left % base)
        left //= base
    return inverse


def _primes(count: int) -> list[int]:
    primes: list[int] = []
    number = 2
    while len(primes) < count:
        if all(number % prime for prime in primes):
            primes.append(number)
        number += 1
    return primes
