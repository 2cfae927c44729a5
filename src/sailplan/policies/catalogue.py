"""Every built-in policy by name: the one place that the command line and the reports look."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from sailplan.core.policy import Policy
from sailplan.errors import PolicyError
from sailplan.policies.keyed.recipes import (
    a_star,
    breadth_first,
    dijkstra,
    greedy,
    mha_star,
    mha_star_near,
    weighted_a_star,
)
from sailplan.policies.model_file import SUFFIX, find_model, load_policy
from sailplan.policies.oracle import OraclePolicy
from sailplan.policies.random_order.policy import RandomPolicy
from sailplan.policies.replanning.policy import optimistic
from sailplan.policies.width.policy import bfws

_PRETRAINED_FOLDER = Path(__file__).parent.parent / "pretrained"
"""Where the model files are that come with the package."""


@dataclass(frozen=True)
class Entry:
    """A built-in policy."""

    make: Callable[[], Policy]
    summary: str


CATALOGUE: dict[str, Entry] = {
    "optimistic": Entry(optimistic, "replanning: the shortest path to the goal where the unseen is free; no training"),
    "a_star": Entry(a_star, "A* with the Euclidean distance; optimal where no move is cheaper than its length"),
    "a_star_octile": Entry(lambda: a_star("octile"), "A* with the empty-grid distance; optimal on every grid"),
    "weighted_a_star": Entry(weighted_a_star, "g + w h with w = 11, or as in weighted_a_star:3"),
    "h_euc": Entry(lambda: greedy("euclidean"), "greedy best-first, Euclidean distance"),
    "h_man": Entry(lambda: greedy("manhattan"), "greedy best-first, Manhattan distance"),
    "h_oct": Entry(lambda: greedy("octile"), "greedy best-first, empty-grid distance"),
    "mha_star": Entry(mha_star, "MHA* of the paper: turns between h_euc, h_man and far from known obstacles"),
    "mha_star_near": Entry(mha_star_near, "the same, close to known obstacles: it follows walls"),
    "bfws": Entry(bfws, "best-first width search: by novelty of x and y, then by Euclidean distance"),
    "bfs": Entry(breadth_first, "breadth-first: first come, first expanded"),
    "dijkstra": Entry(dijkstra, "cheapest first; optimal on every graph"),
    "random": Entry(RandomPolicy, "any open vertex, each as likely; the same in every run"),
    "oracle": Entry(OraclePolicy, "clairvoyant: true cost-to-go; the limit, not a planner"),
}


_ALGORITHMS = ("sail", "belief")
PRETRAINED: dict[str, str] = {
    f"{algorithm}:{file.stem}": f"{algorithm}/{file.name}"
    for algorithm in _ALGORITHMS
    for file in sorted((_PRETRAINED_FOLDER / algorithm).glob(f"*{SUFFIX}"))
}
"""The policies that were trained on generated worlds of each family, and their files in the package."""


def make_policy(name: str) -> Policy:
    """The policy of that name, model file or run folder; spelling is forgiving (A*, a-star and a_star are one)."""
    if name in PRETRAINED:
        return load_policy(_PRETRAINED_FOLDER / PRETRAINED[name])
    base, _, argument = name.partition(":")
    matches = [entry for known, entry in CATALOGUE.items() if _plain(known) == _plain(base)]
    if not matches:
        return _from_file(name)
    if not argument:
        return matches[0].make()
    if _plain(base) != _plain("weighted_a_star"):
        raise PolicyError(f"{name!r}: only weighted_a_star takes a number after the colon")
    try:
        return weighted_a_star(float(argument))
    except ValueError as error:
        raise PolicyError(f"{name!r}: the weight must be a finite number that is not negative") from error


def _from_file(name: str) -> Policy:
    if _plain(name.partition(":")[0]) in _ALGORITHMS:
        raise PolicyError(f"no policy {name!r}; there are {', '.join(PRETRAINED)}")
    if not name or not (Path(name).exists() or name.endswith(SUFFIX) or os.sep in name):
        raise PolicyError(
            f"no policy {name!r}; there are {', '.join(CATALOGUE)}, sail:FAMILY, belief:FAMILY, and model files"
        )
    return load_policy(find_model(name))


def _plain(name: str) -> str:
    spelled = name.strip().lower().replace("*", "star")
    return "".join(letter for letter in spelled if letter.isalnum())
