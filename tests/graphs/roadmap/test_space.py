from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sailplan.errors import GraphError
from sailplan.graphs.roadmap import ConfigurationSpace

COORDINATES = st.floats(-3.0, 3.0)
CONFIGURATIONS = st.tuples(COORDINATES, COORDINATES, COORDINATES)
SPACE = ConfigurationSpace.within(
    [-3.0, -3.0, -3.0], [3.0, 3.0, 3.0], weights=[1.0, 2.0, 0.5], wraps=[False, True, True], names=("a", "b", "c")
)


@given(CONFIGURATIONS, CONFIGURATIONS)
def test_the_distance_is_a_metric_that_the_embedding_never_exceeds(
    one: tuple[float, ...], other: tuple[float, ...]
) -> None:
    first, second = np.array(one), np.array(other)
    length = float(SPACE.distance(first, second))
    assert math.isclose(length, float(SPACE.distance(second, first)), abs_tol=1e-12)
    places = SPACE.embed(np.stack([first, second]))
    assert float(np.linalg.norm(places[0] - places[1])) <= length + 1e-9


@given(CONFIGURATIONS, CONFIGURATIONS)
def test_the_difference_leads_from_one_to_the_other(one: tuple[float, ...], other: tuple[float, ...]) -> None:
    first, second = np.array(one), np.array(other)
    reached = first + SPACE.difference(first, second)
    turns = (reached - second) / 6.0
    assert np.allclose(turns, np.round(turns), atol=1e-9)
    assert turns[0] == pytest.approx(0.0)
    assert (abs(SPACE.difference(first, second))[1:] <= 3.0 + 1e-9).all()


def test_a_dimension_that_wraps_is_crossed_the_short_way() -> None:
    one, other = np.array([0.0, -2.9, 0.0]), np.array([0.0, 2.9, 0.0])
    assert float(SPACE.distance(one, other)) == pytest.approx(2.0 * 0.2)


def test_without_wrapping_the_embedding_keeps_distances() -> None:
    space = ConfigurationSpace.within([0.0, 0.0], [1.0, 1.0], weights=[3.0, 4.0])
    one, other = np.array([0.0, 0.0]), np.array([1.0, 1.0])
    assert float(space.distance(one, other)) == 5.0
    assert np.linalg.norm(np.subtract(*space.embed(np.stack([one, other])))) == 5.0


def test_a_configuration_is_turned_into_the_limits() -> None:
    assert SPACE.normalised([1.0, 4.0, -9.5], "it").tolist() == pytest.approx([1.0, -2.0, 2.5])


def test_rounding_may_exceed_a_limit() -> None:
    assert SPACE.normalised([3.000001, 0.0, 0.0], "it")[0] == 3.0


@pytest.mark.parametrize(
    ("configuration", "message"),
    [
        ([3.5, 0.0, 0.0], r"^the start: a is 3\.5, outside -3 \.\. 3$"),
        ([0.0, 0.0], "^the start: 3 numbers are needed, got 2$"),
        ([0.0, math.nan, 0.0], "^the start must be a list of finite numbers"),
        ("abc", "^the start must be a list of numbers"),
        (1.0, "^the start must be a list of finite numbers"),
    ],
)
def test_bad_configurations_are_refused(configuration: Any, message: str) -> None:
    with pytest.raises(GraphError, match=message):
        SPACE.normalised(configuration, "the start")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([0.0], [0.0]), "each lower limit must be below the upper one"),
        (([], []), "each lower limit must be below the upper one"),
        (([0.0], [1.0, 2.0]), r"upper has the shape \(2,\)"),
        (([0.0], [math.inf]), "upper must be a list of finite numbers"),
        (([0.0], [1.0], [0.0]), "weights must be positive"),
        (([0.0], [1.0], [1.0, 1.0]), r"weights has the shape \(2,\)"),
        (([0.0], [1.0], None, [1]), "wraps must be a bool for each dimension"),
        (([0.0], [1.0], None, None, ("a", "b")), "1 dimensions need as many names"),
    ],
)
def test_bad_spaces_are_refused(arguments: tuple[Any, ...], message: str) -> None:
    with pytest.raises(GraphError, match=message):
        ConfigurationSpace.within(*arguments)


def test_facts_describe_the_space() -> None:
    again = ConfigurationSpace.build(SPACE.facts())
    assert again.facts() == SPACE.facts()
    assert again.names == ("a", "b", "c")
    with pytest.raises(GraphError, match="its facts lack upper, joints"):
        ConfigurationSpace.build({"lower": [0.0], "weights": [1.0], "wraps": [False]})
