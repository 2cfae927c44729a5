"""SaIL through the planner: rounds of roll-outs of oracle and learner, and steps on the loss of the paper.

The policy orders open vertices by their distance to the goal, where unseen cells cost a multiplier that a network
predicts from what the search knows. The loss at a state of a roll-out is the expected regret of the vertex that is
selected; its derivative passes through the shortest paths to the multipliers (`loss.py`) and from there to the network.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple, Unpack

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from sailplan.core import Policy, search
from sailplan.core.graph import FloatArray, Problem
from sailplan.datasets.labelled import LabelledProblem
from sailplan.datasets.scenario import random_cells
from sailplan.errors import TrainingError
from sailplan.graphs.grid.graph import GridGraph
from sailplan.graphs.grid.world import World
from sailplan.learning.algorithms.planner.loss import planner_loss
from sailplan.learning.algorithms.planner.network import TorchPixelNetwork, hidden_loss, stacked
from sailplan.learning.algorithms.planner.rollouts import RollOut, RollOuts
from sailplan.learning.algorithms.planner.settings import DEFAULT, PlannerSettings
from sailplan.learning.algorithms.planner.tuning import tune, weights_of
from sailplan.learning.regressors.torch_network import one_thread
from sailplan.learning.rounds import (
    Candidate,
    Counts,
    Options,
    Progress,
    Training,
    draw_problems,
    limits_of,
    run_rounds,
    seed_of,
)
from sailplan.oracle import cost_to_go
from sailplan.parallel import run_all
from sailplan.policies.lazy.policy import LazyPolicy
from sailplan.policies.oracle import OraclePolicy
from sailplan.policies.replanning.beliefs.kernel.pixels import collect, pool_hidden
from sailplan.policies.replanning.beliefs.learned import LearnedMultipliers, log_odds, network_inputs
from sailplan.policies.replanning.beliefs.pixels import (
    PIXELS,
    Floats,
    PixelFrame,
    PixelMemory,
    PixelView,
    Recollection,
    fits,
)
from sailplan.policies.replanning.beliefs.prior import Penalty
from sailplan.policies.replanning.policy import ReplanningPolicy

_PARTS = 2
"""A batch is divided into as many parts, which threads process; the sum of their gradients does not depend on them."""
_FIRST_REGRET, _LEAST_REGRET = 2.0, 0.5
"""States are drawn in proportion to their last regret, with these values before it is known and added to it."""
_RATES = (1.0, 10.0, 100.0)
"""Step sizes of the weights, of the penalty and of the offsets: a pixel is on few paths."""
_WARM_UP = 20
"""Steps of a round in which the step size grows to its value."""
_LOSS_WEIGHT = 0.3
_MOST_GRADIENT = 1.0
"""Largest norm of the gradient of a batch."""
_LAST_RATE = 0.1
"""Step size of the last round, relative to that of the first."""


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


class Moment(NamedTuple):
    """A state that is learned from."""

    problem: Problem
    table: FloatArray
    """The true cost-to-go of each cell."""
    status: NDArray[np.uint8]
    inputs: NDArray[np.float16]
    """The inputs of the network."""
    odds: NDArray[np.float16]
    """The log odds of the stored worlds."""


@dataclass(eq=False)
class PlannerLearner:
    """Rolls out the policy of the last round, and continues to train its network."""

    problems: Sequence[LabelledProblem]
    settings: PlannerSettings
    seed: int
    jobs: int
    memory: PixelMemory = field(init=False)
    frame: PixelFrame | None = field(init=False)
    _moments: list[Moment] = field(default_factory=list, init=False)
    _rounds_seen: int = field(default=0, init=False)
    _untrained: LearnedMultipliers | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        self.memory = PixelMemory.of([_world_of(labelled.problem) for labelled in self.problems])
        self.frame = PixelFrame.shared([labelled.problem for labelled in self.problems])

    def mixing(self, number: int) -> float:
        """The share of roll-outs of the oracle (β)."""
        return self.settings.oracle_probability**number

    def collect(self, number: int, progress: Progress[RollOuts]) -> RollOuts:
        """Roll out the oracle or the learner on each of some worlds, and draw steps."""
        indices = {id(labelled): index for index, labelled in enumerate(self.problems)}
        problems, seeds = draw_problems(self.problems, self.settings.worlds_per_round, self.seed, number)
        belief = self._belief(progress)

        def roll_out(pair: tuple[LabelledProblem, np.random.SeedSequence]) -> RollOut | None:
            labelled, source = pair
            return self._roll_out(labelled, indices[id(labelled)], belief, self.mixing(number), source)

        rolled = run_all(roll_out, zip(problems, seeds, strict=True), self.jobs)
        return RollOuts.of([one for one in rolled if one is not None], self.settings.samples_per_world)

    def fit(self, number: int, progress: Progress[RollOuts]) -> tuple[list[Candidate], float]:
        """Continue from the network of the last round on the states of all rounds; return it and the mean regret.

        The network halfway between the two is a candidate as well: a round may go too far.
        """
        self._replay(progress)
        belief, rng = self._belief(progress), np.random.default_rng(seed_of(self.seed, number))
        with one_thread(), torch.random.fork_rng(devices=[]):
            network = TorchPixelNetwork.of(belief.network, belief.penalty)
            kept, regret = self._descend(network, number, rng)
        learned = replace(belief, network=kept.without_torch(), penalty=kept.penalty)
        halfway = replace(learned, network=belief.network.halfway(learned.network))
        return [Candidate(self._policy(learned)), Candidate(self._policy(halfway))], regret

    def _descend(
        self, network: TorchPixelNetwork, number: int, rng: np.random.Generator
    ) -> tuple[TorchPixelNetwork, float]:
        """Take steps; return the network with the running average of the weights, and the mean regret."""
        settings, kept = self.settings, copy.deepcopy(network)
        groups = [
            {"params": list(network.layers.parameters())},
            {"params": [network.surprise, network.sharpness]},
            {"params": [network.offsets]},
        ]
        optimiser = torch.optim.Adam(groups, lr=settings.learning_rate, foreach=False)
        done = (number - 1) / max(settings.rounds - 1, 1)
        rate, regrets = settings.learning_rate * (1.0 - (1.0 - _LAST_RATE) * done), 0.0
        # States are drawn more often the larger the regret was when they were drawn last.
        known = np.full(len(self._moments), _FIRST_REGRET)
        for step in range(1, settings.steps + 1):
            for group, scale in zip(optimiser.param_groups, _RATES, strict=True):
                group["lr"] = scale * rate * min(1.0, step / _WARM_UP)
            drawn = rng.choice(len(known), settings.batch_size, p=known / known.sum())
            parts = [drawn[part::_PARTS].tolist() for part in range(min(_PARTS, len(drawn)))]
            results = run_all(lambda part: self._gradients(network, part), parts, self.jobs)
            for part, (_, lost) in zip(parts, results, strict=True):
                known[part] = _LEAST_REGRET + np.array(lost)
                regrets += sum(lost) / len(drawn)
            for index, weight in enumerate(network.parameters()):
                weight.grad = sum((gradients[index] for gradients, _ in results[1:]), results[0][0][index]) / len(drawn)
            nn.utils.clip_grad_norm_(network.parameters(), _MOST_GRADIENT)
            optimiser.step()
            decay = min(settings.averaging, step / (step + 10.0))
            with torch.no_grad():
                for mean, weight in zip(kept.parameters(), network.parameters(), strict=True):
                    mean.mul_(decay).add_(weight, alpha=1.0 - decay)
        return kept, regrets / settings.steps

    def _gradients(self, network: TorchPixelNetwork, drawn: Sequence[int]) -> tuple[list[Tensor], list[float]]:
        """The gradient of the loss with respect to each weight, summed over states, and the regret at each of them."""
        settings, moments = self.settings, [self._moments[index] for index in drawn]
        positions = stacked([PixelView.of(one.problem).positions(one.problem) for one in moments])
        framed = torch.tensor([fits(self.frame, one.problem) for one in moments], dtype=torch.float32)
        outputs = network(stacked([one.inputs for one in moments]), positions, framed)
        recalled = stacked([one.odds for one in moments])
        odds, multipliers = network.interpret(outputs, recalled, torch.from_numpy(self.memory.frequencies))
        hidden = [_hidden(one) for one in moments]
        loss = settings.hidden_weight * hidden_loss(odds, *(stacked(one) for one in zip(*hidden, strict=True)))
        regrets, slopes = [], []
        for moment, values in zip(moments, multipliers.detach().numpy().astype(np.float64), strict=True):
            slope, lost = _pixel_gradient(moment, values, settings.temperature)
            slopes.append(slope)
            regrets.append(lost)
        # The derivative of this sum with respect to the weights is that of the loss of the paper.
        loss = loss + _LOSS_WEIGHT * (stacked(slopes) * multipliers).sum()
        return list(torch.autograd.grad(loss, list(network.parameters()))), regrets

    def _roll_out(
        self,
        labelled: LabelledProblem,
        index: int,
        belief: LearnedMultipliers,
        oracle_probability: float,
        source: np.random.SeedSequence,
    ) -> RollOut | None:
        """A roll-out; None if it ends where it starts."""
        rng, settings = np.random.default_rng(source), self.settings
        problem = labelled.problem
        if rng.random() < settings.random_endpoints:
            problem = _between_random_cells(problem, rng)
        policy: Policy = (
            OraclePolicy() if rng.random() < oracle_probability else self._policy(replace(belief, left_out=index))
        )
        if settings.minimised == "evaluations" and isinstance(policy, OraclePolicy):
            policy = LazyPolicy()
        trace = search(problem, policy, limits_of(settings.minimised, settings.max_expansions)).trace
        length = len(trace.evaluated) or len(trace.expanded)
        return RollOut(index, trace, np.sort(rng.integers(0, length, settings.samples_per_world))) if length else None

    def _replay(self, progress: Progress[RollOuts]) -> None:
        """Compute the states of the rounds that were not yet replayed."""
        rolled = [one for examples in progress.examples[self._rounds_seen :] for one in examples]
        self._rounds_seen = len(progress.examples)
        for moments in run_all(self._moments_of, rolled, self.jobs):
            self._moments += moments

    def _moments_of(self, rolled: RollOut) -> list[Moment]:
        if rolled.world >= len(self.problems):
            raise TrainingError(f"a roll-out on world {rolled.world} of {len(self.problems)}")
        labelled = self.problems[rolled.world]
        problem, table = labelled.problem, labelled.table
        if (rolled.trace.start, rolled.trace.goal) != (problem.start, problem.goal):
            problem = replace(problem, start=rolled.trace.start, goal=rolled.trace.goal)
            table = cost_to_go(problem)
        view, recollection, moments = PixelView.of(problem), Recollection(self.memory, rolled.world), []
        for status in rolled.states(problem):
            known = view.known(status)
            recollection.update(known)
            recalled = recollection.shares()
            inputs, odds = network_inputs(known, self.memory, recalled), log_odds(self.memory.expected(recalled))
            moments.append(Moment(problem, table, status, inputs.astype(np.float16), odds.astype(np.float16)))
        return moments

    def _belief(self, progress: Progress[RollOuts]) -> LearnedMultipliers:
        """The belief of the last round; before the first one, an untrained one."""
        if progress.policies:
            belief: LearnedMultipliers = progress.policies[-1].belief
            # The weights of worlds were chosen before the first round.
            self.memory = belief.memory
            return belief
        if self._untrained is None:
            self._untrained = self._tuned()
        return self._untrained

    def _tuned(self) -> LearnedMultipliers:
        """An untrained network, with the recall and penalty that do best on training worlds."""
        settings = self.settings
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(self.seed)
            network = TorchPixelNetwork(
                settings.near_channels, settings.far_channels, Penalty(0.0, 1.0)
            ).without_torch()
        problems, _ = draw_problems(self.problems, settings.tuning_worlds, self.seed, 0)
        indices = {id(labelled): index for index, labelled in enumerate(self.problems)}
        limits = limits_of(settings.minimised, settings.max_expansions)

        def belief(vector: FloatArray) -> LearnedMultipliers:
            recall, penalty = weights_of(vector)
            return LearnedMultipliers(network, replace(self.memory, recall=recall), self.frame, penalty)

        def cost(vector: FloatArray) -> float:
            drawn = belief(vector)

            def spent(labelled: LabelledProblem) -> float:
                policy = self._policy(replace(drawn, left_out=indices[id(labelled)]))
                return Counts.by(search(labelled.problem, policy, limits)).of(settings.minimised)

            return float(np.mean(run_all(spent, problems, self.jobs)))

        tuned = belief(tune(cost, settings, np.random.default_rng([self.seed, 0])))
        self.memory = tuned.memory
        return tuned

    def _policy(self, belief: LearnedMultipliers) -> ReplanningPolicy | LazyPolicy:
        lazy = self.settings.minimised == "evaluations"
        return LazyPolicy(belief=belief) if lazy else ReplanningPolicy(belief)


def _pixel_gradient(moment: Moment, values: FloatArray, temperature: float) -> tuple[Floats, float]:
    """The derivative of the loss at a state with respect to the multiplier of each pixel, and the regret."""
    problem, status = moment.problem, moment.status
    view, gradient = PixelView.of(problem), np.empty((PIXELS, PIXELS), np.float32)
    loss = planner_loss(problem, status, view.spread(values, status), moment.table, temperature)
    collect(loss.gradient, status, view.width, view.height, gradient)
    return gradient, loss.regret


def _hidden(moment: Moment) -> tuple[Floats, Floats]:
    """The share of blocked cells among the unseen cells of each pixel, and the share of unseen cells."""
    view, blocked = PixelView.of(moment.problem), _world_of(moment.problem).blocked.reshape(-1)
    shares, weights = np.empty((2, PIXELS, PIXELS), np.float32)
    pool_hidden(moment.status, blocked, view.width, view.height, shares, weights)
    return shares, weights


def _between_random_cells(problem: Problem, rng: np.random.Generator) -> Problem:
    graph = problem.graph
    assert isinstance(graph, GridGraph)
    start, goal = (graph.vertex(cell) for cell in random_cells(graph.world, rng))
    return replace(problem, start=start, goal=goal)


def _world_of(problem: Problem) -> World:
    graph = problem.graph
    assert isinstance(graph, GridGraph)
    return graph.world
