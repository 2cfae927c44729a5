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
    """SaIL through the planner: cost multipliers from a network, trained with the loss of the paper (its Eq. 3)."""

    rounds: int = setting(2, "Rounds of rolling out and learning (N).")
    training_worlds: int = setting(1000, "Worlds to train on; all of them are stored.")
    validation_worlds: int = setting(150, "Worlds on which the rounds are compared.")
    worlds_per_round: int = setting(150, "Worlds rolled out in each round (m).")
    samples_per_world: int = setting(8, "Random steps of each roll-out that are learned from (k).")
    oracle_probability: float = setting(0.5, "Base β of the share of roll-outs of the oracle, β^round.")
    random_endpoints: float = setting(0.15, "Share of roll-outs between random cells instead of start and goal.")
    objective: str = setting("expansions", "What is minimised: expansions, or edge evaluations of lazy search.")
    temperature: float = setting(3.0, "Least temperature of the loss, in steps.")
    steps: int = setting(200, "Steps of the optimiser (Adam) in each round.")
    batch_size: int = setting(12, "States in a step.")
    learning_rate: float = setting(0.0005, "Step size of the first round; it decays to a tenth.")
    averaging: float = setting(0.99, "Decay of the running average of the weights, which is what is kept.")
    hidden_weight: float = setting(1.0, "Weight of the cross-entropy of hidden cells beside the loss of the paper.")
    near_channels: int = setting(24, "Channels of the network at half the resolution.")
    far_channels: int = setting(40, "Channels of the network at a quarter of the resolution.")
    tuning_rounds: int = setting(3, "Rounds of the cross-entropy method that choose recall and penalty beforehand.")
    tuning_vectors: int = setting(10, "Recalls and penalties that are drawn in each of them.")
    tuning_worlds: int = setting(24, "Worlds on which each of them is rolled out.")
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
        for name in ("steps", "batch_size", "near_channels", "far_channels", "tuning_vectors", "tuning_worlds"):
            check(getattr(self, name) > 0, name, getattr(self, name), "positive")
        check(0 <= self.averaging < 1, "averaging", self.averaging, "at least 0 and below 1")
        for name in ("hidden_weight", "tuning_rounds"):
            check(0 <= getattr(self, name) < 1000, name, getattr(self, name), "0 or more")

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
