"""Policies by name, and model files: safetensors with a JSON header, which cannot contain code."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from safetensors.numpy import load, save

from sailplan.core.policy import Policy
from sailplan.core.result import StopRule
from sailplan.errors import ModelError, PolicyError, SailplanError
from sailplan.files import FilePath, atomic_write, fault_line, file_bytes
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
_PRETRAINED_FOLDER = Path(__file__).parent.parent / "pretrained"
"""The folder of the model files that are part of the package."""


@dataclass(frozen=True)
class Entry:
    """A built-in policy."""

    make: Callable[[], Policy]
    """Creates the policy."""
    summary: str
    """One line for `sailplan policies`."""
    with_number: Callable[[float], Policy] | None = None
    """Creates the policy with a number that follows its name after a colon, if it takes one."""
    number: str = ""
    """What the number must be."""


CATALOGUE: dict[str, Entry] = {
    "lazy": Entry(
        LazyPolicy,
        "few edge evaluations: one at a time, along the shortest path that may be valid; lazy:1.5 bounds its cost",
        LazyPolicy,
        "the bound must be a number, at least 1",
    ),
    "optimistic": Entry(optimistic, "replanning: the shortest path to the goal if unseen cells are free; no training"),
    "a_star": Entry(a_star, "A* with the Euclidean distance; optimal if no move is cheaper than its length"),
    "a_star_octile": Entry(lambda: a_star("octile"), "A* with the empty-grid distance; optimal on every grid"),
    "weighted_a_star": Entry(
        weighted_a_star,
        "g + w h with w = 11, or as in weighted_a_star:3",
        weighted_a_star,
        "the weight must be a finite number that is not negative",
    ),
    "lwa_star": Entry(
        LazyWeightedAStar,
        "lazy weighted A*: A* that evaluates an edge when it is next; lwa_star:1.5 bounds the cost instead of optimal",
        LazyWeightedAStar,
        "the weight must be a finite number, at least 1",
    ),
    "h_euc": Entry(lambda: greedy("euclidean"), "greedy best-first, Euclidean distance"),
    "h_man": Entry(lambda: greedy("manhattan"), "greedy best-first, Manhattan distance"),
    "h_oct": Entry(lambda: greedy("octile"), "greedy best-first, empty-grid distance"),
    "mha_star": Entry(mha_star, "MHA* of the paper: h_euc, h_man and far from known obstacles take turns"),
    "mha_star_near": Entry(mha_star_near, "MHA* with close to known obstacles instead: it follows walls"),
    "smha_star": Entry(
        shared_mha_star,
        "MHA* with an anchor: the policies of mha_star, and a path of at most twice the optimal cost; or smha_star:1.5",
        shared_mha_star,
        "the bound must be a finite number, at least 1",
    ),
    "bfws": Entry(bfws, "best-first width search: by novelty of x and y, then by Euclidean distance"),
    "bfs": Entry(breadth_first, "breadth-first: in the order of entering the open list"),
    "dijkstra": Entry(dijkstra, "cheapest first; optimal on every graph"),
    "random": Entry(RandomPolicy, "a random open vertex; the same in every run"),
    "walls": Entry(
        around_walls,
        "the empty-grid distance plus three times the detours around known walls; a hand-made rule, on grids",
    ),
    "oracle": Entry(OraclePolicy, "clairvoyant: exact cost-to-go; a lower limit, not a planner"),
}


_ALGORITHMS = ("sail", "lazy-sail", "belief", "lazy-belief")
PRETRAINED: dict[str, str] = {
    f"{algorithm}:{file.stem}": f"{algorithm}/{file.name}"
    for algorithm in _ALGORITHMS
    for file in sorted((_PRETRAINED_FOLDER / algorithm).glob(f"*{SUFFIX}"))
}
"""The pretrained policies and their files in the package: by algorithm, each family of generated worlds or `any`."""


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
    if _plain(name.partition(":")[0]) in map(_plain, _ALGORITHMS):
        raise PolicyError(f"no policy {name!r}; there are {', '.join(PRETRAINED)}")
    if not name or not (Path(name).exists() or name.endswith(SUFFIX) or os.sep in name):
        raise PolicyError(
            f"no policy {name!r}; there are {', '.join(CATALOGUE)}, "
            f"{', '.join(f'{one}:FAMILY' for one in _ALGORITHMS)}, and model files"
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
    try:
        text = json.dumps({**(facts or {}), "format": FORMAT, "stop": policy.stop.value, **header})
    except (TypeError, ValueError) as error:
        raise ModelError(f"{path}: facts that cannot be written as JSON: {fault_line(error)}") from error
    with atomic_write(path) as file:
        file.write(save(tensors, metadata={"sailplan": text}))


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
    return named / MODEL if named.is_dir() else named


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
    return header, tensors
