"""SaIL through the planner: rounds of roll-outs, imitation of the oracle, and direct search.

The policy orders open vertices by their distance to the goal, where unseen cells cost a multiplier that depends on what
the search knows. A round rolls out oracle and learner. The loss at a state of a roll-out is the expected regret of the
vertex that is selected; its derivative passes through the shortest paths to the multipliers, and imitation follows it.
Direct search continues from there, or from the best policy so far if imitation does not improve it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import chain
from typing import Unpack

import numpy as np

from sailplan.core import Policy, search
from sailplan.core.graph import Problem
from sailplan.core.result import Trace
from sailplan.datasets.labelled import LabelledProblem
from sailplan.errors import TrainingError
from sailplan.graphs.grid.graph import GridGraph
from sailplan.learning.algorithms.planner.components import fit_mixture, fit_regrets
from sailplan.learning.algorithms.planner.direct_search import DirectSearch, Spent
from sailplan.learning.algorithms.planner.imitation import Moment, imitate, moment_of
from sailplan.learning.algorithms.planner.rollouts import Integers, RollOut, RollOuts, reduced
from sailplan.learning.algorithms.planner.settings import DEFAULT, PlannerSettings
from sailplan.learning.rounds import Candidate, Counts, Options, Progress, Training, limits_of, run_rounds, seed_of
from sailplan.oracle import cost_to_go
from sailplan.parallel import run_all
from sailplan.policies.lazy.policy import LazyPolicy
from sailplan.policies.oracle import OraclePolicy
from sailplan.policies.replanning.beliefs.learned import Elsewhere, LearnedMultipliers
from sailplan.policies.replanning.beliefs.pixels import PIXELS, PixelFrame, blocked_shares, world_of
from sailplan.policies.replanning.policy import ReplanningPolicy, optimistic

_FIRST_OFFSET = -1.0
"""Offsets before training: unseen cells cost a little more than known ones."""
_LAST_RATE = 0.15
"""Part of the largest step size of direct search that is left at the end of the training."""
_MOST_SPENT = 5.0
"""Searches of direct search are stopped after as many times the mean of a policy that has learned nothing."""
_SCALED = 100
"""Worlds on which this mean is measured."""


def train_through_planner(
    train: Sequence[Problem],
    validation: Sequence[Problem],
    settings: PlannerSettings = DEFAULT,
    *,
    seed: int,
    **options: Unpack[Options],
) -> Training:
    """Learn cost multipliers from problems whose worlds are known.

    Parameters and results are those of `train_sail`, without features and regressors of your own. Raises TrainingError
    also if the problems are not on grids.
    """
    if not all(isinstance(problem.graph, GridGraph) for problem in [*train, *validation]):
        raise TrainingError("cost multipliers are learned on grids")

    def make_learner(problems: Sequence[LabelledProblem], jobs: int) -> PlannerLearner:
        return PlannerLearner(problems, settings, seed, jobs)

    return run_rounds(make_learner, train, validation, settings, seed=seed, **options)


@dataclass(eq=False)
class PlannerLearner:
    """Continues from the best policy so far, on training problems that are reduced to pixels."""

    problems: Sequence[LabelledProblem]
    settings: PlannerSettings
    seed: int
    jobs: int

    def mixing(self, number: int) -> float:
        """The share of roll-outs of the oracle (β)."""
        return self.settings.oracle_probability**number

    def collect(self, number: int, progress: Progress[RollOuts]) -> RollOuts:
        """Roll out the oracle or the learner on each of some worlds, and draw steps."""
        draw, *sources = np.random.SeedSequence([self.seed, number]).spawn(self.settings.worlds_per_round + 1)
        drawn = np.random.default_rng(draw).permutation(len(self.reduced))[: len(sources)].tolist()
        belief = self._belief(progress)

        share, policy, settings = self.mixing(number), self._policy(belief), self.settings

        def steps_of(pair: tuple[Problem, np.random.SeedSequence]) -> tuple[Trace, Integers] | None:
            problem, source = pair
            return roll_out(problem, policy, share, settings, np.random.default_rng(source))

        pairs = list(zip((self.reduced[index] for index in drawn), sources, strict=False))
        rolled = zip(drawn, run_all(steps_of, pairs, self.jobs), strict=False)
        return RollOuts.of([RollOut(index, *one) for index, one in rolled if one], settings.samples_per_world)

    def fit(self, number: int, progress: Progress[RollOuts]) -> tuple[list[Candidate], float]:
        """Imitate the oracle at the states of all rounds, then continue by direct search; return all, and the loss."""
        belief, rng = self._belief(progress), np.random.default_rng(seed_of(self.seed, number))
        imitated, loss = belief, 0.0
        if belief.offsets is not None:
            imitated, loss = imitate(belief, self.moments(belief, progress), self.settings, rng, self.jobs)
        candidates = [imitated]
        if self.settings.search_steps:
            direct = DirectSearch(self._shuffled(rng), self.spent, self.settings, self.jobs)
            starts = [[belief, imitated]]
            if number == 1 and belief.offsets is not None:
                # What is better before direct search may be worse after it, so that both kinds are tried.
                starts = [[imitated, *direct.weighted(belief)], direct.routes(belief, rng)]
            candidates += [direct.descend(direct.best_of(some), self._rates(number), rng) for some in starts if some]
            if belief.elsewhere is not None:
                # Rounds are compared in the frame, so that the numbers elsewhere are always the last ones.
                candidates = [replace(one, elsewhere=candidates[-1].elsewhere) for one in candidates]
        return [Candidate(self._policy(one)) for one in candidates], loss

    def moments(self, belief: LearnedMultipliers, progress: Progress[RollOuts]) -> list[Moment]:
        """The states of all rounds, with what a belief recalls in each of them."""
        pairs = [(self._world(one), one) for examples in progress.examples for one in examples]
        return list(chain.from_iterable(run_all(partial(moments_of, belief), pairs, self.jobs)))

    def _rates(self, number: int) -> tuple[float, float]:
        """The step sizes at the beginning and at the end of a round, as parts of the largest."""
        before, after = (1.0 - (1.0 - _LAST_RATE) * done / self.settings.rounds for done in (number - 1, number))
        return before, after

    @property
    def spent(self) -> Spent:
        """What a search with a belief spends, relative to the mean of a policy that has learned nothing."""
        minimised, scale, policy = self.settings.minimised, self.scale, self._policy
        limits = limits_of(minimised, round(_MOST_SPENT * scale))
        return lambda belief, problem: Counts.by(search(problem, policy(belief), limits)).of(minimised) / scale

    @cached_property
    def reduced(self) -> list[Problem]:
        """The training problems, reduced to pixels, that have a path."""
        small = run_all(lambda one: reduced(one.problem), self.problems, self.jobs)
        paths = run_all(lambda one: bool(np.isfinite(cost_to_go(one)[one.start])), small, self.jobs)
        return [one for one, found in zip(small, paths, strict=True) if found] or [
            labelled.problem for labelled in self.problems
        ]

    @cached_property
    def scale(self) -> float:
        """The mean of what a policy that has learned nothing spends on reduced problems."""
        plain: Policy = LazyPolicy() if self.settings.minimised == "evaluations" else optimistic()
        limits = limits_of(self.settings.minimised, self.settings.max_expansions)
        results = run_all(lambda one: search(one, plain, limits), self.reduced[:_SCALED], self.jobs)
        return max(1.0, float(np.mean([Counts.by(one).of(self.settings.minimised) for one in results])))

    @cached_property
    def untrained(self) -> LearnedMultipliers:
        """The belief before the first round."""
        shares = np.stack([blocked_shares(world_of(labelled.problem)) for labelled in self.problems])
        mixture = fit_mixture(shares, self.settings.components, np.random.default_rng([self.seed, 0]))
        frame = PixelFrame.shared([labelled.problem for labelled in self.problems])
        belief = LearnedMultipliers(mixture, frame=frame)
        if frame is None:
            return belief
        return replace(
            belief,
            offsets=np.full((PIXELS, PIXELS), _FIRST_OFFSET, np.float32),
            regrets=fit_regrets(mixture, self.reduced, self.jobs),
            elsewhere=Elsewhere(belief.recall, belief.penalty),
        )

    def _belief(self, progress: Progress[RollOuts]) -> LearnedMultipliers:
        """The best belief so far; before the first round, an untrained one."""
        if not progress.policies:
            return self.untrained
        belief: LearnedMultipliers = progress.policies[progress.best].belief
        return belief

    def _shuffled(self, rng: np.random.Generator) -> list[Problem]:
        return [self.reduced[index] for index in rng.permutation(len(self.reduced))]

    def _world(self, rolled: RollOut) -> Problem:
        """The problem of a roll-out; raises TrainingError if it is not one of the training problems."""
        if rolled.world >= len(self.reduced):
            raise TrainingError(f"a roll-out on world {rolled.world} of {len(self.reduced)}")
        problem = self.reduced[rolled.world]
        if (rolled.trace.start, rolled.trace.goal) != (problem.start, problem.goal):
            raise TrainingError(f"a roll-out on world {rolled.world} between other cells")
        return problem

    @property
    def _policy(self) -> type[ReplanningPolicy] | Callable[[LearnedMultipliers], LazyPolicy]:
        """Makes the policy with a belief."""
        return _lazy if self.settings.minimised == "evaluations" else ReplanningPolicy


def _lazy(belief: LearnedMultipliers) -> LazyPolicy:
    return LazyPolicy(belief=belief)


def roll_out(
    problem: Problem, learner: Policy, oracle_probability: float, settings: PlannerSettings, rng: np.random.Generator
) -> tuple[Trace, Integers] | None:
    """Roll out the oracle or the learner; return the trace and the steps to learn from, None if there are none."""
    policy: Policy = OraclePolicy() if rng.random() < oracle_probability else learner
    if settings.minimised == "evaluations" and isinstance(policy, OraclePolicy):
        policy = LazyPolicy()
    trace = search(problem, policy, limits_of(settings.minimised, settings.max_expansions)).trace
    length = len(trace.evaluated) or len(trace.expanded)
    return (trace, np.sort(rng.integers(0, length, settings.samples_per_world))) if length else None


def moments_of(belief: LearnedMultipliers, rolled: tuple[Problem, RollOut]) -> list[Moment]:
    """Return the states of a roll-out that are learned from, with what a belief predicts there."""
    problem, one = rolled
    table = cost_to_go(problem)
    return [moment_of(belief, problem, table, status) for status in one.states(problem)]
