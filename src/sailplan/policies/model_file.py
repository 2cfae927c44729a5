"""Model files: learned policies as safetensors with a JSON header. Nothing in one is ever executed."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import load, save

from sailplan.errors import ModelError, SailplanError
from sailplan.features import PRESETS, Scaling
from sailplan.files import FilePath, fault_line, file_bytes, whole_file
from sailplan.policies.learned import RESCORE_CODES, LearnedPolicy
from sailplan.policies.mixture import OneOfMany
from sailplan.policies.network import DenseNetwork

FORMAT = "sailplan policy 1"
SUFFIX = ".safetensors"
_HEADER_BYTES = 8

Tensors = dict[str, np.ndarray[Any, Any]]


def save_policy(policy: LearnedPolicy | OneOfMany, path: FilePath, facts: Mapping[str, Any] | None = None) -> None:
    """Write a policy whose features are a preset and whose model is a DenseNetwork, with facts of how it was made."""
    parts = policy.policies if isinstance(policy, OneOfMany) else (policy,)
    tensors: Tensors = {}
    for number, part in enumerate(parts):
        tensors.update(_tensors(part, f"{number}."))
    first = parts[0]
    assert isinstance(first, LearnedPolicy)
    header = {
        **(facts or {}),
        "format": FORMAT,
        "policies": len(parts),
        "layers": len(_network(first).layers),
        "features": first.features.name,
        "columns": list(first.features.columns),
        "rescore": first.rescore,
        "seed_of_mixture": policy.seed if isinstance(policy, OneOfMany) else None,
    }
    with whole_file(path) as file:
        file.write(save(tensors, metadata={"sailplan": json.dumps(header)}))


def load_policy(path: FilePath) -> LearnedPolicy | OneOfMany:
    """Read a policy that `save_policy` wrote; raises ModelError where the file holds something else."""
    header, tensors = _read(path)
    try:
        features = PRESETS[header["features"]]
        if list(features.columns) != header["columns"]:
            raise ModelError("its feature set has other columns than this version's")
        if header["rescore"] not in RESCORE_CODES:
            raise ModelError(f"no rescore rule {header['rescore']!r}")
        count, layers = int(header["policies"]), int(header["layers"])
        if not (0 < count <= 1000 and 0 < layers <= 100):
            raise ModelError(f"{count} policies of {layers} layers")
        parts = tuple(
            LearnedPolicy(features, _build_network(tensors, f"{number}.", layers), header["rescore"])
            for number in range(count)
        )
        return parts[0] if count == 1 else OneOfMany(parts, int(header["seed_of_mixture"]))
    except KeyError as error:
        raise ModelError(f"{path}: not a policy of this version: no {error} in it") from error
    except (SailplanError, TypeError, ValueError) as error:
        raise ModelError(f"{path}: not a policy of this version: {fault_line(error)}") from error


def read_facts(path: FilePath) -> dict[str, Any]:
    """What a model file says of how it was made."""
    return _read(path)[0]


def find_model(path: FilePath) -> Path:
    """The model file that a path names: itself, or the one in a run folder."""
    named = Path(path)
    return named / f"model{SUFFIX}" if named.is_dir() else named


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


def _network(policy: object) -> DenseNetwork:
    if not isinstance(policy, LearnedPolicy) or not isinstance(policy.model, DenseNetwork):
        raise ModelError("only policies with a dense network can be saved")
    if PRESETS.get(policy.features.name) != policy.features:
        raise ModelError(f"only feature sets of this library can be saved, not {policy.features.name}")
    return policy.model


def _tensors(policy: object, prefix: str) -> Tensors:
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
    return tensors


def _build_network(tensors: Tensors, prefix: str, layers: int) -> DenseNetwork:
    def tensor(name: str, dtype: type[np.floating[Any]], dimensions: int) -> np.ndarray[Any, Any]:
        found = tensors[prefix + name]
        if found.dtype != dtype or found.ndim != dimensions or not np.isfinite(found).all():
            raise ModelError(f"{name} has shape {found.shape} and type {found.dtype}, or a number that is not finite")
        return found

    unit, offset = tensor("output", np.float64, 1).tolist()
    scaling = Scaling(tensor("mean", np.float64, 1), tensor("deviation", np.float64, 1))
    if not (scaling.deviation > 0).all() or not math.isfinite(unit):
        raise ModelError("a deviation is not positive")
    parts = tuple(
        (tensor(f"weights.{number}", np.float32, 2), tensor(f"biases.{number}", np.float32, 1))
        for number in range(layers)
    )
    return DenseNetwork(parts, scaling, tensor("linear", np.float64, 1), unit, offset)
