"""The systems that the paper compares, and ours beside them."""

from __future__ import annotations

from dataclasses import dataclass

from sailplan.learning.algorithms import AlgorithmName, Preset


@dataclass(frozen=True)
class System:
    """A planner under the name that records have and the label that tables have."""

    name: str
    """A policy of that name, unless an algorithm trains it."""
    label: str
    algorithm: AlgorithmName | None = None
    """What trains it on each family."""
    preset: Preset = "paper"
    """With which settings."""

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
"""The oracle is a limit, not a rival."""
