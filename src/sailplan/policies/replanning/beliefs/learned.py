"""A belief whose cost multipliers were learned through the planner, for grids of any size, start and goal."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sailplan.core.graph import FloatArray, Problem
from sailplan.core.kernel.arrays import UNSEEN
from sailplan.core.state import SearchState
from sailplan.graphs.grid.graph import GridGraph
from sailplan.policies.replanning.beliefs.belief import Refresh, Tensors, saveable
from sailplan.policies.replanning.beliefs.pixel_network import PixelNetwork
from sailplan.policies.replanning.beliefs.pixels import Floats, PixelFrame, PixelMemory, PixelView, Recollection, fits
from sailplan.policies.replanning.beliefs.prior import Penalty

OFTEN = Refresh(expansions=10, invalid=4)
_LEAST_SURPRISE = 0.3
"""If no known cell differs more than this from its probability, the network is not asked again."""
_LEAST_STEP = 0.2
"""Relative changes of a multiplier up to this are ignored, because repairing distances is expensive."""
_RAREST = 0.003
"""Probabilities of the memory are clipped to this distance from 0 and 1."""
_MOST_OUTPUT, _MOST_ODDS = 1000.0, 80.0
"""Outputs of the network and log odds are clipped to these: the exponential of larger ones overflows."""


class Prediction(NamedTuple):
    """What the network predicts for each pixel."""

    multipliers: FloatArray
    """The cost multipliers of unseen cells."""
    blocked: Floats
    """The probability that an unseen cell is blocked."""


@saveable("learned")
@dataclass(frozen=True, eq=False)
class LearnedMultipliers:
    """Cost multipliers from a network that sees the known cells, the frequencies in training and the stored worlds.

    The first output of the network is added to the log odds that the stored worlds give; the second one, as its
    softplus, to the multiplier. A network that returns zeros and a large negative number is the posterior of the stored
    worlds.
    """

    network: PixelNetwork = field(repr=False)
    """The network."""
    memory: PixelMemory = field(repr=False)
    """The stored worlds."""
    frame: PixelFrame | None = None
    """Start and goal in training, if all problems had the same; the offsets of the network count only there."""
    penalty: Penalty = field(default_factory=lambda: Penalty(0.3, 8.0, 0.997, 1.5))
    """The multipliers as a function of the frequency in training and of the probability of being blocked."""
    name: str = "learned"
    """The name of the belief in notes."""
    refresh: Refresh = OFTEN
    """When the belief is updated during a search."""
    left_out: int | None = None
    """Index of a stored world that is ignored, because it is the one that is searched in training."""

    def why_unsupported(self, problem: Problem) -> str:
        """Return why a problem is not supported; an empty string if it is."""
        return "" if isinstance(problem.graph, GridGraph) else "it supports grids, and this is another graph"

    def multipliers(self, problem: Problem) -> FloatArray:
        """Return the multipliers if nothing is known."""
        return self.follow(problem).multipliers

    def follow(self, problem: Problem) -> LearnedFollower:
        """Return the state of the belief for one search."""
        return LearnedFollower(self, problem)

    def predict(self, known: Floats, recalled: Floats, positions: Floats, *, framed: bool) -> Prediction:
        """Return the prediction for what is known of each pixel, what the memory recalls, and the positions."""
        # Any finite weights are allowed: with very large ones, outputs are infinite or NaN, which counts as 0.
        with np.errstate(over="ignore", invalid="ignore"):
            outputs = self.network(network_inputs(known, self.memory, recalled), positions, framed=framed)
        added, extra = np.clip(np.nan_to_num(outputs), -_MOST_OUTPUT, _MOST_OUTPUT)
        odds = np.clip(log_odds(self.memory.expected(recalled)) + added, -_MOST_ODDS, _MOST_ODDS)
        blocked = 1.0 / (1.0 + np.exp(-odds))
        multipliers = self.penalty.multipliers(self.memory.frequencies.astype(np.float64), blocked)
        return Prediction(multipliers + np.logaddexp(0.0, extra), blocked)

    def describe(self) -> tuple[dict[str, Any], Tensors]:
        """Return the facts and tensors for a model file."""
        memory, worlds = self.memory.describe()
        frame = None if self.frame is None else [*self.frame.start, *self.frame.goal]
        facts = {
            "name": self.name,
            "frame": frame,
            "charging": self.penalty.describe(),
            "refresh": list(self.refresh),
            **memory,
        }
        return facts, {**self.network.describe(), **worlds}

    @classmethod
    def build(cls, facts: Mapping[str, Any], tensors: Tensors) -> LearnedMultipliers:
        """Create a belief from what `describe` returned."""
        network, memory = PixelNetwork.build(tensors), PixelMemory.build(facts, tensors)
        penalty, refresh = Penalty.build(facts["charging"]), Refresh.build(facts["refresh"])
        return cls(network, memory, PixelFrame.build(facts["frame"]), penalty, str(facts["name"]), refresh)


class LearnedFollower:
    """The belief in one search."""

    def __init__(self, belief: LearnedMultipliers, problem: Problem) -> None:
        self._belief, self._view = belief, PixelView.of(problem)
        self._positions, self._framed = self._view.positions(problem), fits(belief.frame, problem)
        self._recollection = Recollection(belief.memory, belief.left_out)
        self._seen = np.zeros(self._view.cells, np.bool_)
        self.multipliers = self._predict(np.full(self._view.cells, UNSEEN, np.uint8))

    def update(self, state: SearchState) -> FloatArray | None:
        """Return the multipliers, given the state of the search; None if nothing is a surprise."""
        status = state.status[: self._view.cells]
        if self._view.surprise(status, self._seen, self._expected) <= _LEAST_SURPRISE:
            return None
        multipliers = self._predict(status)
        kept = np.abs(multipliers - self.multipliers) <= _LEAST_STEP * self.multipliers
        kept &= status == UNSEEN
        self.multipliers = np.where(kept, self.multipliers, multipliers)
        return self.multipliers

    def _predict(self, status: NDArray[np.uint8]) -> FloatArray:
        known = self._view.known(status)
        self._recollection.update(known)
        prediction = self._belief.predict(known, self._recollection.shares(), self._positions, framed=self._framed)
        self._expected = prediction.blocked
        return self._view.spread(prediction.multipliers, status)


def network_inputs(known: Floats, memory: PixelMemory, recalled: Floats) -> Floats:
    """Return the inputs of each pixel, shape (INPUTS, PIXELS, PIXELS)."""
    return np.concatenate([known, memory.frequencies[None], recalled])


def log_odds(shares: Floats) -> Floats:
    """Return the log odds of shares, which are clipped so that none is certain."""
    kept = np.clip(shares, _RAREST, 1.0 - _RAREST)
    odds: Floats = np.log(kept / (1.0 - kept))
    return odds
