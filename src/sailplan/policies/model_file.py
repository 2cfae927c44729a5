"""Model files: scores and beliefs as safetensors with a JSON header. Nothing in one is ever executed."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import load, save

from sailplan.core.result import StopRule
from sailplan.errors import ModelError, SailplanError
from sailplan.files import FilePath, fault_line, file_bytes, whole_file
from sailplan.policies.features import PRESETS, FeatureSet, Scaling
from sailplan.policies.learned.network import DenseNetwork
from sailplan.policies.learned.policy import LearnedPolicy
from sailplan.policies.mixture.policy import OneOfMany
from sailplan.policies.replanning.belief_file import Tensors, build_belief, describe_belief
from sailplan.policies.replanning.policy import ReplanningPolicy

FORMAT = "sailplan policy 1"
_MOST_PARTS, _MOST_LAYERS = 1000, 100
SUFFIX = ".safetensors"
MODEL = f"model{SUFFIX}"
"""The result of a training, in its folder."""
_HEADER_BYTES = 8

Saveable = LearnedPolicy | OneOfMany | ReplanningPolicy


def save_policy(policy: Saveable, path: FilePath, facts: Mapping[str, Any] | None = None) -> None:
    """Write a policy with facts of how it was made: one that replans with a belief of this library, or one that scores
    with a DenseNetwork the features of a preset."""
    header, tensors = _describe_replanning(policy) if isinstance(policy, ReplanningPolicy) else _describe_scores(policy)
    try:
        told = json.dumps({**(facts or {}), "format": FORMAT, "stop": policy.stop.value, **header})
    except (TypeError, ValueError) as error:
        raise ModelError(f"{path}: facts that cannot be written down: {fault_line(error)}") from error
    with whole_file(path) as file:
        file.write(save(tensors, metadata={"sailplan": told}))


def _describe_replanning(policy: ReplanningPolicy) -> tuple[dict[str, Any], Tensors]:
    header, tensors = describe_belief(policy.belief)
    return {"belief": header, "effort": policy.effort}, tensors


def _describe_scores(policy: LearnedPolicy | OneOfMany) -> tuple[dict[str, Any], Tensors]:
    parts = [_saveable(part) for part in (policy.policies if isinstance(policy, OneOfMany) else (policy,))]
    if len(parts) > _MOST_PARTS:
        raise ModelError(f"at most {_MOST_PARTS} policies go into a file, not {len(parts)}")
    tensors: Tensors = {}
    for number, part in enumerate(parts):
        tensors.update(_tensors(part, f"{number}."))
    header = {
        "seed_of_mixture": policy.seed if isinstance(policy, OneOfMany) else None,
        "columns": {part.features.name: list(part.features.columns) for part in parts},
        "policies": [
            {"features": part.features.name, "rescore": part.rescore, "layers": len(_network(part).layers)}
            for part in parts
        ],
    }
    return header, tensors


def load_policy(path: FilePath) -> Saveable:
    """Read a policy that `save_policy` wrote; raises ModelError where the file holds something else."""
    header, tensors = _read(path)
    try:
        stop = StopRule(header["stop"])
        if "belief" in header:
            return ReplanningPolicy(build_belief(header["belief"], tensors), stop, float(header["effort"]))
        told, seed = header["policies"], header["seed_of_mixture"]
        if not 0 < len(told) <= _MOST_PARTS or (seed is None and len(told) > 1):
            raise ModelError(f"{len(told)} policies")
        parts = tuple(
            LearnedPolicy(
                _features(one["features"], header["columns"]),
                _build_network(tensors, f"{number}.", int(one["layers"])),
                one["rescore"],
                stop,
            )
            for number, one in enumerate(told)
        )
        return parts[0] if seed is None else OneOfMany(parts, int(seed), stop)
    except KeyError as error:
        raise ModelError(f"{path}: not a policy of this version: no {error} in it") from error
    except (SailplanError, TypeError, ValueError, ArithmeticError, AttributeError) as error:
        raise ModelError(f"{path}: not a policy of this version: {fault_line(error)}") from error


def read_facts(path: FilePath) -> dict[str, Any]:
    """What a model file says of how it was made."""
    return _read(path)[0]


def find_model(path: FilePath) -> Path:
    """The model file that a path names: itself, or the one in a run folder."""
    named = Path(path)
    return named / MODEL if named.is_dir() else named


def _read(path: FilePath) -> tuple[dict[str, Any], Tensors]:
    contents = file_bytes(path, error=ModelError)
    # The parsers answer damaged files with several kinds of exceptions.
    try:
        tensors = load(contents)
        length = int.from_bytes(contents[:_HEADER_BYTES], "little")
        metadata = json.loads(contents[_HEADER_BYTES : _HEADER_BYTES + length]).get("__metadata__", {})
        header = json.loads(metadata["sailplan"]) if "sailplan" in metadata else None
    except Exception as error:
        raise ModelError(f"{path}: not a model file, or a damaged one ({fault_line(error)})") from error
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise ModelError(f"{path}: a safetensors file, but not a policy of sailplan")
    return header, tensors


def _features(name: str, columns: Mapping[str, Any]) -> FeatureSet:
    features = PRESETS[name]
    if list(features.columns) != columns[name]:
        raise ModelError(f"{name} has other columns than in this version")
    return features


def _saveable(policy: object) -> LearnedPolicy:
    if not isinstance(policy, LearnedPolicy) or not isinstance(policy.model, DenseNetwork):
        raise ModelError("only policies with a dense network can be saved")
    if PRESETS.get(policy.features.name) != policy.features:
        raise ModelError(f"only feature sets of this library can be saved, not {policy.features.name}")
    _build_network(_tensors(policy, ""), "", len(policy.model.layers))
    return policy


def _network(policy: LearnedPolicy) -> DenseNetwork:
    assert isinstance(policy.model, DenseNetwork)
    return policy.model


def _tensors(policy: LearnedPolicy, prefix: str) -> Tensors:
    network = _network(policy)
    tensors: Tensors = {
        f"{prefix}mean": network.scaling.mean,
        f"{prefix}deviation": network.scaling.deviation,
        f"{prefix}linear": network.linear,
        f"{prefix}output": np.array([network.unit, network.offset]),
    }
    for number, (weights, biases) in enumerate(network.layers):
        tensors[f"{prefix}weights.{number}"] = weights
        tensors[f"{prefix}biases.{number}"] = biases
    # Whatever its order in memory, safetensors writes an array as it lies there.
    return {name: np.ascontiguousarray(tensor) for name, tensor in tensors.items()}


def _build_network(tensors: Tensors, prefix: str, layers: int) -> DenseNetwork:
    def tensor(name: str, dtype: type[np.floating[Any]], dimensions: int) -> np.ndarray[Any, Any]:
        found = tensors[prefix + name]
        if found.dtype != dtype or found.ndim != dimensions or not np.isfinite(found).all():
            raise ModelError(f"{name} has shape {found.shape} and type {found.dtype}, or a number that is not finite")
        return found

    unit, offset = tensor("output", np.float64, 1).tolist()
    scaling = Scaling(tensor("mean", np.float64, 1), tensor("deviation", np.float64, 1))
    if not (scaling.deviation > 0).all():
        raise ModelError("a deviation is not positive")
    if not 0 < layers <= _MOST_LAYERS:
        raise ModelError(f"{layers} layers")
    parts = tuple(
        (tensor(f"weights.{number}", np.float32, 2), tensor(f"biases.{number}", np.float32, 1))
        for number in range(layers)
    )
    network = DenseNetwork(parts, scaling, tensor("linear", np.float64, 1), unit, offset)
    with np.errstate(all="ignore"):
        arrays = network.arrays()
    if not (np.isfinite(arrays.weights).all() and np.isfinite(arrays.biases).all()):
        raise ModelError("numbers too large to compute with")
    return network
