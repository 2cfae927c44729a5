"""Beliefs as tensors and a header, for the model file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import numpy as np

from sailplan.core.graph import FloatArray
from sailplan.errors import ModelError
from sailplan.policies.replanning.beliefs.belief import Belief, Optimistic, Refresh
from sailplan.policies.replanning.beliefs.cell_network import CellNetwork, Layer, check_network
from sailplan.policies.replanning.beliefs.frame import Frame
from sailplan.policies.replanning.beliefs.memory import Memory
from sailplan.policies.replanning.beliefs.network import NetworkBelief
from sailplan.policies.replanning.beliefs.penalty import Penalty
from sailplan.policies.replanning.beliefs.posterior import Agreement, Posterior
from sailplan.policies.replanning.beliefs.prior import Prior

Tensors = dict[str, np.ndarray[Any, Any]]
_MOST_CELLS = 1 << 28
_MOST_WORLDS = 100_000
_MOST_REMEMBERED = 1 << 32
"""Cells of all worlds together: what is remembered takes as many bytes, twice."""


def describe_belief(belief: Belief) -> tuple[dict[str, Any], Tensors]:
    """The header and the tensors of a belief of this library."""
    if isinstance(belief, Optimistic):
        return {"kind": "optimistic", "name": belief.name}, {}
    if isinstance(belief, Prior):
        return {"kind": "prior", **_in_common(belief)}, {"frequencies": np.ascontiguousarray(belief.frequencies)}
    if isinstance(belief, Posterior):
        header = {
            "kind": "conditional",
            **_in_common(belief),
            "agreement": asdict(belief.agreement),
            "refresh": list(belief.refresh),
            "worlds": len(belief.memory.by_world),
        }
        return header, {"worlds": belief.memory.packed()}
    if isinstance(belief, NetworkBelief):
        network = belief.network
        header = {
            "kind": "network",
            **_in_common(belief),
            "refresh": list(belief.refresh),
            "side": network.side,
            "dilations": list(network.dilations),
        }
        tensors = {"frequencies": np.ascontiguousarray(belief.frequencies)}
        for number, layer in enumerate((network.first, *network.middle, network.last)):
            tensors[f"weights.{number}"] = np.ascontiguousarray(layer.weights)
            tensors[f"biases.{number}"] = np.ascontiguousarray(layer.biases)
        return header, tensors
    raise ModelError(f"only beliefs of this library can be saved, not {type(belief).__name__}")


def build_belief(header: Mapping[str, Any], tensors: Tensors) -> Belief:
    """The belief that `describe_belief` described; raises ModelError or KeyError where it is something else."""
    kind, name = header["kind"], str(header["name"])
    if kind == "optimistic":
        return Optimistic(name)
    told = header["frame"]
    frame = Frame(int(told["width"]), int(told["height"]), _cell(told["start"]), _cell(told["goal"]))
    cells = frame.width * frame.height
    if min(frame.width, frame.height) < 1 or cells > _MOST_CELLS:
        raise ModelError(f"a frame of {frame.width} x {frame.height}")
    penalty = _build_penalty(header["charging"])
    if kind == "prior":
        return Prior(frame, _frequencies(tensors, cells), penalty, name)
    if kind == "conditional":
        agreement = Agreement(**header["agreement"])
        return Posterior(frame, _memory(header, tensors, cells), penalty, agreement, name, _refresh(header))
    if kind == "network":
        network = _cell_network(header, tensors)
        return NetworkBelief(frame, network, _frequencies(tensors, cells), penalty, name, _refresh(header))
    raise ModelError(f"no belief {kind!r} in this version")


def _memory(header: Mapping[str, Any], tensors: Tensors, cells: int) -> Memory:
    worlds = int(header["worlds"])
    if not 0 < worlds <= _MOST_WORLDS or worlds * cells > _MOST_REMEMBERED or tensors["worlds"].dtype != np.uint8:
        raise ModelError(f"{worlds} worlds of type {tensors['worlds'].dtype}")
    return Memory.unpacked(tensors["worlds"], worlds, cells)


def _cell_network(header: Mapping[str, Any], tensors: Tensors) -> CellNetwork:
    dilations = tuple(int(number) for number in header["dilations"])
    first, *middle, last = (
        Layer(tensors[f"weights.{number}"], tensors[f"biases.{number}"]) for number in range(len(dilations) + 2)
    )
    network = CellNetwork(int(header["side"]), dilations, first, tuple(middle), last)
    check_network(network)
    return network


def _frequencies(tensors: Tensors, cells: int) -> FloatArray:
    frequencies = tensors["frequencies"]
    if frequencies.shape != (cells,) or frequencies.dtype != np.float64:
        raise ModelError(f"frequencies of shape {frequencies.shape} and type {frequencies.dtype}")
    if not ((frequencies >= 0.0) & (frequencies <= 1.0)).all():
        raise ModelError("a frequency is not between 0 and 1")
    return frequencies


def _refresh(header: Mapping[str, Any]) -> Refresh:
    refresh = Refresh(*(int(number) for number in header["refresh"]))
    if min(refresh) < 1 or max(refresh) > _MOST_CELLS:
        raise ModelError(f"a belief that is refreshed after {refresh}")
    return refresh


def _in_common(belief: Prior | Posterior | NetworkBelief) -> dict[str, Any]:
    return {"name": belief.name, "frame": asdict(belief.frame), "charging": _describe_penalty(belief.penalty)}


_PENALTY_KEYS = {"steady": "prior_weight", "surprise": "surprise", "certainty": "certainty", "sureness": "sharpness"}
"""How model files name the fields of a penalty."""


def _describe_penalty(penalty: Penalty) -> dict[str, float]:
    return {key: getattr(penalty, name) for key, name in _PENALTY_KEYS.items()}


def _build_penalty(told: Mapping[str, float]) -> Penalty:
    if unknown := set(told) - set(_PENALTY_KEYS):
        raise ModelError(f"a penalty with {', '.join(sorted(unknown))}")
    return Penalty(**{_PENALTY_KEYS[key]: float(value) for key, value in told.items()})


def _cell(told: Any) -> tuple[int, int]:
    x, y = (int(number) for number in told)
    return x, y
