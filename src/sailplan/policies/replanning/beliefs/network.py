"""A belief that uses a convolutional network to predict the unseen part of a map from the known part."""

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
"""Frequencies are clipped to this distance from 0 and 1."""
_SURPRISE = Penalty(surprise=3.0, certainty=0.9999)
_OFTEN = Refresh(expansions=20, invalid=10)


@saveable("network")
@dataclass(frozen=True)
class NetworkBelief:
    """Multipliers from the probability that a cell is blocked, which a network predicts from the known cells.

    The output of the network is added to the log odds of the frequency with which a cell was blocked in training; a
    network that returns zeros is the prior.
    """

    frame: Frame
    """The problems that the belief supports."""
    network: CellNetwork = field(repr=False, compare=False)
    """The network."""
    frequencies: FloatArray = field(repr=False, compare=False)
    """The frequency with which each vertex was blocked in training."""
    penalty: Penalty = _SURPRISE
    """The multipliers as a function of probabilities."""
    name: str = "network"
    """The name of the belief in notes."""
    refresh: Refresh = _OFTEN
    """When the belief is updated during a search."""

    def why_unsupported(self, problem: Problem) -> str:
        """Return why a problem is not supported; an empty string if it is."""
        return self.frame.why_unsupported(problem)

    def multipliers(self, problem: Problem) -> FloatArray:
        """Return the multipliers if nothing is known."""
        return self.multipliers_at(np.full(len(self.frequencies), UNSEEN, np.uint8))

    def follow(self, problem: Problem) -> NetworkFollower:
        """Return the state of the belief for one search."""
        return NetworkFollower(self)

    def multipliers_at(self, status: NDArray[np.uint8]) -> FloatArray:
        """Return the multipliers for a given status of all vertices."""
        unseen_frequencies = np.where(status == UNSEEN, self.frequencies, 0.0)
        return self.penalty.multipliers(unseen_frequencies, self.probabilities(status))

    def probabilities(self, status: NDArray[np.uint8]) -> FloatArray:
        """Return the probability that each vertex is blocked, given the status of all; 0 if it is known to be free."""
        shape = self.frame.height, self.frame.width
        free, blocked = ((status == OPEN) | (status == CLOSED)).reshape(shape), (status == INVALID).reshape(shape)
        odds = log_odds(self.frequencies).reshape(shape)
        added = as_cells(self.network(network_inputs(free, blocked, odds, self.network.side)), shape)
        likely = 1.0 / (1.0 + np.exp(-(odds + added), dtype=np.float64))
        return np.where(free, 0.0, likely).reshape(-1)

    def describe(self) -> tuple[dict[str, Any], Tensors]:
        """Return the facts and tensors for a model file."""
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
        """Create a belief from what `describe` returned."""
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
    """A belief in one search; it has no state."""

    belief: NetworkBelief

    def update(self, state: SearchState) -> FloatArray:
        """Return the multipliers, given the state of the search."""
        return self.belief.multipliers_at(state.status[: len(self.belief.frequencies)])


def log_odds(frequencies: FloatArray) -> Floats:
    """Return the log odds of frequencies, which are clipped so that none is certain."""
    kept = np.clip(frequencies, _RAREST, 1.0 - _RAREST)
    return np.log(kept / (1.0 - kept)).astype(np.float32)
