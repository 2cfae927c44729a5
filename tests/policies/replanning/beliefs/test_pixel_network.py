from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from sailplan.errors import ModelError
from sailplan.policies.replanning.beliefs.pixel_network import INPUTS, OUTPUTS, POSITIONS, PixelNetwork
from sailplan.policies.replanning.beliefs.pixels import PIXELS, Floats
from tests.naive.pixels import forward
from tests.policies.replanning.beliefs.random_networks import random_network


def test_like_loops_over_places() -> None:
    rng = np.random.default_rng(3)
    network = random_network(rng, near=3, far=2)
    inputs, positions = (rng.normal(size=(count, PIXELS, PIXELS)).astype(np.float32) for count in (INPUTS, POSITIONS))
    outputs = network(inputs, positions, framed=True)
    assert np.array_equal(network(inputs, positions, framed=False) + network.offsets, outputs)
    assert outputs.shape == (OUTPUTS, PIXELS, PIXELS)
    assert outputs.dtype == np.float32
    assert np.abs(outputs - forward(network, inputs.astype(float), positions.astype(float))).max() < 1e-4


def test_a_network_of_zeros_returns_its_offsets() -> None:
    rng = np.random.default_rng(0)
    offsets = rng.normal(size=(OUTPUTS, PIXELS, PIXELS)).astype(np.float32)
    network = replace(random_network(rng, size=0.0), offsets=offsets)
    ones = np.ones((2, INPUTS, PIXELS, PIXELS), np.float32)
    assert np.array_equal(network(*ones, framed=True), offsets)
    assert not network(*ones, framed=False).any()


def test_a_network_survives_the_way_through_a_file() -> None:
    network = random_network(np.random.default_rng(5), near=6, far=7)
    again = PixelNetwork.build(network.describe())
    assert again.channels == (6, 7)
    inputs = np.random.default_rng(1).normal(size=(2, INPUTS, PIXELS, PIXELS)).astype(np.float32)
    assert np.array_equal(again(*inputs, framed=True), network(*inputs, framed=True))


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("offsets", lambda good: good[:, 1:]),
        ("offsets", lambda good: good * np.float32(np.nan)),
        ("offsets", lambda good: good.astype(np.float64)),
        ("first.weights", lambda good: good[..., 1:]),
        ("first.weights", lambda good: good[1:]),
        ("first.biases", lambda good: good[1:]),
        ("first.biases", lambda good: good[:0]),
        ("first.biases", lambda good: np.zeros(5000, np.float32)),
        ("down.biases", lambda good: good[1:]),
        ("wide1.weights", lambda good: good[..., :2]),
        ("near.weights", lambda good: good * np.float32(np.inf)),
        ("last.biases", lambda good: good.astype(np.int32)),
        ("up.weights", lambda good: good[None]),
    ],
)
@pytest.mark.filterwarnings("ignore:invalid value encountered:RuntimeWarning")
def test_tensors_that_do_not_fit_are_one_line(name: str, change: Callable[[Floats], Any]) -> None:
    tensors = random_network(np.random.default_rng(0)).describe()
    tensors[name] = change(tensors[name])
    with pytest.raises(ModelError) as raised:
        PixelNetwork.build(tensors)
    assert "\n" not in str(raised.value)
