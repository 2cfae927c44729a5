"""A belief by memory and imitation: hidden worlds are remembered, and what is made of them follows the expansions.

Most training worlds are remembered as they are; the others are rolled out with beliefs that weigh the memory in ways
drawn from a Gaussian, which follows those that need the fewest expansions (cross-entropy). So what is made small is
the objective itself. The validation worlds choose between the rounds, and among the candidates of the first are the
beliefs that need no weights: optimistic, and the prior with a few charges.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Unpack

import numpy as np

from sailplan.core.graph import FloatArray
from sailplan.core.problem import Problem
from sailplan.datasets.labelled import Lesson
from sailplan.errors import TrainingError
from sailplan.graphs.grid.graph import GridGraph
from sailplan.graphs.grid.world import World
from sailplan.learning.belief_settings import BeliefSettings
from sailplan.learning.examples import Examples
from sailplan.learning.rounds import Candidate, Options, Progress, Trained, run_rounds
from sailplan.learning.vectors import VectorLearner
from sailplan.policies.mixture.policy import OneOfMany
from sailplan.policies.replanning.beliefs.belief import Belief, Optimistic
from sailplan.policies.replanning.beliefs.frame import Frame
from sailplan.policies.replanning.beliefs.memory import Memory
from sailplan.policies.replanning.beliefs.penalty import Penalty
from sailplan.policies.replanning.beliefs.posterior import Agreement, Posterior
from sailplan.policies.replanning.beliefs.prior import Prior
from sailplan.policies.replanning.policy import ReplanningPolicy

BELIEF = BeliefSettings()

_WEIGHTS = {
    "steady": (math.log(0.3), 1.5),
    "surprise": (math.log(8.0), 0.8),
    "1 - certainty": (math.log(0.003), 0.8),
    "sureness": (math.log(1.5), 0.5),
    "doubt of blocked": (math.log(1.5), 0.8),
    "doubt of free": (math.log(0.3), 0.8),
    "reach": (math.log(100.0), 0.8),
    "most": (math.log(15.0), 0.7),
    "share of the prior": (math.log(0.04), 0.8),
}
"""What each number of a vector stands for: its logarithm at 0, and the rise of that to 1; chosen on training maps."""
_CENTRES, _UNITS = np.array(list(_WEIGHTS.values())).T
_PRIOR_CHARGES = (
    *(Penalty(prior_weight=weight) for weight in (1.0, 3.0, 5.0, 10.0)),
    *(Penalty(surprise=weight) for weight in (1.0, 3.0)),
)


def train_belief(
    train: Sequence[Problem],
    validation: Sequence[Problem],
    settings: BeliefSettings = BELIEF,
    *,
    seed: int,
    **options: Unpack[Options],
) -> Trained | OneOfMany:
    """Remember worlds of one frame and learn what to make of them."""
    frame = Frame.shared([*train, *validation])
    jobs = options.get("jobs", 1)

    def make_learner(lessons: Sequence[Lesson]) -> BeliefLearner:
        count = round(settings.remembered * len(lessons))
        if not 0 < count < len(lessons):
            raise TrainingError(f"{len(lessons)} worlds: too few to remember some and roll out others")
        memory = Memory.of([_world_of(lesson) for lesson in lessons[:count]])
        return BeliefLearner(lessons[count:], settings, seed, jobs, frame, memory)

    return run_rounds(make_learner, train, validation, settings, seed=seed, **options)


def _world_of(lesson: Lesson) -> World:
    graph = lesson.problem.graph
    assert isinstance(graph, GridGraph)
    return graph.world


@dataclass(frozen=True, eq=False)
class BeliefLearner(VectorLearner[BeliefSettings]):
    """Draws weights and follows the best; its lessons are worlds that are not remembered."""

    frame: Frame
    memory: Memory

    def fit(self, number: int, progress: Progress[Examples]) -> tuple[list[Candidate], float]:
        """In the first round, the beliefs that need no weights are candidates too."""
        candidates, cost = super().fit(number, progress)
        if number == 1:
            frequencies = self.memory.frequencies
            plain: list[Belief] = [Optimistic(), *(Prior(self.frame, frequencies, one) for one in _PRIOR_CHARGES)]
            candidates += [Candidate(ReplanningPolicy(belief)) for belief in plain]
        return candidates, cost

    def policy(self, vector: FloatArray) -> ReplanningPolicy:
        """Replanning with what a vector makes of the memory."""
        numbers = np.exp((_CENTRES + _UNITS * vector).clip(-12.0, 7.0)).tolist()
        steady, surprise, doubt, sureness, blocked, free, reach, most, share = numbers
        belief = Posterior(
            self.frame,
            self.memory,
            Penalty(steady, surprise, 1.0 - min(doubt, 1.0), sureness),
            Agreement(blocked, free, reach, max(1, round(most)), min(share, 1.0)),
        )
        return ReplanningPolicy(belief)
