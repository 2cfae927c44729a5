"""The systems that the paper compares, ours beside them, and the published numbers."""

from __future__ import annotations

from dataclasses import dataclass

from sailplan.learning.algorithms import AlgorithmName, Preset


@dataclass(frozen=True)
class System:
    """A planner, with its name in records and its label in tables."""

    name: str
    """The name of a policy, unless an algorithm trains it."""
    label: str
    algorithm: AlgorithmName | None = None
    """The algorithm that trains it on each family; None if it is not trained."""
    preset: Preset = "paper"
    """The settings of the training."""

    @property
    def trained(self) -> bool:
        """Whether it is trained on each family."""
        return self.algorithm is not None


SYSTEMS = (
    System("sail", "SaIL", "sail"),
    System("sl", "SL", "sl"),
    System("cem", "CEM", "cem"),
    System("ql", "QL", "ql"),
    System("h_euc", "h_EUC"),
    System("h_man", "h_MAN"),
    System("a_star", "A*"),
    System("mha_star", "MHA*"),
    System("mha_star_near", "MHA*, near"),
    System("bfws", "BFWS"),
    System("weighted_a_star", "weighted A*"),
    System("optimistic", "optimistic"),
    System("sail_default", "SaIL, default", "sail", "default"),
    System("cem_default", "CEM, default", "cem", "default"),
    System("oracle", "oracle"),
)
"""All systems of the table; the oracle is the limit, not a competitor."""

_SAIL = "Learning Heuristic Search via Imitation (CoRL 2017), Fig. 2"
_PHIL = "Learning Graph Search Heuristics (LoG 2022), Table 1"
SOURCES = {
    **dict.fromkeys(("sail", "sl", "cem", "ql", "h_euc", "h_man", "a_star", "mha_star"), _SAIL),
    "bfws": _PHIL,
}
"""Where the numbers of each policy were published."""

PUBLISHED: dict[str, dict[str, float]] = {
    family: dict(zip(SOURCES, scores, strict=True))
    for family, scores in {
        "alternating_gaps": (0.039, 0.432, 0.042, 1.0, 1.0, 1.0, 1.0, 1.0, 0.34),
        "single_bugtrap": (0.158, 0.214, 0.057, 1.0, 0.184, 0.192, 1.0, 0.286, 0.099),
        "shifting_gaps": (0.104, 0.464, 1.0, 1.0, 0.506, 0.589, 1.0, 0.804, 0.206),
        "forest": (0.036, 0.043, 0.048, 0.121, 0.041, 0.043, 1.0, 0.075, 0.039),
        "bugtrap_forest": (0.147, 0.384, 0.182, 1.0, 0.410, 0.337, 1.0, 0.467, 0.149),
        "gaps_and_forest": (0.221, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.401),
        "mazes": (0.103, 0.238, 0.479, 0.399, 0.185, 0.171, 1.0, 0.279, 0.095),
        "multiple_bugtraps": (0.479, 0.480, 1.0, 0.835, 0.648, 0.617, 1.0, 0.876, 0.169),
    }.items()
}
"""Normalised expansions on the test maps, by family, then by policy; lower is better."""
