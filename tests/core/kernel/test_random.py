from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sailplan.core.kernel.random import coin, draw

SEEDS = st.integers(0, 2**63 - 1)
STEPS = st.integers(0, 2**40)


def _splitmix64(seed: int, step: int) -> int:
    """Return the number that SplitMix64 gives after so many others, with the integers of Python."""
    mask = 2**64 - 1
    bits = (seed + (step + 1) * 0x9E3779B97F4A7C15) & mask
    bits = ((bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9) & mask
    bits = ((bits ^ (bits >> 27)) * 0x94D049BB133111EB) & mask
    return bits ^ (bits >> 31)


def test_the_published_numbers() -> None:
    # The first of seed 1234567, from the reference implementation's own test.
    assert _splitmix64(1234567, 0) == 6457827717110365317
    assert draw(1234567, 0) == (6457827717110365317 >> 11) / 2**53


@given(seed=SEEDS, step=STEPS)
def test_like_the_naive_one(seed: int, step: int) -> None:
    number = draw(seed, step)
    assert number == (_splitmix64(seed, step) >> 11) / 2**53
    assert 0.0 <= number < 1.0


@given(seed=SEEDS, step=STEPS)
def test_a_certain_coin_never_fails(seed: int, step: int) -> None:
    assert coin(seed, step, 1.0)
    assert not coin(seed, step, 0.0)
    assert coin(seed, step, 0.5) == (draw(seed, step) < 0.5)


@pytest.mark.parametrize("probability", [0.1, 0.5, 0.9])
@pytest.mark.parametrize("seed", [0, 1, 2**62])
def test_a_coin_is_as_fair_as_it_says(seed: int, probability: float) -> None:
    tosses = 10_000
    heads = sum(coin(seed, step, probability) for step in range(tosses))
    # Five deviations: once in two million seeds, and these are fixed.
    assert abs(heads - tosses * probability) < 5 * (tosses * probability * (1 - probability)) ** 0.5


def test_neighbouring_seeds_and_steps_have_nothing_in_common() -> None:
    numbers = [[draw(seed, step) for step in range(50)] for seed in range(50)]
    assert len({number for row in numbers for number in row}) == 2500
    same = sum((one < 0.5) == (other < 0.5) for one, other in zip(numbers[0], numbers[1], strict=True))
    assert 10 < same < 40
