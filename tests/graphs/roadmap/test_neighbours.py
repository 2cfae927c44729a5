from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sailplan.errors import GraphError
from sailplan.graphs.roadmap import ConfigurationSpace
from sailplan.graphs.roadmap.neighbours import (
    components,
    nearest,
    nearest_pairs,
    pairs_within,
    prm_star_neighbours,
    unique_pairs,
)
from tests.naive import roadmap as naive

SPACES = st.builds(
    lambda dimensions, wraps, weights: ConfigurationSpace.within(
        [0.0] * dimensions, [5.0] * dimensions, weights[:dimensions], wraps[:dimensions]
    ),
    st.integers(1, 4),
    st.lists(st.booleans(), min_size=4, max_size=4),
    st.lists(st.sampled_from((0.5, 1.0, 2.0)), min_size=4, max_size=4),
)


def _points(space: ConfigurationSpace, count: int, seed: int) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    """Whole coordinates, so that distances are exact and ties are frequent."""
    return np.random.default_rng(seed).integers(0, 6, (count, space.dimensions)).astype(np.float64)


@given(SPACES, st.integers(0, 25), st.integers(1, 30), st.integers(0, 2**32 - 1))
def test_nearest_neighbours_are_those_of_the_naive_twin(
    space: ConfigurationSpace, count: int, wanted: int, seed: int
) -> None:
    points = _points(space, count, seed)
    found = nearest(space, points, points, wanted, same=True)
    assert found.shape == (count, max(0, min(wanted, count - 1)))
    for at in range(count):
        ranked = naive.nearest(points.tolist(), points[at].tolist(), space.weights.tolist(), space.periods.tolist())
        assert found[at].tolist() == [other for other in ranked if other != at][: found.shape[1]]


@given(SPACES, st.integers(1, 20), st.integers(1, 6), st.integers(0, 2**32 - 1))
def test_other_points_may_be_asked_for(space: ConfigurationSpace, count: int, wanted: int, seed: int) -> None:
    points, queries = _points(space, count, seed), _points(space, 4, seed + 1)
    found = nearest(space, points, queries, wanted)
    for query, row in zip(queries.tolist(), found.tolist(), strict=True):
        ranked = naive.nearest(points.tolist(), query, space.weights.tolist(), space.periods.tolist())
        assert row == ranked[: min(wanted, count)]
    assert np.array_equal(nearest(space, points, queries, wanted, centred=True), found)


@given(SPACES, st.integers(0, 20), st.sampled_from((0.5, 1.0, 2.5)), st.integers(0, 2**32 - 1))
def test_pairs_within_a_radius(space: ConfigurationSpace, count: int, radius: float, seed: int) -> None:
    points = _points(space, count, seed)
    lengths = space.weights.tolist(), space.periods.tolist()
    expected = [
        [one, other]
        for one in range(count)
        for other in range(one + 1, count)
        if naive.distance(points[one].tolist(), points[other].tolist(), *lengths) <= radius
    ]
    assert pairs_within(space, points, radius).tolist() == expected


@given(SPACES, st.integers(2, 25), st.integers(1, 5), st.integers(0, 2**32 - 1))
def test_each_pair_of_neighbours_comes_once(space: ConfigurationSpace, count: int, wanted: int, seed: int) -> None:
    points = _points(space, count, seed)
    numbers = nearest(space, points, points, wanted, same=True)
    expected = {(min(at, other), max(at, other)) for at in range(count) for other in numbers[at].tolist()}
    assert nearest_pairs(space, points, wanted).tolist() == sorted(map(list, expected))


@given(st.integers(1, 12), st.lists(st.tuples(st.integers(0, 11), st.integers(0, 11)), max_size=15))
def test_components(vertex_count: int, edges: list[tuple[int, int]]) -> None:
    kept = [(one % vertex_count, other % vertex_count) for one, other in edges]
    table = np.array(kept, np.int32).reshape(-1, 2)
    found = components(vertex_count, table[:, 0], table[:, 1])
    assert found.tolist() == naive.components(vertex_count, kept)


def test_unique_pairs_are_sorted_with_the_smaller_number_first() -> None:
    assert unique_pairs(np.array([3, 1, 0]), np.array([1, 3, 2]), 4).tolist() == [[0, 2], [1, 3]]


def test_the_neighbours_of_prm_star() -> None:
    assert prm_star_neighbours(1, 3) == 1
    assert prm_star_neighbours(1000, 2) == math.ceil(math.e * 1.5 * math.log(1000))


@pytest.mark.parametrize("radius", [0.0, -1.0, np.nan, np.inf])
def test_bad_radii_are_refused(radius: float) -> None:
    with pytest.raises(GraphError, match="a radius must be a positive number"):
        pairs_within(ConfigurationSpace.within([0.0], [1.0]), np.zeros((2, 1)), radius)
