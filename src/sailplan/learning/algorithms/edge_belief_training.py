"""Training of an edge posterior: the worlds of a roadmap are stored, and the weights that compare them are optimised.

All training worlds are stored. A world is rolled out with itself, and with all that are equal to it, ignored, so that
every world serves both purposes. Vectors of weights are drawn from a Gaussian which follows those that need the fewest
evaluations (cross-entropy); paths that are longer than a limit on average count against a vector. The last rounds may
train a network that corrects the posterior; see `edge_network_training`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from sailplan.core.graph import FloatArray, Problem
from sailplan.datasets.labelled import LabelledProblem
from sailplan.learning.algorithms.belief_settings import BeliefSettings
from sailplan.learning.algorithms.cross_entropy import VectorLearner
from sailplan.learning.algorithms.edge_network_training import collect_edges, fit_network, without_correction
from sailplan.learning.algorithms.edge_roll_outs import EdgeRollOuts
from sailplan.learning.regressors import Examples
from sailplan.learning.roadmaps import results_of, roadmap_of
from sailplan.learning.rounds import Candidate, Progress, draw_problems, seed_of
from sailplan.parallel import run_all
from sailplan.policies.lazy.policy import LazyPolicy
from sailplan.policies.replanning.beliefs.edge_network import EdgeNetwork
from sailplan.policies.replanning.beliefs.edge_posterior import EdgePosterior, EdgeWeights
from sailplan.policies.replanning.policy import ReplanningPolicy

EDGE_WEIGHTS = {
    "surprise": (math.log(2.0), 0.8),
    "doubt of invalid": (math.log(1.0), 0.6),
    "doubt of valid": (math.log(1.0), 0.6),
    "smoothing": (math.log(0.3), 0.5),
    "sharing": (math.log(0.7), 0.4),
    "detour": (math.log(0.17), 0.6),
    "selector": (0.0, 1.0),
}
"""The parameter that each number of a vector stands for: its logarithm at 0, and the change of that logarithm per unit.
The selector is `critical` if the last number is above 1, otherwise `doubtful`. Numbers that follow are not used:
vectors have as many as those of grids, because files of rounds are checked by the settings alone."""
_FIRST = [
    [math.log(surprise / 2.0) / 0.8, doubt, doubt, 0.0, 0.0, 0.0, selector]
    for surprise in (0.5, 1.0, 2.0, 5.0)
    for doubt in (0.0, 1.2)
    for selector in (-0.5, 0.5)
]
"""Vectors that are rolled out in the first round, beside those that are drawn."""
_EXCESS = 20.0
"""The evaluations of a vector are increased by this share for a mean cost of one optimal cost above the limit."""


@dataclass(frozen=True, eq=False)
class EdgeBeliefLearner(VectorLearner[BeliefSettings]):
    """Draws weights and follows the best."""

    belief: EdgePosterior
    """The belief with all training worlds."""
    roll_outs: EdgeRollOuts

    @classmethod
    def of(
        cls,
        train: Sequence[Problem],
        problems: Sequence[LabelledProblem],
        settings: BeliefSettings,
        seed: int,
        jobs: int,
    ) -> EdgeBeliefLearner:
        """Store the training worlds; `problems` are those of them that have a path."""
        roadmap = roadmap_of(train)
        assert roadmap is not None
        valid = results_of(train)
        searches = EdgeRollOuts.of(valid, settings)
        return cls(problems, settings, seed, jobs, EdgePosterior.of(roadmap, valid), searches)

    def policy(self, vector: FloatArray) -> LazyPolicy | ReplanningPolicy:
        """The policy with the stored worlds, weighed by a vector."""
        centres, units = np.array(list(EDGE_WEIGHTS.values())).T
        numbers = np.exp((centres + units * vector[: len(centres)]).clip(-12.0, 7.0)).tolist()
        surprise, of_invalid, of_valid, smoothing, sharing, detour, selector = numbers
        belief = replace(
            self.belief,
            weights=EdgeWeights(surprise, of_invalid, of_valid, smoothing, sharing=sharing, detour=detour),
        )
        if self.settings.minimised == "expansions":
            return ReplanningPolicy(belief)
        return LazyPolicy(self.settings.bound, belief, "critical" if selector > 1.0 else "doubtful")

    def collect(self, number: int, progress: Progress[Examples]) -> Examples:
        """Draw vectors and roll out each on the same worlds; the cost includes that of long paths."""
        settings = self.settings
        if self._trains_network(number):
            return collect_edges(self, number, self._network_policy(progress))
        problems, _ = draw_problems(self.problems, settings.worlds_per_vector, self.seed, number)
        rng = np.random.default_rng(seed_of(self.seed, number))
        vectors = self._gaussian(progress).draw(settings.vectors, rng)
        if number == 1:
            first = np.pad(np.array(_FIRST), ((0, 0), (0, settings.row_width() - len(EDGE_WEIGHTS))))
            vectors = np.concatenate([first, vectors])
        policies = [self.policy(vector) for vector in vectors]
        return Examples(vectors, self.costs_of(policies, problems))

    def costs_of(
        self,
        policies: Sequence[LazyPolicy | ReplanningPolicy],
        problems: Sequence[LabelledProblem],
        limit: float | None = None,
    ) -> FloatArray:
        """Return the mean of what is minimised by each policy, increased if its paths are longer than the limit.

        The limit is that of the settings unless another one is given.
        """
        table = self.means_of(policies, problems)
        excess = np.maximum(table[:, 1] - (limit or self.settings.cost_limit), 0.0)
        costs: FloatArray = table[:, 0] * (1.0 + _EXCESS * excess)
        return costs

    def means_of(
        self, policies: Sequence[LazyPolicy | ReplanningPolicy], problems: Sequence[LabelledProblem]
    ) -> FloatArray:
        """Return the mean evaluations (or expansions) and path costs, a row for each policy."""
        pairs, spent = [(policy, labelled) for policy in policies for labelled in problems], self.roll_outs.spent
        rolled = run_all(lambda pair: spent(*pair), pairs, self.jobs)
        means: FloatArray = np.reshape(rolled, (len(policies), -1, 2)).mean(axis=1)
        return means

    def fit(self, number: int, progress: Progress[Examples]) -> tuple[list[Candidate], float]:
        """Fit the Gaussian to the elite of this round; the best vector is validated, and its mean not.

        The mean was not rolled out, so that its paths may be too long.
        """
        if self._trains_network(number):
            edges = Examples.concatenate(progress.examples[self.settings.rounds - self.settings.network_rounds :])
            return fit_network(self, number, self._network_policy(progress), edges)
        drawn = progress.examples[-1]
        best = np.argsort(drawn.labels, kind="stable")[:2]
        return [Candidate(self.policy(drawn.rows[index])) for index in best], self._refit(drawn)[1]

    def _trains_network(self, number: int) -> bool:
        return number > self.settings.rounds - self.settings.network_rounds

    def _network_policy(self, progress: Progress[Examples]) -> LazyPolicy:
        """The network of the round before; in the first round with one, the best posterior without a correction."""
        last: LazyPolicy = progress.policies[-1]
        if isinstance(last.belief, EdgeNetwork):
            return last
        best: LazyPolicy = progress.policies[progress.best]
        assert isinstance(best.belief, EdgePosterior)
        return replace(best, belief=without_correction(best.belief, self.problems))
