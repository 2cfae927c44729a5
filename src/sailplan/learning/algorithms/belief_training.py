"""Training of a belief: worlds are stored, and the weights that compare them with a search are optimised.

Most training worlds are stored unmodified; the others are rolled out with beliefs whose weights are drawn from a
Gaussian, which follows those that need the fewest expansions (cross-entropy). So the objective itself is minimised.
The validation worlds choose between the rounds. The candidates of the first round include the beliefs that need no
weights: optimistic, and the prior with a few cost multipliers.

With the objective `evaluations` the searches are lazy and their edge evaluations are minimised. An edge reveals less
than the expansion of a vertex, so that other weights are best; how often the belief is updated and which edges of the
candidate path are evaluated first are chosen with them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Unpack

import numpy as np

from sailplan.core.graph import FloatArray, Problem
from sailplan.datasets.labelled import LabelledProblem
from sailplan.errors import TrainingError
from sailplan.graphs.grid.graph import GridGraph
from sailplan.graphs.grid.world import World
from sailplan.learning.algorithms.belief_settings import BELIEF, BeliefSettings
from sailplan.learning.algorithms.cross_entropy import VectorLearner
from sailplan.learning.algorithms.edge_belief_training import EdgeBeliefLearner
from sailplan.learning.regressors import Examples
from sailplan.learning.roadmaps import roadmap_of
from sailplan.learning.rounds import Candidate, Options, Progress, Trained, Training, run_rounds
from sailplan.learning.settings import Objective
from sailplan.policies.lazy.policy import LazyPolicy
from sailplan.policies.replanning.beliefs.belief import Belief, Optimistic, Refresh
from sailplan.policies.replanning.beliefs.posterior import OFTEN, Agreement, Memory, Posterior
from sailplan.policies.replanning.beliefs.prior import Frame, Penalty, Prior
from sailplan.policies.replanning.policy import ReplanningPolicy

_PENALTIES: dict[Objective, Sequence[Penalty]] = {
    "expansions": (
        *(Penalty(prior_weight=weight) for weight in (1.0, 3.0, 5.0, 10.0)),
        *(Penalty(surprise=weight) for weight in (1.0, 3.0)),
    ),
    "evaluations": (
        *(Penalty(prior_weight=weight) for weight in (0.5, 1.0, 2.0, 5.0, 10.0)),
        *(Penalty(surprise=weight) for weight in (0.3, 1.0, 3.0)),
    ),
}
"""The penalties of the priors among the candidates of the first round."""


def train_belief(
    train: Sequence[Problem],
    validation: Sequence[Problem],
    settings: BeliefSettings = BELIEF,
    *,
    seed: int,
    **options: Unpack[Options],
) -> Training:
    """Store worlds of one frame, or of one roadmap, and learn how to weigh them.

    Parameters and results are those of `train_sail`, without features and regressors of your own. Raises TrainingError
    also if the problems are neither on grids of one size with one start and one goal, nor on one roadmap.
    """
    if roadmap_of([*train, *validation]):

        def make_edge_learner(problems: Sequence[LabelledProblem], jobs: int) -> EdgeBeliefLearner:
            return EdgeBeliefLearner.of(train, problems, settings, seed, jobs)

        return run_rounds(make_edge_learner, train, validation, settings, seed=seed, **options)
    if settings.network_rounds:
        raise TrainingError("rounds that train a network of edges need worlds of a roadmap: a file of edge worlds")
    frame = Frame.shared([*train, *validation])

    def make_learner(problems: Sequence[LabelledProblem], jobs: int) -> BeliefLearner:
        count = round(settings.remembered * len(problems))
        if not 0 < count < len(problems):
            raise TrainingError(f"{len(problems)} worlds: too few to store some and roll out others")
        memory = Memory.of([_world_of(labelled) for labelled in problems[:count]])
        return BeliefLearner(problems[count:], settings, seed, jobs, frame, memory)

    return run_rounds(make_learner, train, validation, settings, seed=seed, **options)


def _world_of(labelled: LabelledProblem) -> World:
    graph = labelled.problem.graph
    assert isinstance(graph, GridGraph)
    return graph.world


@dataclass(frozen=True, eq=False)
class BeliefLearner(VectorLearner[BeliefSettings]):
    """Draws weights and follows the best; its problems are the worlds that are not stored."""

    frame: Frame
    memory: Memory

    def fit(self, number: int, progress: Progress[Examples]) -> tuple[list[Candidate], float]:
        """In the first round the beliefs that need no weights are candidates as well."""
        candidates, cost = super().fit(number, progress)
        if number == 1:
            frequencies, penalties = self.memory.frequencies, _PENALTIES[self.settings.minimised]
            plain: list[Belief] = [Optimistic(), *(Prior(self.frame, frequencies, one) for one in penalties)]
            lazy = self.settings.minimised == "evaluations"
            candidates += [Candidate(LazyPolicy(belief=one) if lazy else ReplanningPolicy(one)) for one in plain]
        return candidates, cost

    def policy(self, vector: FloatArray) -> Trained:
        """The policy with the stored worlds, weighed by a vector."""
        centres, units = np.array(list(self.settings.weights.values())).T
        numbers = np.exp((centres + units * vector).clip(-12.0, 7.0)).tolist()
        prior_weight, surprise, doubt, sharpness, blocked, free, reach, most, share, *lazy = numbers
        belief = Posterior(
            self.frame,
            self.memory,
            Penalty(prior_weight, surprise, 1.0 - min(doubt, 1.0), sharpness),
            Agreement(blocked, free, reach, max(1, round(most)), min(share, 1.0)),
        )
        if not lazy:
            return ReplanningPolicy(belief)
        obstacles, selector = lazy
        refresh = Refresh(OFTEN.expansions, max(1, round(obstacles)))
        return LazyPolicy(belief=replace(belief, refresh=refresh), selector="doubtful" if selector > 1.0 else "forward")
