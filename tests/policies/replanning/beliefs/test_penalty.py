from __future__ import annotations

import math

import numpy as np
import pytest

from sailplan.errors import PolicyError
from sailplan.policies.replanning.beliefs.prior import Penalty


def test_by_hand() -> None:
    penalty = Penalty(prior_weight=2.0, surprise=3.0, certainty=0.5, sharpness=2.0)
    multipliers = penalty.multipliers(np.array([0.0, 0.5, 1.0]), np.array([0.0, 0.5, 1.0]))
    assert multipliers.tolist() == pytest.approx(
        [1.0, 1.0 + 1.0 - 3.0 * math.log(0.875), 1.0 + 2.0 + 3.0 * math.log(2.0)]
    )


def test_the_steady_part_is_of_the_frequencies_alone() -> None:
    assert Penalty(prior_weight=2.0).multipliers(np.array([0.5]), np.array([0.9])).tolist() == [2.0]
    assert Penalty(surprise=1.0, certainty=0.5).multipliers(np.array([0.5]), np.array([0.0])).tolist() == [1.0]


def test_more_is_charged_for_what_is_likelier_and_never_without_end() -> None:
    likely = np.linspace(0.0, 1.0, 101)
    multipliers = Penalty(prior_weight=0.5, surprise=10.0, certainty=0.9999).multipliers(likely, likely)
    assert (np.diff(multipliers) > 0).all()
    assert np.isfinite(multipliers).all()
    assert multipliers[0] == 1.0


@pytest.mark.parametrize(
    "weights", [(-1.0, 0.0, 0.5), (0.0, -1.0, 0.5), (0.0, 0.0, 1.0), (math.nan, 0.0, 0.5), (0.0, math.inf, 0.5)]
)
def test_what_cannot_be(weights: tuple[float, float, float]) -> None:
    with pytest.raises(PolicyError, match=r"^a penalty needs weights that are not negative"):
        Penalty(*weights)
