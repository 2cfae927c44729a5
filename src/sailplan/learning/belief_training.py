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

from sailplan.beliefs.belief import Belief
from sailplan.beliefs.charging import Charging
from sailplan.beliefs.conditional import Agreement, Conditional
from sailplan.beliefs.frame import Frame
from sailplan.beliefs.memory import Memory
from sailplan.beliefs.optimistic import Optimistic
from sailplan.beliefs.prior import Prior
from sailplan.errors import TrainingError
from sailplan.graphs.graph import FloatArray
from sailplan.graphs.grid import GridGraph
from sailplan.graphs.problem import Problem
from sailplan.learning.belief_settings import WEIGHTS, BeliefSettings
from sailplan.learning.cross_entropy import Gaussian, costs_of, refit
from sailplan.learning.examples import Examples
from sailplan.learning.lessons import Lesson
from sailplan.learning.rounds import Candidate, Options, Progress, Trained, draw_lessons, run_rounds, seed_of
from sailplan.policies.mixture import OneOfMany
from sailplan.policies.replanning import ReplanningPolicy
from sailplan.worlds.world import World

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
    *(Charging(steady=weight) for weight in (1.0, 3.0, 5.0, 10.0)),
    *(Charging(surprise=weight) for weight in (1.0, 3.0)),
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
        return BeliefLearner(frame, memory, lessons[count:], settings, seed, jobs)

    return run_rounds(make_learner, train, validation, settings, seed=seed, **options)


def _world_of(lesson: Lesson) -> World:
    graph = lesson.problem.graph
    assert isinstance(graph, GridGraph)
    return graph.world


@dataclass(frozen=True, eq=False)
class BeliefLearner:
    """Draws weights and follows the best; its examples are vectors, labelled with what they cost."""

    frame: Frame
    memory: Memory
    lessons: Sequence[Lesson]
    """Worlds that are not remembered."""
    settings: BeliefSettings
    seed: int
    jobs: int

    def mixing(self, number: int) -> float:
        """No one else selects."""
        return 0.0

    def collect(self, number: int, progress: Progress[Examples]) -> Examples:
        """Draw vectors and roll out each on the same few worlds; the cost is the mean of its expansions."""
        settings = self.settings
        lessons, _ = draw_lessons(self.lessons, settings.worlds_per_vector, self.seed, number)
        rng = np.random.default_rng(seed_of(self.seed, number))
        vectors = self._gaussian(progress).draw(settings.vectors, rng)
        policies = [ReplanningPolicy(self.belief(vector)) for vector in vectors]
        return Examples(vectors, costs_of(policies, lessons, settings.max_expansions, self.jobs))

    def fit(self, number: int, progress: Progress[Examples]) -> tuple[list[Candidate], float]:
        """Fit the Gaussian to the elite of this round; its mean and the best vector are what is validated."""
        drawn = progress.examples[-1]
        gaussian, cost = self._refit(drawn)
        best = drawn.rows[int(np.argmin(drawn.labels))]
        beliefs: list[Belief] = [self.belief(gaussian.mean), self.belief(best)]
        if number == 1:
            frequencies = self.memory.frequencies
            beliefs += [Optimistic(), *(Prior(self.frame, frequencies, one) for one in _PRIOR_CHARGES)]
        return [Candidate(ReplanningPolicy(belief)) for belief in beliefs], cost

    def _gaussian(self, progress: Progress[Examples]) -> Gaussian:
        if progress.examples:
            return self._refit(progress.examples[-1])[0]
        return Gaussian(np.zeros(WEIGHTS), np.full(WEIGHTS, self.settings.spread))

    def _refit(self, drawn: Examples) -> tuple[Gaussian, float]:
        return refit(drawn.rows, drawn.labels, self.settings.elite, self.settings.least_spread)

    def belief(self, vector: FloatArray) -> Conditional:
        """What a vector makes of the memory."""
        numbers = np.exp((_CENTRES + _UNITS * vector).clip(-12.0, 7.0)).tolist()
        steady, surprise, doubt, sureness, blocked, free, reach, most, share = numbers
        return Conditional(
            self.frame,
            self.memory,
            Charging(steady, surprise, 1.0 - min(doubt, 1.0), sureness),
            Agreement(blocked, free, reach, max(1, round(most)), min(share, 1.0)),
        )
