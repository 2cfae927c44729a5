from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sailplan.errors import GraphError
from sailplan.graphs.roadmap import ConfigurationSpace
from sailplan.graphs.roadmap.samples import SAMPLERS, draw_samples, halton, near_samples

SPACE = ConfigurationSpace.within([-1.0, 0.0], [1.0, 6.0], weights=[2.0, 1.0], wraps=[False, True])


def test_halton_points_are_known() -> None:
    expected = [[1 / 2, 1 / 3, 1 / 5], [1 / 4, 2 / 3, 2 / 5], [3 / 4, 1 / 9, 3 / 5], [1 / 8, 4 / 9, 4 / 5]]
    assert np.allclose(halton(1, 4, 3), expected)
    assert np.allclose(halton(3, 2, 3), expected[2:])


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_samples_depend_on_the_seed_alone(sampler: str) -> None:
    first, _ = draw_samples(SPACE, 50, sampler, 3, None)
    again, _ = draw_samples(SPACE, 50, sampler, 3, None)
    other, _ = draw_samples(SPACE, 50, sampler, 4, None)
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)
    assert ((first >= SPACE.lower) & (first <= SPACE.upper)).all()


def test_halton_points_cover_the_space_evenly() -> None:
    points, _ = draw_samples(SPACE, 400, "halton", 1, None)
    cells = np.floor((points - SPACE.lower) / (SPACE.upper - SPACE.lower) * 4).astype(int)
    counts = np.bincount(cells[:, 0] * 4 + cells[:, 1], minlength=16)
    assert counts.min() >= 18
    assert counts.max() <= 32


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_rejected_samples_are_replaced_and_counted(sampler: str) -> None:
    seen: list[Any] = []

    def upper_half(rows: Any) -> Any:
        seen.append(rows)
        return rows[:, 1] > 3.0

    points, rejected = draw_samples(SPACE, 40, sampler, 0, upper_half)
    drawn = np.concatenate(seen)
    kept = drawn[drawn[:, 1] > 3.0][:40]
    assert np.array_equal(points, kept)
    last = int(np.flatnonzero((drawn == kept[-1]).all(axis=1))[0])
    assert rejected == last + 1 - 40


@given(st.integers(0, 30), st.integers(0, 2**32 - 1))
def test_samples_near_a_configuration(count: int, seed: int) -> None:
    centre = np.array([0.9, 5.9])
    points = near_samples(SPACE, centre, count, 0.5, np.random.default_rng(seed))
    assert points.shape == (count, 2)
    assert ((points >= SPACE.lower) & (points <= SPACE.upper)).all()
    assert (SPACE.distance(points, centre) <= 0.5 + 1e-9).all()


@pytest.mark.parametrize(
    ("sampler", "valid", "message"),
    [
        ("sobol", None, "no sampler 'sobol'; there are halton, random"),
        ("halton", lambda rows: np.zeros(len(rows), np.bool_), "only 0 of 5000 samples are valid, and 5 are needed"),
        ("halton", lambda rows: np.ones(len(rows)), "must return a bool for each of 5 rows, got an array of float64"),
        ("halton", lambda rows: True, "must return a bool for each of 5 rows"),
        ("halton", lambda rows: 1 / 0, "the checker failed: ZeroDivisionError: division by zero"),
    ],
)
def test_bad_samplers_and_filters_are_refused(sampler: str, valid: Any, message: str) -> None:
    with pytest.raises(GraphError, match=message):
        draw_samples(SPACE, 5, sampler, 0, valid)
