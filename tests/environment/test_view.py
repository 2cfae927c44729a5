from __future__ import annotations

import numpy as np
import pytest

from sailplan.environment import Top, View
from sailplan.environment.view import LARGEST_VALUE
from sailplan.errors import EpisodeError, PolicyError
from sailplan.policies.features import feature_set


def test_an_observation_is_finite_and_its_own() -> None:
    view = View(Top(3), feature_set("relative"))
    steering = view.steering()
    steering.rows[0, :4] = np.nan, np.inf, -np.inf, 0.5
    steering.candidates[0] = 7, 3, -1
    seen = view.observation(steering)
    assert seen["candidates"][:4].tolist() == [-LARGEST_VALUE, LARGEST_VALUE, -LARGEST_VALUE, 0.5]
    assert seen["present"].tolist() == [1, 1, 0]
    assert [str(array.dtype) for array in (seen["candidates"], seen["present"])] == ["float32", "int8"]
    steering.rows[:] = 2.0
    assert not (seen["candidates"] == 2.0).any()


def test_what_a_view_cannot_rank_by() -> None:
    with pytest.raises(PolicyError, match="no heuristic 'guess'"):
        Top(3, "guess")
    with pytest.raises(EpisodeError, match="at least 1, got 0"):
        Top(0)
