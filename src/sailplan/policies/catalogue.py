"""Policies by name, and model files: safetensors with a JSON header, which cannot contain code."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from safetensors.numpy import load, save

from sailplan.core.policy import Policy
from sailplan.core.result import StopRule
from sailplan.errors import ModelError, PolicyError, SailplanError
from sailplan.files import FilePath, atomic_write, exists, fault_line, file_bytes, is_folder
from sailplan.policies.features.feature import Tensors
from sailplan.policies.keyed.policy import (
    a_star,
    breadth_first,
    dijkstra,
    greedy,
    mha_star,
    mha_star_near,
    weighted_a_star,
)
from sailplan.policies.lazy.policy import LazyPolicy
from sailplan.policies.lazy_weighted.policy import LazyWeightedAStar
from sailplan.policies.learned.policy import around_walls
from sailplan.policies.mha.policy import shared_mha_star
from sailplan.policies.mixture.policy import OneOfMany
from sailplan.policies.oracle import OraclePolicy
from sailplan.policies.random_order.policy import RandomPolicy
from sailplan.policies.replanning.policy import ReplanningPolicy, optimistic
from sailplan.policies.width.policy import bfws

FORMAT = "sailplan policy 1"
SUFFIX = ".safetensors"
MODEL = f"model{SUFFIX}"
"""The model file in a run folder."""
_HEADER_BYTES = 8
_CHECKSUM = "checksum"
"""The entry of the header that is a digest of all others and of the tensors."""
_PRETRAINED_FOLDER = Path(__file__).parent.parent / "pretrained"
"""The folder of the model files that are part of the package."""


GroupName = Literal["few_evaluations", "few_expansions", "shortest_paths", "baselines", "pretrained", "references"]


@dataclass(frozen=True)
class Entry:
    """A built-in policy."""

    make: Callable[[], Policy]
    """Creates the policy."""
    summary: str
    """One line for `sailplan policies`."""
    group: GroupName
    """The group of policies that it is listed in."""
    with_number: Callable[[float], Policy] | None = None
    """Creates the policy with a number that follows its name after a colon, if it takes one."""
    number: str = ""
    """What the number must be."""


CATALOGUE: dict[str, Entry] = {
    "lazy": Entry(
        LazyPolicy,
        "few edge evaluations: one at a time, along the shortest path that may be valid; lazy:1.5 bounds its cost",
        "few_evaluations",
        LazyPolicy,
        "the bound must be a number, at least 1",
    ),
    "optimistic": Entry(
        optimistic, "replanning: the shortest path to the goal if unseen cells are free; no training", "few_expansions"
    ),
    "a_star": Entry(
        a_star, "A* with the Euclidean distance; optimal if no move is cheaper than its length", "shortest_paths"
    ),
    "a_star_octile": Entry(
        lambda: a_star("octile"), "A* with the empty-grid distance; optimal on every grid", "shortest_paths"
    ),
    "weighted_a_star": Entry(
        weighted_a_star,
        "g + w h with w = 11, or as in weighted_a_star:3",
        "baselines",
        weighted_a_star,
        "the weight must be a finite number that is not negative",
    ),
    "lwa_star": Entry(
        LazyWeightedAStar,
        "lazy weighted A*: A* that evaluates an edge when it is next; lwa_star:1.5 bounds the cost instead of optimal",
        "few_evaluations",
        LazyWeightedAStar,
        "the weight must be a finite number, at least 1",
    ),
    "h_euc": Entry(lambda: greedy("euclidean"), "greedy best-first, Euclidean distance", "baselines"),
    "h_man": Entry(lambda: greedy("manhattan"), "greedy best-first, Manhattan distance", "baselines"),
    "h_oct": Entry(lambda: greedy("octile"), "greedy best-first, empty-grid distance", "baselines"),
    "mha_star": Entry(mha_star, "MHA* of the paper: h_euc, h_man and far from known obstacles take turns", "baselines"),
    "mha_star_near": Entry(mha_star_near, "MHA* with close to known obstacles instead: it follows walls", "baselines"),
    "smha_star": Entry(
        shared_mha_star,
        "MHA* with an anchor: the policies of mha_star, and a path of at most twice the optimal cost; or smha_star:1.5",
        "baselines",
        shared_mha_star,
        "the bound must be a finite number, at least 1",
    ),
    "bfws": Entry(bfws, "best-first width search: by novelty of x and y, then by Euclidean distance", "baselines"),
    "bfs": Entry(breadth_first, "breadth-first: in the order of entering the open list", "baselines"),
    "dijkstra": Entry(dijkstra, "cheapest first; optimal on every graph", "shortest_paths"),
    "random": Entry(RandomPolicy, "a random open vertex; the same in every run", "references"),
    "walls": Entry(
        around_walls,
        "the empty-grid distance plus three times the detours around known walls; a hand-made rule, on grids",
        "few_expansions",
    ),
    "oracle": Entry(OraclePolicy, "clairvoyant: exact cost-to-go; a lower limit, not a planner", "references"),
}
"""The built-in policies by name."""


PRETRAINED_KINDS: dict[str, str] = {
    "sail": "SaIL for few expansions",
    "lazy-sail": "SaIL for few edge evaluations",
    "belief": "replanning with stored worlds, for few expansions",
    "lazy-belief": "lazy search with stored worlds, for few edge evaluations",
}
"""The algorithms of the pretrained policies, one line each."""
PRETRAINED: dict[str, str] = {
    f"{algorithm}:{file.stem}": f"{algorithm}/{file.name}"
    for algorithm in PRETRAINED_KINDS
    for file in sorted((_PRETRAINED_FOLDER / algorithm).glob(f"*{SUFFIX}"))
}
"""The pretrained policies and their files in the package: by algorithm, each family of generated worlds or `any`."""


@dataclass(frozen=True)
class PolicyGroup:
    """Policies for one purpose, of those that come with the package."""

    name: GroupName
    title: str
    guidance: str
    """When to use them: one sentence."""
    policies: tuple[tuple[str, str], ...]
    """The name and the summary of each policy."""


_GROUPS: dict[GroupName, tuple[str, str]] = {
    "few_evaluations": (
        "Few edge evaluations",
        "Use these when checking an edge is expensive, as for arms and large robots.",
    ),
    "few_expansions": (
        "Few expansions",
        "Use these when expanding a vertex is expensive and nothing can be learned.",
    ),
    "shortest_paths": (
        "Shortest paths",
        "Use these when the path must be optimal; lazy:1 needs fewer edge evaluations.",
    ),
    "baselines": (
        "Classical baselines",
        "Use these to compare with the literature, or when checking edges is cheap.",
    ),
    "pretrained": (
        "Learned and pretrained",
        "Use these on maps like those of a family; sailplan train makes your own.",
    ),
    "references": (
        "References",
        "Use these as limits of a comparison: the oracle knows the map, random nothing.",
    ),
}
"""The title and the guidance of each group, in the order in which they are listed."""


def policy_groups() -> list[PolicyGroup]:
    """Return all built-in and pretrained policies in groups, with guidance.

    Returns
    -------
    list of PolicyGroup
        The groups, in the order in which they are listed. Every policy is in one of them.

    Examples
    --------
    >>> [group.title for group in policy_groups()][:2]
    ['Few edge evaluations', 'Few expansions']
    >>> [name for name, _ in policy_groups()[0].policies]
    ['lazy', 'lwa_star']
    """
    members: dict[GroupName, list[tuple[str, str]]] = {name: [] for name in _GROUPS}
    for name, entry in CATALOGUE.items():
        members[entry.group].append((name, entry.summary))
    members["pretrained"] += [(name, _pretrained_summary(name)) for name in PRETRAINED]
    return [PolicyGroup(name, *_GROUPS[name], tuple(members[name])) for name in _GROUPS]


def _pretrained_summary(name: str) -> str:
    algorithm, _, family = name.partition(":")
    worlds = "worlds of all families and others" if family == "any" else f"generated {family} worlds"
    return f"{PRETRAINED_KINDS[algorithm]}, trained on {worlds}"


MODEL_KINDS: dict[str, Callable[[Mapping[str, Any], Tensors, StopRule], Policy]] = {
    "lazy": LazyPolicy.build,
    "belief": ReplanningPolicy.build,
    "policies": OneOfMany.build,
}
"""Functions that create a policy from a model file, by a key of its header."""


def load_policy(name: str | os.PathLike[str]) -> Policy:
    """Load a policy by its name, or from a model file or a run folder.

    Parameters
    ----------
    name
        A name that `sailplan policies` lists, in any spelling (A*, a-star and a_star are the same); or the path of a
        model file or of a run folder.

    Returns
    -------
    Policy
        The policy.

    Raises
    ------
    PolicyError
        If there is no such policy.
    ModelError
        If the file does not contain a policy of this version.

    Examples
    --------
    >>> load_policy("weighted_a_star:3").keys[0].heuristic_weight
    3.0
    """
    if not isinstance(name, str | os.PathLike):
        raise PolicyError(f"a policy is loaded by its name or path, got {type(name).__name__}")
    name = os.fspath(name)
    if name in PRETRAINED:
        return read_policy(_PRETRAINED_FOLDER / PRETRAINED[name])
    base, _, argument = name.partition(":")
    matches = [entry for known, entry in CATALOGUE.items() if _plain(known) == _plain(base)]
    if not matches:
        return _from_file(name)
    if not argument:
        return matches[0].make()
    if matches[0].with_number is None:
        numbered = [known for known, entry in CATALOGUE.items() if entry.with_number]
        raise PolicyError(f"{name!r}: no number may follow this name, only {', '.join(numbered)}")
    try:
        return matches[0].with_number(float(argument))
    except ValueError as error:
        raise PolicyError(f"{name!r}: {matches[0].number}") from error


def _from_file(name: str) -> Policy:
    if _plain(name.partition(":")[0]) in map(_plain, PRETRAINED_KINDS):
        raise PolicyError(f"no policy {name!r}; there are {', '.join(PRETRAINED)}")
    # Windows takes both slashes.
    if not name or not (exists(name) or name.endswith(SUFFIX) or {"/", os.sep} & {*name}):
        raise PolicyError(
            f"no policy {name!r}; there are {', '.join(CATALOGUE)}, "
            f"{', '.join(f'{one}:FAMILY' for one in PRETRAINED_KINDS)}, and model files"
        )
    return read_policy(find_model(name))


def _plain(name: str) -> str:
    spelled = name.strip().lower().replace("*", "star")
    return "".join(letter for letter in spelled if letter.isalnum())


def save_policy(policy: Policy, path: FilePath, facts: Mapping[str, Any] | None = None) -> None:
    """Write a policy to a model file, atomically.

    Parameters
    ----------
    policy
        A `ReplanningPolicy`, a `LazyPolicy`, or a `LearnedPolicy` with a `DenseNetwork` and a feature set of `PRESETS`
        or of `roadmap_features`.
    path
        The file.
    facts
        Additional entries of the header, for example how the policy was trained.

    Raises
    ------
    ModelError
        If the policy cannot be saved.

    Examples
    --------
    >>> import tempfile
    >>> from sailplan.policies import optimistic
    >>> path = Path(tempfile.mkdtemp()) / "policy.safetensors"
    >>> save_policy(optimistic(), path, {"author": "me"})
    >>> load_policy(path) == optimistic(), read_facts(path)["author"]
    (True, 'me')
    """
    describe = getattr(policy, "describe", None)
    if describe is None:
        raise ModelError(f"{path}: a {type(policy).__name__} cannot be saved")
    header, tensors = describe()
    write_model(path, {**(facts or {}), "format": FORMAT, "stop": policy.stop.value, **header}, tensors)


def write_model(path: FilePath, header: Mapping[str, Any], tensors: Tensors) -> None:
    """Write a model file with a checksum, atomically; its bytes depend on the header and the tensors only."""
    try:
        text = json.dumps({**header, _CHECKSUM: _checksum(header, tensors)})
    except (TypeError, ValueError) as error:
        raise ModelError(f"{path}: facts that cannot be written as JSON: {fault_line(error)}") from error
    with atomic_write(path) as file:
        file.write(save(tensors, metadata={"sailplan": text}))


def _checksum(header: Mapping[str, Any], tensors: Tensors) -> str:
    """Return a digest of the header and of the name, type, shape and numbers of each tensor."""
    digest = hashlib.sha256(json.dumps(header).encode())
    for name, tensor in sorted(tensors.items()):
        digest.update(f"{name} {tensor.dtype} {tensor.shape}".encode())
        digest.update(np.ascontiguousarray(tensor).tobytes())
    return digest.hexdigest()


def read_policy(path: FilePath) -> Policy:
    """Read a policy that `save_policy` wrote; raises ModelError if the file contains something else."""
    header, tensors = _read(path)
    try:
        kind = next((key for key in MODEL_KINDS if key in header), None)
        if kind is None:
            raise ModelError(f"no {' or '.join(map(repr, MODEL_KINDS))} in it")
        return MODEL_KINDS[kind](header, tensors, StopRule(header["stop"]))
    except KeyError as error:
        raise ModelError(f"{path}: not a policy of this version: no {error} in it") from error
    except (SailplanError, TypeError, ValueError, ArithmeticError, AttributeError) as error:
        raise ModelError(f"{path}: not a policy of this version: {fault_line(error)}") from error


def read_facts(path: FilePath) -> dict[str, Any]:
    """Return the header of a model file, which includes how the policy was trained."""
    return _read(path)[0]


def find_model(path: FilePath) -> Path:
    """Return the model file of a path: the path itself, or the model file in a run folder."""
    named = Path(path)
    return named / MODEL if is_folder(named) else named


def _read(path: FilePath) -> tuple[dict[str, Any], Tensors]:
    contents = file_bytes(path, error=ModelError)
    # The parsers raise several types of exceptions for damaged files.
    try:
        tensors = load(contents)
        length = int.from_bytes(contents[:_HEADER_BYTES], "little")
        metadata = json.loads(contents[_HEADER_BYTES : _HEADER_BYTES + length]).get("__metadata__", {})
        header = json.loads(metadata["sailplan"]) if "sailplan" in metadata else None
    except Exception as error:
        raise ModelError(f"{path}: not a model file, or a damaged one ({fault_line(error)})") from error
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise ModelError(f"{path}: a safetensors file, but not a policy of sailplan")
    # Files of earlier versions have no checksum.
    if _CHECKSUM in header and header.pop(_CHECKSUM) != _checksum(header, tensors):
        raise ModelError(f"{path}: a damaged model file: its contents do not have the checksum in its header")
    return header, tensors
