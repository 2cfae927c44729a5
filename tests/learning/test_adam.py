from __future__ import annotations

import numpy as np
import pytest

from sailplan.learning.adam import Adam


@pytest.mark.parametrize("least_scale", [0.0, 0.1])
def test_directions_are_like_the_definition(least_scale: float) -> None:
    gradients = np.random.default_rng(0).normal(size=(20, 3)) * [1.0, 10.0, 0.1]
    adam = Adam((3,), 0.9, 0.99, least_scale)
    for count in range(1, 21):
        ages = np.arange(count)[::-1, None]
        means = [
            (decay**ages * powers).sum(axis=0) / (decay**ages).sum()
            for decay, powers in ((0.9, gradients[:count]), (0.99, gradients[:count] ** 2))
        ]
        scale = np.sqrt(means[1])
        expected = means[0] / (scale + least_scale * scale.max())
        assert adam.direction(gradients[count - 1]) == pytest.approx(expected, rel=1e-6)


def test_a_gradient_of_zero_has_no_direction() -> None:
    assert not Adam((2,), 0.9, 0.99).direction(np.zeros(2)).any()
