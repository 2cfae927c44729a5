"""The systems that the paper compares, and ours beside them."""

from __future__ import annotations

from dataclasses import dataclass

from sailplan.errors import SailplanError
from sailplan.learning.algorithms import ALGORITHMS, Algorithm, AlgorithmName


@dataclass(frozen=True)
class System:
    """A planner under the name that records have and the label that tables have."""

    name: str
    label: str
    trained: bool = False
    """Whether its name is an algorithm that trains it on each family; else it is a policy of that name."""
    pretrained: bool = False
    """Whether it is the policy that comes with the package for each family."""


SYSTEMS = (
    System("sail", "SaIL", trained=True),
    System("sl", "SL", trained=True),
    System("cem", "CEM", trained=True),
    System("ql", "QL", trained=True),
    System("h_euc", "h_EUC"),
    System("h_man", "h_MAN"),
    System("a_star", "A*"),
    System("mha_star", "MHA*"),
    System("bfws", "BFWS"),
    System("weighted_a_star", "weighted A*"),
    System("sail_default", "SaIL, default", pretrained=True),
    System("oracle", "oracle"),
)
"""The oracle is a limit, not a rival."""


def algorithm_named(name: str) -> AlgorithmName:
    """The algorithm of that name."""
    for known in ALGORITHMS:
        if known == name:
            return known
    raise SailplanError(f"no algorithm {name!r}; there are {', '.join(ALGORITHMS)}")


def algorithm_of(system: System) -> Algorithm:
    """What trains the system."""
    return ALGORITHMS[algorithm_named(system.name)]
