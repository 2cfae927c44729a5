"""Every algorithm by name: the one place that the command line, the runs and the experiments look."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from sailplan.learning.behaviour_cloning import CLONING, train_behaviour_cloning
from sailplan.learning.belief_training import BELIEF, train_belief
from sailplan.learning.cross_entropy import CROSS_ENTROPY, LONG_ROLL_OUTS, train_cross_entropy
from sailplan.learning.examples import Examples
from sailplan.learning.q_learning import Q_LEARNING, train_q_learning
from sailplan.learning.rounds import Trained
from sailplan.learning.sail import train_sail
from sailplan.learning.settings import DEFAULT, PAPER, TrainingSettings
from sailplan.policies.mixture.policy import OneOfMany
from sailplan.policies.replay.transitions import Transitions

AlgorithmName = Literal["sail", "sl", "cem", "ql", "belief"]
Preset = Literal["paper", "default"]


@dataclass(frozen=True)
class Algorithm:
    """A way to train a policy."""

    train: Callable[..., Trained | OneOfMany]
    paper: TrainingSettings
    """The paper's settings; ours where it has none."""
    default: TrainingSettings
    """What does best."""
    collects: type[Any] = Examples
    """What a round collects: a dataclass of arrays."""

    def preset(self, name: Preset) -> TrainingSettings:
        """The settings of that name."""
        return self.paper if name == "paper" else self.default


ALGORITHMS: dict[AlgorithmName, Algorithm] = {
    "sail": Algorithm(train_sail, PAPER, DEFAULT),
    "sl": Algorithm(train_behaviour_cloning, CLONING, CLONING),
    "cem": Algorithm(train_cross_entropy, CROSS_ENTROPY, LONG_ROLL_OUTS),
    "ql": Algorithm(train_q_learning, Q_LEARNING, Q_LEARNING, Transitions),
    "belief": Algorithm(train_belief, BELIEF, BELIEF),
}
