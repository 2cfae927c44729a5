"""The belief of a convolutional network that guesses from the known part of a map what the rest is like."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sailplan.core.graph import FloatArray, Problem
from sailplan.core.kernel.arrays import CLOSED, INVALID, OPEN, UNSEEN
from sailplan.core.state import SearchState
from sailplan.policies.replanning.beliefs.belief import Refresh, Tensors, saveable
from sailplan.policies.replanning.beliefs.cell_network import (
    CellNetwork,
    Floats,
    Layer,
    as_cells,
    check_network,
    network_inputs,
)
from sailplan.policies.replanning.beliefs.prior import Frame, Penalty, describe_shared, read_frequencies

_RAREST = 1e-3
"""A frequency closer to 0 or 1 than this is not told from it: no number of worlds would do."""
_SURPRISE = Penalty(surprise=3.0, certainty=0.9999)
_OFTEN = Refresh(expansions=20, invalid=10)


@saveable("network")
@dataclass(frozen=True)
class NetworkBelief:
    """Multipliers by the probability of being blocked that a network gives each cell, by what is known of the others.

    The network gives what is to be added to the log odds of how often a cell was blocked in the worlds of the training:
    one that gives zeros is the prior.
    """

    frame: Frame
    network: CellNetwork = field(repr=False, compare=False)
    frequencies: FloatArray = field(repr=False, compare=False)
    """How often each vertex was blocked."""
    penalty: Penalty = _SURPRISE
    name: str = "network"
    refresh: Refresh = _OFTEN

    def why_unsupported(self, problem: Problem) -> str:
        """It knows one frame."""
        return self.frame.why_unsupported(problem)

    def multipliers(self, problem: Problem) -> FloatArray:
        """Those of a map of which nothing is known."""
        return self.multipliers_at(np.full(len(self.frequencies), UNSEEN, np.uint8))

    def follow(self, problem: Problem) -> NetworkFollower:
        """Run the network again whenever it is due."""
        return NetworkFollower(self)

    def multipliers_at(self, status: NDArray[np.uint8]) -> FloatArray:
        """The multipliers where this is known of all vertices."""
        unseen_frequencies = np.where(status == UNSEEN, self.frequencies, 0.0)
        return self.penalty.multipliers(unseen_frequencies, self.probabilities(status))

    def probabilities(self, status: NDArray[np.uint8]) -> FloatArray:
        """How likely each vertex is blocked where this is known of all; 0 where it is known to be free."""
        shape = self.frame.height, self.frame.width
        free, blocked = ((status == OPEN) | (status == CLOSED)).reshape(shape), (status == INVALID).reshape(shape)
        odds = log_odds(self.frequencies).reshape(shape)
        added = as_cells(self.network(network_inputs(free, blocked, odds, self.network.side)), shape)
        likely = 1.0 / (1.0 + np.exp(-(odds + added), dtype=np.float64))
        return np.where(free, 0.0, likely).reshape(-1)

    def describe(self) -> tuple[dict[str, Any], Tensors]:
        """The facts and tensors for a model file."""
        network = self.network
        facts = {
            **describe_shared(self),
            "refresh": list(self.refresh),
            "side": network.side,
            "dilations": list(network.dilations),
        }
        tensors = {"frequencies": np.ascontiguousarray(self.frequencies)}
        for number, layer in enumerate((network.first, *network.middle, network.last)):
            tensors[f"weights.{number}"] = np.ascontiguousarray(layer.weights)
            tensors[f"biases.{number}"] = np.ascontiguousarray(layer.biases)
        return facts, tensors

    @classmethod
    def build(cls, facts: Mapping[str, Any], tensors: Tensors) -> NetworkBelief:
        """Make a belief of what `describe` returned."""
        frame, dilations = Frame.build(facts["frame"]), tuple(int(number) for number in facts["dilations"])
        first, *middle, last = (
            Layer(tensors[f"weights.{number}"], tensors[f"biases.{number}"]) for number in range(len(dilations) + 2)
        )
        network = CellNetwork(int(facts["side"]), dilations, first, tuple(middle), last)
        check_network(network)
        penalty, refresh = Penalty.build(facts["charging"]), Refresh.build(facts["refresh"])
        return cls(frame, network, read_frequencies(tensors, frame), penalty, str(facts["name"]), refresh)


@dataclass(frozen=True)
class NetworkFollower:
    """The same for every search."""

    belief: NetworkBelief

    def update(self, state: SearchState) -> FloatArray:
        """The multipliers by what is known now."""
        return self.belief.multipliers_at(state.status[: len(self.belief.frequencies)])


def log_odds(frequencies: FloatArray) -> Floats:
    """The log odds of frequencies, of which none is taken for certain."""
    kept = np.clip(frequencies, _RAREST, 1.0 - _RAREST)
    return np.log(kept / (1.0 - kept)).astype(np.float32)
