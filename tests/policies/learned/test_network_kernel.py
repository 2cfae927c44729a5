from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from sailplan.policies.learned.kernel import forward_rows
from sailplan.policies.learned.network import allocate_network
from tests.learned_policies import random_network
from tests.naive.network import forward

SEEDS = st.integers(0, 2**32 - 1)


@settings(max_examples=30)
@given(seed=SEEDS, columns=st.integers(1, 9), hidden=st.lists(st.integers(1, 7), max_size=3))
def test_like_the_naive_one_to_the_last_bit(seed: int, columns: int, hidden: list[int]) -> None:
    arrays = random_network(seed, columns, tuple(hidden)).arrays()
    rows = np.random.default_rng(seed).normal(size=(4, columns)).round(1)
    results = np.empty(4)
    forward_rows(arrays, rows, results)
    assert results.tolist() == [forward(arrays, row) for row in rows.tolist()]


def test_a_layer_as_wide_as_its_input_and_wider() -> None:
    layers = [
        (np.eye(2, 3, dtype=np.float32), np.array([0.0, 0.0, -5.0], np.float32)),
        (np.array([[1.0], [10.0], [100.0]], np.float32), np.array([0.5], np.float32)),
    ]
    results = np.empty(2)
    forward_rows(allocate_network(layers, np.array([0.0, 1000.0])), np.array([[2.0, 3.0], [-2.0, 3.0]]), results)
    assert results.tolist() == [2.0 + 30.0 + 0.5 + 3000.0, 30.0 + 0.5 + 3000.0]


def test_an_infinite_column_that_has_no_weight_at_all_spoils_nothing() -> None:
    layers = [(np.array([[0.0], [1.0]], np.float32), np.zeros(1, np.float32))]
    results = np.empty(2)
    rows = np.array([[1.0, 7.0], [0.0, np.inf]])
    forward_rows(allocate_network(layers, np.array([0.0, 0.0])), rows, results)
    assert results.tolist() == [7.0, np.inf]
