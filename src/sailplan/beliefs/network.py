"""The belief of a convolutional network that guesses from the known part of a map what the rest is like."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import load, save

from sailplan.beliefs.belief import Refresh
from sailplan.beliefs.cell_network import CellNetwork, Floats, Layer, as_cells, check_network, network_inputs
from sailplan.beliefs.charging import Charging
from sailplan.beliefs.frame import Frame
from sailplan.errors import ModelError, PolicyError
from sailplan.files import FilePath, fault_line, file_bytes, whole_file
from sailplan.graphs.graph import FloatArray
from sailplan.graphs.problem import Problem
from sailplan.kernels.arrays import CLOSED, INVALID, OPEN, UNSEEN
from sailplan.search.state import SearchState

_RAREST = 1e-3
"""A frequency closer to 0 or 1 than this is not told from it: no number of worlds would do."""
_SURPRISE = Charging(surprise=3.0, certainty=0.9999)
_NOTHING = Charging()
_OFTEN = Refresh(expansions=20, invalid=10)


@dataclass(frozen=True)
class NetworkBelief:
    """Charges for the probability of being blocked that a network gives each cell, by what is known of the others.

    The network gives what is to be added to the log odds of how often a cell was blocked in the worlds of the training:
    one that gives zeros is the prior.
    """

    frame: Frame
    network: CellNetwork = field(repr=False, compare=False)
    frequencies: FloatArray = field(repr=False, compare=False)
    """How often each vertex was blocked."""
    charging: Charging = _SURPRISE
    """For what the network says."""
    steady: Charging = _NOTHING
    """For the frequencies, besides; these charges do not change while a search goes on."""
    sure: float = 0.0
    """A cell that is less likely blocked than this is not charged for by what the network says."""
    refresh: Refresh = _OFTEN
    name: str = "network"

    def __post_init__(self) -> None:
        if not 0.0 <= self.sure <= 1.0:
            raise PolicyError(f"a belief is sure at a probability, got {self.sure}")

    def misfit(self, problem: Problem) -> str:
        """It knows one frame."""
        return self.frame.misfit(problem)

    def charges(self, problem: Problem) -> FloatArray:
        """Those of a map of which nothing is known."""
        return self.charges_at(np.full(len(self.frequencies), UNSEEN, np.uint8))

    def follow(self, problem: Problem) -> NetworkFollower:
        """Run the network again whenever it is due."""
        return NetworkFollower(self)

    def charges_at(self, status: NDArray[np.uint8]) -> FloatArray:
        """The charges where this is known of all vertices."""
        likely = self.probabilities(status)
        charges = self.charging.of(np.where(likely >= self.sure, likely, 0.0))
        charges += self.steady.of(np.where(status == UNSEEN, self.frequencies, 0.0)) - 1.0
        return charges

    def probabilities(self, status: NDArray[np.uint8]) -> FloatArray:
        """How likely each vertex is blocked where this is known of all; 0 where it is known to be free."""
        shape = self.frame.height, self.frame.width
        free, blocked = ((status == OPEN) | (status == CLOSED)).reshape(shape), (status == INVALID).reshape(shape)
        odds = log_odds(self.frequencies).reshape(shape)
        added = as_cells(self.network(network_inputs(free, blocked, odds, self.network.side)), shape)
        likely = 1.0 / (1.0 + np.exp(-(odds + added), dtype=np.float64))
        return np.where(free, 0.0, likely).reshape(-1)


@dataclass(frozen=True)
class NetworkFollower:
    """The same for every search."""

    belief: NetworkBelief

    def look(self, state: SearchState) -> FloatArray:
        """The charges by what is known now."""
        return self.belief.charges_at(state.status[: len(self.belief.frequencies)])


def log_odds(frequencies: FloatArray) -> Floats:
    """The log odds of frequencies, of which none is taken for certain."""
    kept = np.clip(frequencies, _RAREST, 1.0 - _RAREST)
    return np.log(kept / (1.0 - kept)).astype(np.float32)


def save_network_belief(belief: NetworkBelief, path: FilePath) -> None:
    """Write a belief; its name is not kept."""
    frame, network = belief.frame, belief.network
    layers = [network.first, *network.middle, network.last]
    tensors = {
        "frame": np.array([frame.width, frame.height, *frame.start, *frame.goal], np.int64),
        "pixels": np.array([network.side, *network.dilations], np.int64),
        "refresh": np.array(belief.refresh, np.int64),
        "charging": np.array([list(asdict(one).values()) for one in (belief.charging, belief.steady)]),
        "sure": np.array([belief.sure]),
        "frequencies": np.ascontiguousarray(belief.frequencies, np.float64),
    }
    for number, layer in enumerate(layers):
        tensors[f"weights.{number}"] = np.ascontiguousarray(layer.weights)
        tensors[f"biases.{number}"] = np.ascontiguousarray(layer.biases)
    with whole_file(path) as file:
        file.write(save(tensors))


def load_network_belief(path: FilePath) -> NetworkBelief:
    """Read what `save_network_belief` wrote; raises ModelError where the file holds something else."""
    contents = file_bytes(path, error=ModelError)
    # The parser answers damaged files, and numpy strange numbers, with several kinds of exceptions.
    try:
        tensors = load(contents)
        width, height, *ends = tensors["frame"].tolist()
        side, *dilations = tensors["pixels"].tolist()
        first, *middle, last = (
            Layer(tensors[f"weights.{number}"], tensors[f"biases.{number}"]) for number in range(len(dilations) + 2)
        )
        network = CellNetwork(side, tuple(dilations), first, tuple(middle), last)
        check_network(network)
        start_x, start_y, goal_x, goal_y = ends
        charging, steady = (Charging(*row) for row in tensors["charging"].tolist())
        frequencies, refresh = tensors["frequencies"], Refresh(*tensors["refresh"].tolist())
        if min(width, height, *refresh) < 1:
            raise ModelError(f"{width} x {height} cells, {refresh}")
        if frequencies.shape != (width * height,) or not ((frequencies >= 0.0) & (frequencies <= 1.0)).all():
            raise ModelError(f"no frequencies of {width} x {height} cells")
        return NetworkBelief(
            Frame(width, height, (start_x, start_y), (goal_x, goal_y)),
            network,
            frequencies.astype(np.float64),
            charging,
            steady,
            tensors["sure"].item(),
            refresh,
        )
    except Exception as error:
        raise ModelError(f"{path}: not the network of a belief, or a damaged one ({fault_line(error)})") from error
