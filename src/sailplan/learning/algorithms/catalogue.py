"""Every algorithm by name, with its presets; used by the command line, run folders and experiments."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from sailplan.learning.algorithms.behaviour_cloning import CLONING, CLONING_ON_ROADMAPS, train_behaviour_cloning
from sailplan.learning.algorithms.belief_settings import BELIEF
from sailplan.learning.algorithms.belief_training import train_belief
from sailplan.learning.algorithms.cross_entropy import CROSS_ENTROPY, LONG_ROLL_OUTS, train_cross_entropy
from sailplan.learning.algorithms.q_learning import Q_LEARNING, train_q_learning
from sailplan.learning.algorithms.sail import DEFAULT, ON_ROADMAPS, PAPER, train_sail
from sailplan.learning.regressors import Examples
from sailplan.learning.rounds import Training
from sailplan.learning.settings import TrainingSettings
from sailplan.policies.replay.transitions import Transitions

AlgorithmName = Literal["sail", "sl", "cem", "ql", "belief"]
Preset = Literal["paper", "default"]


@dataclass(frozen=True)
class Algorithm:
    """A way to train a policy."""

    train: Callable[..., Training]
    presets: Mapping[Preset, TrainingSettings]
    """`paper`: the paper's settings, or ours where it has none. `default`: what does best."""
    on_roadmaps: TrainingSettings | None = None
    """What does best on roadmaps, if it differs from `default`."""
    collects: type[Any] = Examples
    """What a round collects: a dataclass of arrays."""


ALGORITHMS: dict[AlgorithmName, Algorithm] = {
    "sail": Algorithm(train_sail, {"paper": PAPER, "default": DEFAULT}, ON_ROADMAPS),
    "sl": Algorithm(train_behaviour_cloning, {"paper": CLONING, "default": CLONING}, CLONING_ON_ROADMAPS),
    "cem": Algorithm(train_cross_entropy, {"paper": CROSS_ENTROPY, "default": LONG_ROLL_OUTS}),
    "ql": Algorithm(train_q_learning, {"paper": Q_LEARNING, "default": Q_LEARNING}, collects=Transitions),
    "belief": Algorithm(train_belief, {"paper": BELIEF, "default": BELIEF}),
}
