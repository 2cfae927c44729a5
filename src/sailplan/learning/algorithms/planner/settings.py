"""Settings of SaIL through the planner."""

from __future__ import annotations

from dataclasses import dataclass
from typing import get_args

from sailplan.learning.algorithms.planner.rollouts import RollOuts
from sailplan.learning.settings import Objective, TrainingSettings, check, check_roll_outs, setting
from sailplan.policies.lazy.policy import LazyPolicy
from sailplan.policies.replanning.beliefs.learned import LearnedMultipliers
from sailplan.policies.replanning.policy import ReplanningPolicy


@dataclass(frozen=True)
class PlannerSettings(TrainingSettings):
    """SaIL through the planner: cost multipliers that imitate the oracle (Eq. 3 of the paper), then direct search."""

    rounds: int = setting(3, "Rounds of rolling out and learning (N).")
    training_worlds: int = setting(1000, "Worlds to train on.")
    validation_worlds: int = setting(150, "Worlds on which the rounds are compared.")
    worlds_per_round: int = setting(150, "Worlds rolled out in each round (m).")
    samples_per_world: int = setting(8, "Random steps of each roll-out that are learned from (k).")
    oracle_probability: float = setting(0.5, "Base β of the share of roll-outs of the oracle, β^round.")
    random_endpoints: float = setting(0.3, "Share of direct search between random cells instead of start and goal.")
    objective: str = setting("expansions", "What is minimised: expansions, or edge evaluations of lazy search.")
    components: int = setting(64, "Typical worlds of the mixture; at most one for eight training worlds.")
    temperature: float = setting(1.0, "Least temperature of the loss of imitation, in steps.")
    steps: int = setting(120, "Steps of imitation in each round.")
    batch_size: int = setting(16, "States in a step of imitation.")
    learning_rate: float = setting(0.05, "Step size of imitation.")
    routes: int = setting(192, "Random routes among which the first round chooses a start of direct search.")
    search_steps: int = setting(40, "Steps of direct search in each round.")
    search_pairs: int = setting(100, "Pairs of opposite perturbations in a step of direct search.")
    collects = RollOuts

    def __post_init__(self) -> None:
        super().__post_init__()
        check(self.result == "best", "result", self.result, "best in this training")
        check_roll_outs(self.worlds_per_round, self.samples_per_world)
        check(self.samples_per_world > 0, "samples_per_world", self.samples_per_world, "positive")
        for name in ("oracle_probability", "random_endpoints"):
            check(0 <= getattr(self, name) <= 1, name, getattr(self, name), "between 0 and 1")
        check(self.objective in get_args(Objective), "objective", self.objective, " or ".join(get_args(Objective)))
        for name in ("temperature", "learning_rate"):
            check(0 < getattr(self, name) < 1000, name, getattr(self, name), "positive")
        for name in ("components", "steps", "batch_size", "search_pairs"):
            check(getattr(self, name) > 0, name, getattr(self, name), "positive")
        for name in ("routes", "search_steps"):
            check(getattr(self, name) >= 0, name, getattr(self, name), "0 or more")

    @property
    def minimised(self) -> Objective:
        """The objective."""
        return "evaluations" if self.objective == "evaluations" else "expansions"

    def row_width(self) -> int:
        """One column for each sampled step of a roll-out."""
        return self.samples_per_world

    def could_make(self, policy: object) -> bool:
        """Whether the policy replans or searches lazily, as the objective needs, with learned multipliers."""
        kind = LazyPolicy if self.minimised == "evaluations" else ReplanningPolicy
        return isinstance(policy, kind) and isinstance(policy.belief, LearnedMultipliers)


DEFAULT = PlannerSettings()
"""What does best on grids."""
