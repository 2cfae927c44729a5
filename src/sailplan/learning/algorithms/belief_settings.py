"""Settings of trainings of beliefs, on grids and on roadmaps."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar, Self, get_args

from sailplan.learning.algorithms.cross_entropy import VectorSettings
from sailplan.learning.settings import Objective, check, setting
from sailplan.policies.lazy.policy import LazyPolicy
from sailplan.policies.replanning.beliefs.edge_network import EdgeNetwork
from sailplan.policies.replanning.beliefs.kernel.edge_network import COLUMNS
from sailplan.policies.replanning.policy import ReplanningPolicy

_WEIGHTS = {
    "prior weight": (math.log(0.3), 1.5),
    "surprise": (math.log(8.0), 0.8),
    "1 - certainty": (math.log(0.003), 0.8),
    "sharpness": (math.log(1.5), 0.5),
    "doubt of blocked": (math.log(1.5), 0.8),
    "doubt of free": (math.log(0.3), 0.8),
    "reach": (math.log(100.0), 0.8),
    "most": (math.log(15.0), 0.7),
    "share of the prior": (math.log(0.04), 0.8),
}
"""The parameter that each number of a vector stands for: its logarithm at 0, and the change of that logarithm per unit;
chosen on training maps."""
_LAZY_WEIGHTS = {"obstacles between updates": (math.log(3.0), 0.7), "selector": (0.0, 1.0)}
"""The parameters of a lazy search that follow; the selector is `doubtful` if the last number is above 1, otherwise
`forward`."""


@dataclass(frozen=True)
class BeliefSettings(VectorSettings):
    """A belief: worlds are stored, and the weights of the comparison are those that need the least of the objective."""

    rounds: int = setting(5, "Rounds of rolling out and learning (N).")
    training_worlds: int = setting(800, "Worlds to train on.")
    max_expansions: int = setting(3000, "Longest roll-out (T). It is counted in what is minimised.")
    remembered: float = setting(0.85, "Share of the training worlds that are stored; the others are rolled out.")
    vectors: int = setting(16, "Parameter vectors drawn in each round.")
    worlds_per_vector: int = setting(40, "Worlds on which each of them is rolled out.")
    elite: float = setting(0.25, "Share of the vectors, the best, to which the Gaussian is fitted again.")
    most_spread: ClassVar[int] = 10
    least_spread: float = setting(0.15, "Lower limit of the standard deviation.")
    objective: str = setting("expansions", "What is minimised: expansions, or edge evaluations of lazy search.")
    bound: float = setting(math.inf, "Bound of the path cost of the lazy search, on roadmaps; inf: any path.")
    cost_limit: float = setting(1.1, "On roadmaps: limit of the mean path cost in training, in optimal costs.")
    network_rounds: int = setting(0, "On roadmaps: the last rounds, which train a network that corrects the posterior.")

    def __post_init__(self) -> None:
        super().__post_init__()
        expected = "at least 0, and below the number of rounds"
        check(0 <= self.network_rounds < self.rounds, "network_rounds", self.network_rounds, expected)
        check(self.result == "best", "result", self.result, "best in a training of a belief")
        check(0 < self.remembered < 1, "remembered", self.remembered, "between 0 and 1")
        objectives = get_args(Objective)
        check(self.objective in objectives, "objective", self.objective, " or ".join(objectives))
        lazy = self.network_rounds == 0 or self.minimised == "evaluations"
        check(lazy, "network_rounds", self.network_rounds, "0 unless evaluations are minimised")
        check(self.bound >= 1, "bound", self.bound, "at least 1")
        check(self.cost_limit >= 1, "cost_limit", self.cost_limit, "at least 1")

    @property
    def minimised(self) -> Objective:
        """The objective."""
        return "evaluations" if self.objective == "evaluations" else "expansions"

    @property
    def weights(self) -> dict[str, tuple[float, float]]:
        """The parameter that each number of a vector stands for."""
        return {**_WEIGHTS, **_LAZY_WEIGHTS} if self.minimised == "evaluations" else _WEIGHTS

    def row_width(self) -> int:
        """One column for each weight."""
        return len(self.weights)

    def example_width(self, policy: Any) -> int:
        """One column for each feature of an edge in the rounds that train a network."""
        return COLUMNS if isinstance(policy.belief, EdgeNetwork) else self.row_width()

    def could_make(self, policy: object) -> bool:
        """Whether the policy is lazy or replans, as the objective needs."""
        return isinstance(policy, LazyPolicy if self.minimised == "evaluations" else ReplanningPolicy)

    @classmethod
    def from_json(cls, values: Any) -> Self:
        """Read what `as_json` returned; settings of earlier versions lack some."""
        later = {"objective": "expansions", "bound": math.inf, "cost_limit": 1.1, "network_rounds": 0}
        return super().from_json({**later, **values} if isinstance(values, dict) else values)


BELIEF = BeliefSettings()
"""The settings of `belief`, with every preset."""
