from __future__ import annotations

import numpy as np
import pytest
import torch

from sailplan.learning.algorithms.planner.network import TorchPixelNetwork, hidden_loss, stacked
from sailplan.policies.replanning.beliefs.learned import LearnedMultipliers, log_odds
from sailplan.policies.replanning.beliefs.pixel_network import INPUTS, OUTPUTS, POSITIONS
from sailplan.policies.replanning.beliefs.pixels import PIXELS, Floats
from sailplan.policies.replanning.beliefs.prior import Penalty
from tests.policies.replanning.beliefs.random_networks import FRAME, random_memory, random_network

PENALTY = Penalty(0.7, 2.0, 0.99, 1.3)


def _numbers(rng: np.random.Generator, count: int) -> Floats:
    return rng.normal(size=(count, PIXELS, PIXELS)).astype(np.float32)


@pytest.mark.parametrize("channels", [(3, 5), (8, 2)])
def test_numpy_gives_what_torch_gives(channels: tuple[int, int]) -> None:
    rng = np.random.default_rng(4)
    network = random_network(rng, *channels)
    inputs, positions = ([_numbers(rng, count) for _ in range(2)] for count in (INPUTS, POSITIONS))
    with torch.no_grad():
        framed = torch.tensor([1.0, 0.0])
        expected = TorchPixelNetwork.of(network, PENALTY)(stacked(inputs), stacked(positions), framed).numpy()
    for state in range(2):
        outputs = network(inputs[state], positions[state], framed=state == 0)
        assert np.abs(outputs - expected[state]).max() < 1e-4


def test_to_torch_and_back_nothing_changes() -> None:
    network = random_network(np.random.default_rng(1))
    made = TorchPixelNetwork.of(network, PENALTY)
    tensors, again = network.describe(), made.without_torch().describe()
    assert made.penalty.describe() == pytest.approx(PENALTY.describe())
    assert tensors.keys() == again.keys()
    assert all(np.array_equal(tensors[name], again[name]) for name in tensors)


def test_an_untrained_network_adds_nothing_to_the_memory() -> None:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        network = TorchPixelNetwork(4, 4, PENALTY).without_torch()
    rng = np.random.default_rng(0)
    added, extra = network(_numbers(rng, INPUTS), _numbers(rng, POSITIONS), framed=True)
    assert not added.any()
    assert np.logaddexp(0.0, extra).max() < 0.1


def test_multipliers_are_interpreted_as_in_a_search() -> None:
    rng = np.random.default_rng(2)
    belief = LearnedMultipliers(random_network(rng), random_memory(rng), FRAME, PENALTY)
    known, positions = rng.random((3, PIXELS, PIXELS)).astype(np.float32), _numbers(rng, POSITIONS)
    recalled = rng.random((2, PIXELS, PIXELS)).astype(np.float32)
    expected = belief.predict(known, recalled, positions, framed=True)
    inputs = np.concatenate([known, belief.memory.frequencies[None], recalled])
    with torch.no_grad():
        network, recalled_odds = (
            TorchPixelNetwork.of(belief.network, PENALTY),
            log_odds(belief.memory.expected(recalled)),
        )
        outputs = network(stacked([inputs]), stacked([positions]), torch.ones(1))
        frequencies = torch.from_numpy(belief.memory.frequencies)
        odds, multipliers = network.interpret(outputs, stacked([recalled_odds]), frequencies)
    assert outputs.shape == (1, OUTPUTS, PIXELS, PIXELS)
    assert torch.sigmoid(odds[0]).numpy() == pytest.approx(expected.blocked, abs=1e-4)
    assert multipliers[0].numpy() == pytest.approx(expected.multipliers, rel=1e-3)


def test_the_cross_entropy_of_hidden_cells() -> None:
    odds = torch.tensor([[[0.0, 2.0], [-1.0, 5.0]]])
    shares, weights = torch.tensor([[[0.5, 1.0], [0.0, 0.0]]]), torch.tensor([[[1.0, 0.5], [1.0, 0.0]]])
    chances = 1.0 / (1.0 + np.exp(-np.array([0.0, 2.0, -1.0])))
    losses = [np.log(2.0), -np.log(chances[1]), -np.log(1.0 - chances[2])]
    assert hidden_loss(odds, shares, weights).item() == pytest.approx((losses[0] + 0.5 * losses[1] + losses[2]) / 4)
