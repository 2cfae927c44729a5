"""Every algorithm by name, with its presets; used by the command line, run folders and experiments."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Literal

from sailplan.core.graph import Problem
from sailplan.learning.algorithms.behaviour_cloning import CLONING, CLONING_ON_ROADMAPS, train_behaviour_cloning
from sailplan.learning.algorithms.belief_settings import BELIEF
from sailplan.learning.algorithms.belief_training import train_belief
from sailplan.learning.algorithms.cross_entropy import CROSS_ENTROPY, LONG_ROLL_OUTS, train_cross_entropy
from sailplan.learning.algorithms.planner.settings import DEFAULT, PlannerSettings
from sailplan.learning.algorithms.planner.training import train_through_planner
from sailplan.learning.algorithms.q_learning import Q_LEARNING, train_q_learning
from sailplan.learning.algorithms.sail import ON_ROADMAPS, PAPER, train_sail
from sailplan.learning.rounds import Training
from sailplan.learning.settings import TrainingSettings

AlgorithmName = Literal["sail", "sl", "cem", "ql", "belief"]
"""The name of an algorithm, a key of `ALGORITHMS`."""
Preset = Literal["paper", "default"]
"""The name of settings, a key of `Algorithm.presets`."""


@dataclass(frozen=True)
class Algorithm:
    """A way to train a policy."""

    train: Callable[..., Training]
    """Trains as the settings say."""
    presets: Mapping[Preset, TrainingSettings]
    """`paper`: the paper's settings, or ours where it has none. `default`: what does best."""
    on_roadmaps: TrainingSettings | None = None
    """What does best on roadmaps, if it differs from `default`."""

    def has_settings(self, settings: object) -> bool:
        """Whether these are settings of the algorithm."""
        return type(settings) in self._kinds

    def read_settings(self, values: Any) -> TrainingSettings:
        """Read settings from JSON; raises TrainingError if they are not settings of the algorithm."""
        names = set(values) if isinstance(values, dict) else set()
        # The presets of SaIL have different settings; their names tell which.
        kind = max(self._kinds, key=lambda one: len(names & {field.name for field in fields(one)}))
        return kind.from_json(values)

    @property
    def _kinds(self) -> list[type[TrainingSettings]]:
        given = [*self.presets.values(), *([self.on_roadmaps] if self.on_roadmaps else [])]
        return list(dict.fromkeys(type(one) for one in given))


def _train_sail(
    train: Sequence[Problem], validation: Sequence[Problem], settings: TrainingSettings, **options: Any
) -> Training:
    """Train a score for each vertex, or cost multipliers through the planner, as the settings say."""
    if not isinstance(settings, PlannerSettings):
        return train_sail(train, validation, settings, **options)  # type: ignore[arg-type]
    return train_through_planner(train, validation, settings, **options)


ALGORITHMS: dict[AlgorithmName, Algorithm] = {
    "sail": Algorithm(_train_sail, {"paper": PAPER, "default": DEFAULT}, ON_ROADMAPS),
    "sl": Algorithm(train_behaviour_cloning, {"paper": CLONING, "default": CLONING}, CLONING_ON_ROADMAPS),
    "cem": Algorithm(train_cross_entropy, {"paper": CROSS_ENTROPY, "default": LONG_ROLL_OUTS}),
    "ql": Algorithm(train_q_learning, {"paper": Q_LEARNING, "default": Q_LEARNING}),
    "belief": Algorithm(train_belief, {"paper": BELIEF, "default": BELIEF}),
}
"""The algorithms by name."""
