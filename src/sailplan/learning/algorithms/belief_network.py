"""Train the network of a belief by imitation: the hidden cells are the labels of what a search has seen (torch)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from sailplan.core import Limits, open_search, search
from sailplan.core.graph import FloatArray, Problem
from sailplan.core.kernel.arrays import INVALID, UNSEEN
from sailplan.core.search import ScriptedPolicy
from sailplan.errors import TrainingError
from sailplan.graphs.grid.graph import GridGraph
from sailplan.learning.regressors.torch_network import one_thread
from sailplan.policies.replanning.beliefs import Refresh
from sailplan.policies.replanning.beliefs.cell_network import CellNetwork, Layer, as_pixels, inputs_of, network_inputs
from sailplan.policies.replanning.beliefs.network import NetworkBelief, log_odds
from sailplan.policies.replanning.beliefs.prior import Frame, Penalty, Prior, blocked_frequencies
from sailplan.policies.replanning.policy import ReplanningPolicy

Known = NDArray[np.uint8]
"""The status of each cell at one step of a search."""


@dataclass(frozen=True)
class CellNetworkSettings:
    """Settings of the network of a belief and of its training."""

    rounds: int = 3
    """Rounds of rolling out and learning; the first rolls out with the prior, the others with the network."""
    worlds_per_round: int = 200
    snapshots: int = 4
    """Random steps of each roll-out that are learned from."""
    max_expansions: int = 1100
    """Longest roll-out."""
    side: int = 6
    """Side of a pixel in cells."""
    channels: int = 32
    dilations: tuple[int, ...] = (1, 2, 4, 8, 4, 1)
    """Dilation of each convolution."""
    steps: int = 300
    """Steps of the optimiser (Adam) in each round; the step size decays to zero."""
    batch_size: int = 16
    learning_rate: float = 0.003
    surprises: tuple[float, ...] = (0.0, 1.0, 3.0, 8.0)
    """Each roll-out uses one of these weights of the penalty: they lead to different places, and the network must know
    all of them before one is chosen."""
    refresh: Refresh = field(default_factory=lambda: Refresh(expansions=20, invalid=10))

    def __post_init__(self) -> None:
        counts = (self.rounds, self.worlds_per_round, self.snapshots, self.side, self.channels, self.steps)
        if min(*counts, *self.dilations, self.batch_size, self.max_expansions) < 1 or not self.surprises:
            raise TrainingError(f"a belief needs numbers of at least 1 and some surprises, got {self}")


class BeliefRound(NamedTuple):
    """What a round did."""

    number: int
    snapshots: int
    """Number of snapshots so far."""
    expansions: float
    """Mean expansions of the roll-outs."""
    loss: float
    """Mean cross-entropy of the unknown cells over the last steps."""


class Snapshot(NamedTuple):
    """The status of each cell at one step of a search, and the world."""

    known: Known
    blocked: NDArray[np.bool_]


def train_belief_network(
    problems: Sequence[Problem],
    settings: CellNetworkSettings,
    *,
    seed: int,
    on_round: Callable[[BeliefRound], None] = lambda done: None,
) -> NetworkBelief:
    """Learn to predict the hidden cells of worlds of one frame from what searches have seen of them.

    Parameters
    ----------
    problems
        Problems on grids of one size with one start and goal.
    settings
        Settings of the network and the training.
    seed
        Seed of all random numbers.
    on_round
        Called after each round.

    Returns
    -------
    NetworkBelief
        The belief of the last round.

    Raises
    ------
    TrainingError
        If the problems differ in size, start or goal.
    """
    frame = Frame.shared(problems)
    worlds = [problem.graph for problem in problems if isinstance(problem.graph, GridGraph)]
    frequencies = blocked_frequencies([graph.world for graph in worlds])
    learner = CellLearner(settings, frequencies.reshape(frame.height, frame.width), seed)
    belief = NetworkBelief(frame, learner.network(), frequencies, refresh=settings.refresh)
    snapshots: list[Snapshot] = []
    for number in range(1, settings.rounds + 1):
        rng = np.random.default_rng([seed, number])
        lengths = []
        for index in rng.permutation(len(problems))[: settings.worlds_per_round]:
            penalty = Penalty(surprise=rng.choice(settings.surprises))
            rolled = replace(belief, penalty=penalty) if number > 1 else Prior(frame, frequencies, penalty)
            length, moments = roll_out(problems[index], ReplanningPolicy(rolled), settings, rng)
            lengths.append(length)
            snapshots += [Snapshot(known, worlds[index].world.blocked) for known in moments]
        loss = learner.fit(snapshots, rng)
        belief = replace(belief, network=learner.network())
        on_round(BeliefRound(number, len(snapshots), float(np.mean(lengths)), loss))
    return belief


def roll_out(
    problem: Problem, policy: ReplanningPolicy, settings: CellNetworkSettings, rng: np.random.Generator
) -> tuple[int, list[Known]]:
    """The number of expansions of a search, and the status of the cells at random steps of it."""
    trace = search(problem, policy, Limits(expansions=settings.max_expansions)).trace
    length = len(trace.expanded)
    again = open_search(problem, ScriptedPolicy(trace))
    moments = []
    for step in np.sort(rng.integers(0, length + 1, settings.snapshots)):
        again.advance(Limits(expansions=int(step)))
        moments.append(again.state.status.copy())
    return length, moments


class CellLearner:
    """The network while it is trained. The same seed and data give the same weights."""

    def __init__(self, settings: CellNetworkSettings, frequencies: FloatArray, seed: int) -> None:
        self._settings, self._odds = settings, log_odds(frequencies)
        with one_thread(), torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            self._net = TorchCellNetwork(settings)

    def fit(self, snapshots: Sequence[Snapshot], rng: np.random.Generator) -> float:
        """Take steps on random batches; return the mean loss of the last quarter of them."""
        settings = self._settings
        losses = []
        with one_thread():
            optimiser = torch.optim.Adam(self._net.parameters(), lr=settings.learning_rate, foreach=False)
            for step in range(settings.steps):
                optimiser.param_groups[0]["lr"] = settings.learning_rate * (1.0 - step / settings.steps)
                chosen = rng.integers(0, len(snapshots), settings.batch_size)
                loss = self.loss([snapshots[index] for index in chosen])
                optimiser.zero_grad()
                loss.backward()  # type: ignore[no-untyped-call]
                optimiser.step()
                losses.append(loss.item())
        return float(np.mean(losses[-max(1, len(losses) // 4) :]))

    def loss(self, batch: Sequence[Snapshot]) -> Tensor:
        """Mean cross-entropy of the unknown cells."""
        side = self._settings.side
        blocked = np.stack([one.blocked for one in batch])
        known = np.stack([one.known for one in batch]).reshape(blocked.shape)
        inputs = network_inputs((known != UNSEEN) & (known != INVALID), known == INVALID, self._odds, side)
        unknown = torch.from_numpy(as_pixels(known == UNSEEN, side))
        labels = torch.from_numpy(as_pixels(blocked, side).astype(np.float32))
        logits = self._net(torch.from_numpy(inputs)) + torch.from_numpy(as_pixels(self._odds, side))
        total = nn.functional.binary_cross_entropy_with_logits(logits[unknown], labels[unknown], reduction="sum")
        return total / max(int(unknown.sum()), 1)

    def network(self) -> CellNetwork:
        """The network without torch."""
        return self._net.without_torch()


class TorchCellNetwork(nn.Module):
    """The same layers as CellNetwork; pixels go in and out in the same order."""

    def __init__(self, settings: CellNetworkSettings) -> None:
        super().__init__()
        side, channels = settings.side, settings.channels
        self._side, self._dilations = side, settings.dilations
        self.first = nn.Linear(inputs_of(side), channels)
        self.middle = nn.ModuleList(
            nn.Conv2d(channels, channels, 3, padding=dilation, dilation=dilation) for dilation in settings.dilations
        )
        self.last = nn.Linear(channels, side**2)
        nn.init.zeros_(self.last.weight)
        nn.init.zeros_(self.last.bias)

    def forward(self, inputs: Tensor) -> Tensor:
        """The change of the log odds of each cell; all arrays have shape (grids, rows, columns, numbers)."""
        values = torch.relu(self.first(inputs)).movedim(-1, 1)
        for convolution in self.middle:
            values = values + torch.relu(convolution(values))
        outputs: Tensor = self.last(values.movedim(1, -1))
        return outputs

    def without_torch(self) -> CellNetwork:
        """The network as numpy arrays."""
        middle = tuple(
            _layer(one.weight.permute(2, 3, 1, 0).reshape(-1, one.out_channels), one.bias)
            for one in self.middle
            if isinstance(one, nn.Conv2d)
        )
        first, last = (_layer(one.weight.t(), one.bias) for one in (self.first, self.last))
        return CellNetwork(self._side, self._dilations, first, middle, last)


def _layer(weights: Tensor, biases: Tensor | None) -> Layer:
    assert biases is not None
    weight, bias = (one.detach().numpy().astype(np.float32, order="C", copy=True) for one in (weights, biases))
    return Layer(weight, bias)
