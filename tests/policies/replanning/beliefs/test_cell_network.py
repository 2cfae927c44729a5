from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sailplan.errors import ModelError
from sailplan.policies.replanning.beliefs.cell_network import (
    CellNetwork,
    Floats,
    as_cells,
    as_pixels,
    check_network,
    inputs_of,
    network_inputs,
)
from tests.policies.replanning.beliefs.random_networks import random_network


@given(height=st.integers(1, 9), width=st.integers(1, 9), side=st.integers(1, 4))
def test_pixels_and_back(height: int, width: int, side: int) -> None:
    cells = np.arange(1, height * width + 1).reshape(height, width)
    pixels = as_pixels(np.stack([cells, 2 * cells]), side)
    assert pixels.shape == (2, -(-height // side), -(-width // side), side**2)
    assert np.array_equal(as_cells(pixels[0], cells.shape), cells)
    assert pixels[1].sum() == 2 * cells.sum()


def test_inputs_are_what_is_known_of_each_cell_the_odds_and_where() -> None:
    free, blocked = np.zeros((2, 3, 5), np.bool_)
    free[0, 1], blocked[2, 4] = True, True
    inputs = network_inputs(free, blocked, np.full((3, 5), 2.0, np.float32), 2)
    assert inputs.shape == (2, 3, inputs_of(2))
    assert inputs[0, 0].tolist() == [0, 1, 0, 0, 0, 0, 0, 0, 0.5, 0.5, 0.5, 0.5, -1, -1]
    assert inputs[1, 2].tolist() == [0, 0, 0, 0, 1, 0, 0, 0, 0.5, 0, 0, 0, 1, 1]


def test_like_loops_over_pixels() -> None:
    rng = np.random.default_rng(3)
    network = random_network(rng)
    inputs = rng.normal(size=(4, 6, inputs_of(2))).astype(np.float32)
    assert np.allclose(network(inputs), _naive(network, inputs), atol=1e-5)


def test_layers_that_do_not_fit() -> None:
    good = random_network(np.random.default_rng(0))
    check_network(good)
    infinite = good.last._replace(weights=good.last.weights * np.float32(np.inf))
    for bad in (
        CellNetwork(3, good.dilations, good.first, good.middle, good.last),
        CellNetwork(2, (0, 1), good.first, good.middle, good.last),
        CellNetwork(2, good.dilations, good.first, (good.first, good.last), good.last),
        CellNetwork(2, good.dilations, good.first, good.middle, infinite),
    ):
        with pytest.raises(ModelError), np.errstate(invalid="ignore"):
            check_network(bad)


def _naive(network: CellNetwork, inputs: Floats) -> Floats:
    rows, columns = inputs.shape[:2]
    values = np.maximum(inputs @ network.first.weights + network.first.biases, 0)
    for (weights, biases), dilation in zip(network.middle, network.dilations, strict=True):
        kernel = weights.reshape(3, 3, -1, len(biases))
        changed = values.copy()
        for row, column in np.ndindex(rows, columns):
            total = biases.copy()
            for down, right in np.ndindex(3, 3):
                there = row + dilation * (down - 1), column + dilation * (right - 1)
                if 0 <= there[0] < rows and 0 <= there[1] < columns:
                    total += values[there] @ kernel[down, right]
            changed[row, column] += np.maximum(total, 0)
        values = changed
    outputs: Floats = values @ network.last.weights + network.last.biases
    return outputs
