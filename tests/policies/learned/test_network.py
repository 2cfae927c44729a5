from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sailplan.errors import ModelError
from sailplan.policies.learned.network import DenseNetwork, Layer, Scaling
from tests.learned_policies import random_network
from tests.naive.network import score


@settings(max_examples=40)
@given(seed=st.integers(0, 2**32 - 1), columns=st.integers(1, 9), hidden=st.lists(st.integers(1, 7), max_size=3))
def test_a_score_is_what_the_definition_says(seed: int, columns: int, hidden: list[int]) -> None:
    network = random_network(seed, columns, tuple(hidden))
    rows = np.random.default_rng(seed).normal(size=(5, columns)) * 3.0
    expected = [score(network, row) for row in rows.tolist()]
    assert network.predict(rows) == pytest.approx(expected, rel=1e-3, abs=1e-3)


def test_rows_in_any_order_of_memory() -> None:
    network = random_network(1, 4)
    rows = np.random.default_rng(1).normal(size=(6, 4)).round(2)
    expected = network.predict(rows).tolist()
    assert network.predict(np.asfortranarray(rows)).tolist() == expected
    assert network.predict(np.repeat(rows, 2, axis=0)[::2]).tolist() == expected
    assert network.predict(rows[:0]).tolist() == []


def test_searches_share_no_scratch() -> None:
    network = random_network(1, 4)
    assert not np.shares_memory(network.arrays().scratch, network.arrays().scratch)
    assert np.shares_memory(network.arrays().weights, network.arrays().weights)


def _layer(inputs: int, outputs: int) -> Layer:
    return np.zeros((inputs, outputs), np.float32), np.zeros(outputs, np.float32)


@pytest.mark.parametrize(
    ("layers", "deviations", "linear", "message"),
    [
        ((), 3, 3, "a network of 3 columns needs as many deviations and linear terms, and a layer"),
        ((_layer(3, 1),), 2, 3, "a network of 3 columns needs as many deviations"),
        ((_layer(3, 1),), 3, 4, "a network of 3 columns needs as many deviations"),
        ((_layer(2, 1),), 3, 3, r"layer 0: weights of shape \(2, 1\) after 3 values"),
        ((_layer(3, 4), _layer(3, 1)), 3, 3, r"layer 1: weights of shape \(3, 1\) after 4 values"),
        ((_layer(3, 4),), 3, 3, "the last layer must have one output, not 4"),
    ],
)
def test_parts_that_do_not_fit(layers: tuple[Layer, ...], deviations: int, linear: int, message: str) -> None:
    with pytest.raises(ModelError, match=f"^{message}"):
        DenseNetwork(layers, Scaling(np.zeros(3), np.ones(deviations)), np.zeros(linear))
