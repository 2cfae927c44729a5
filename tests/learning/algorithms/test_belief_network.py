from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from sailplan.core.kernel.arrays import CLOSED, INVALID
from sailplan.errors import TrainingError
from sailplan.learning.algorithms.belief_network import (
    BeliefRound,
    CellLearner,
    CellNetworkSettings,
    Snapshot,
    TorchCellNetwork,
    roll_out,
    train_belief_network,
)
from sailplan.policies.replanning.beliefs.cell_network import inputs_of
from sailplan.policies.replanning.policy import ReplanningPolicy
from tests.learning.tiny import pocket_problem, tiny_problems

TINY = CellNetworkSettings(
    rounds=2,
    worlds_per_round=4,
    snapshots=2,
    side=3,
    channels=6,
    dilations=(1, 2),
    steps=20,
    batch_size=4,
    learning_rate=0.01,
)


def test_numpy_gives_what_torch_gives() -> None:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(4)
        net = TorchCellNetwork(TINY)
        torch.nn.init.normal_(net.last.weight)
        inputs = torch.randn(1, 7, 5, inputs_of(TINY.side))
    with torch.no_grad():
        expected = net(inputs)[0].numpy()
    assert np.abs(net.without_torch()(inputs[0].numpy()) - expected).max() < 1e-5


def test_the_loss_falls_with_the_steps() -> None:
    last = []
    for learning_rate in (0.02, 1e-9):
        rounds: list[BeliefRound] = []
        settings = replace(TINY, steps=80, channels=12, learning_rate=learning_rate)
        train_belief_network(tiny_problems(6, size=21), settings, seed=1, on_round=rounds.append)
        assert [one.snapshots for one in rounds] == [8, 16]
        last.append(rounds[-1].loss)
    assert last[0] < 0.9 * last[1]


def test_seeds_reproduce() -> None:
    problems = tiny_problems(6, size=21)
    one, again, other = (
        train_belief_network(problems, TINY, seed=seed).multipliers(problems[0]).tolist() for seed in (1, 1, 2)
    )
    assert one == again
    assert one != other


def test_where_all_is_known_there_is_nothing_to_learn() -> None:
    blocked = np.eye(9, dtype=np.bool_)
    learner = CellLearner(TINY, np.full((9, 9), 0.1), seed=0)
    everything = Snapshot(np.where(blocked, INVALID, CLOSED).astype(np.uint8), blocked)
    assert learner.fit([everything], np.random.default_rng(0)) == 0.0
    assert not learner.network().last.weights.any()


def test_moments_of_a_roll_out_are_in_order() -> None:
    length, moments = roll_out(tiny_problems()[0], ReplanningPolicy(), TINY, np.random.default_rng(0))
    seen = [np.count_nonzero(known) for known in moments]
    assert length > 0
    assert seen == sorted(seen)


def test_worlds_of_several_frames_and_other_graphs_are_refused() -> None:
    for problems in ([], [tiny_problems()[0], tiny_problems(size=21)[0]], [pocket_problem()]):
        with pytest.raises(TrainingError, match="grids of one size"):
            train_belief_network(problems, TINY, seed=0)
    with pytest.raises(TrainingError, match="at least 1"):
        CellNetworkSettings(dilations=(1, 0))
