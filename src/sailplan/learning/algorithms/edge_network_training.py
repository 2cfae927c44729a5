"""Training of a network that corrects an edge posterior: the world tells which edges a search should have doubted.

Roll-outs of the last policy are stopped at each new candidate path. The features of its unknown edges, and of some
others that were considered, are labelled with what the edges are in the world, which is known in training; the world is
ignored by the belief. The network is fitted to the examples of all rounds by cross-entropy. The weights of its output
in the cost of an edge are then drawn, and the best are the start of a direct search (`edge_direct_search`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sailplan.core import Limits, StopRule, search
from sailplan.core.graph import FloatArray, Problem
from sailplan.core.policy import Discovery, EdgeRequest, PathConfirmed
from sailplan.core.state import SearchState
from sailplan.datasets.labelled import LabelledProblem
from sailplan.errors import TrainingError
from sailplan.graphs.explicit.graph import ExplicitGraph
from sailplan.learning.algorithms.edge_direct_search import SCHEDULE, EdgeDirectSearch, unit_scales
from sailplan.learning.regressors import Examples, make_network
from sailplan.learning.roadmaps import covering_paths, results_of
from sailplan.learning.rounds import Candidate, draw_problems, seed_of
from sailplan.learning.settings import NetworkSettings
from sailplan.parallel import run_all
from sailplan.policies.lazy.kernel.candidate import EDGES, RUN, SETTLED
from sailplan.policies.lazy.policy import LazyFrontier, LazyPolicy
from sailplan.policies.learned.network import Scaling
from sailplan.policies.replanning.beliefs.edge_network import EdgeLayers, EdgeNetwork, StoredPaths
from sailplan.policies.replanning.beliefs.edge_posterior import EdgePosterior
from sailplan.policies.replanning.beliefs.kernel.edge_network import COLUMNS, fill_rows

if TYPE_CHECKING:
    from sailplan.learning.algorithms.edge_belief_training import EdgeBeliefLearner

NETWORK = NetworkSettings(
    hidden=(16,), optimiser="adam", learning_rate=0.01, decay=True, batch_size=256, epochs=12, averaging=0.0
)
"""The network and its optimiser."""
_WORLDS = 250
"""Worlds that are rolled out for examples in each round."""
_OTHERS = 12
"""Edges that are sampled beside those of each candidate path."""
_SELECTORS = "critical", "doubtful"
_VECTORS, _ELITE = 6, 3
_ROLLED, _COMPARED = 50, 100
"""Worlds on which vectors are rolled out, and on which the best are compared."""
_UNITS = np.array([0.5, 0.3, 0.3, 0.5, 0.7])
"""The changes per unit of a vector: of the logarithm of the surprise, of the effort and of the weight of paths (both in
mean lengths), of the trust in the correction, and of the logarithm of the patience."""
_FIRST = np.array(
    [
        [0.0, 0.0, 0.0, 0.0, 0.0],
        [0.0, 0.0, 1.0, 0.0, 0.0],
        [0.0, 1.0, 0.5, 0.0, 0.0],
        [0.7, 0.0, 0.5, 0.0, -1.0],
        [-0.7, 0.0, 0.5, 0.0, -1.0],
        [0.0, 0.5, 0.5, -2.0, 0.0],
    ]
)
"""Vectors that are rolled out in the first generation, beside those that are drawn; the last trusts the posterior."""
_DIRECT = 2
"""The stream of random numbers of direct search."""
_LEVELS = 0.3, 0.0, -0.3, -0.6
"""Changes of the surprise of what direct search finds, in units of a vector: the larger, the longer are its paths."""
_CALIBRATED, _CONFIRMED = 160, 300
"""Worlds on which these are compared, and on which the best of them is compared with the policy before."""


def without_correction(posterior: EdgePosterior, problems: Sequence[LabelledProblem]) -> EdgeNetwork:
    """Return the belief with which training starts: the probabilities of a posterior, and paths of its worlds.

    Raises TrainingError if the problems differ in start or goal.
    """
    ends = {(labelled.problem.start, labelled.problem.goal) for labelled in problems}
    if len(ends) > 1:
        raise TrainingError("a network of edges is trained on worlds with one start and one goal")
    (start, goal) = ends.pop()
    return EdgeNetwork(posterior, start, goal, StoredPaths(posterior.memory, covering_paths(problems)))


def collect_edges(learner: EdgeBeliefLearner, number: int, policy: LazyPolicy) -> Examples:
    """Roll out a policy and label edges on the way: 1 if an edge is invalid."""
    problems, seeds = draw_problems(learner.problems, _WORLDS, learner.seed, number)
    limits, held_out = Limits(evaluations=learner.settings.max_expansions), learner.roll_outs.held_out

    def roll_out(pair: tuple[LabelledProblem, np.random.SeedSequence]) -> Examples:
        labelled, seed = pair
        recording = RecordingPolicy(held_out(policy, labelled.problem), np.random.default_rng(seed))
        search(labelled.problem, recording, limits, engine="reference")
        return recording.examples(labelled.problem)

    return Examples.concatenate(run_all(roll_out, list(zip(problems, seeds, strict=True)), learner.jobs))


@dataclass(frozen=True, eq=False)
class RecordingPolicy:
    """A lazy policy that records the features of edges whenever it has found a new candidate path."""

    policy: LazyPolicy
    rng: np.random.Generator
    """Draws the edges beside those of the candidate."""
    edges: list[NDArray[np.int64]] = field(default_factory=list)
    rows: list[FloatArray] = field(default_factory=list)
    """What was recorded: the numbers of edges, and their features."""

    @property
    def stop(self) -> StopRule:
        """The stop rule of the policy."""
        return self.policy.stop

    def open(self, problem: Problem, state: SearchState) -> RecordingFrontier:
        """Create the open list of a search."""
        return RecordingFrontier(self, self.policy.open(problem, state), problem)

    def examples(self, problem: Problem) -> Examples:
        """Return what was recorded, labelled with the results of the edges."""
        edges = np.concatenate([np.empty(0, np.int64), *self.edges])
        labels = (~results_of([problem])[0][edges]).astype(np.float64)
        return Examples(np.concatenate([np.empty((0, COLUMNS)), *self.rows]), labels)


class RecordingFrontier:
    """The open list of a search that is recorded."""

    requests_edges = True

    def __init__(self, recording: RecordingPolicy, frontier: LazyFrontier, problem: Problem) -> None:
        graph = problem.graph
        assert isinstance(graph, ExplicitGraph)
        self._recording, self._frontier, self._rows = recording, frontier, graph.rows
        self.notes = frontier.notes
        self._run = 0

    def observe(self, discovery: Discovery) -> None:
        """Process the results of edges."""
        self._frontier.observe(discovery)

    def add(self, vertices: Sequence[int]) -> None:
        """Insert vertices that have a new or cheaper path."""
        self._frontier.add(vertices)

    def select(self) -> EdgeRequest | PathConfirmed | None:
        """Return edges of the candidate path; record it if it is new."""
        request = self._frontier.select()
        arrays = self._frontier.arrays
        if isinstance(request, EdgeRequest) and arrays.known[RUN] != self._run:
            self._run = int(arrays.known[RUN])
            self._record(arrays)
        return request

    def _record(self, arrays: Any) -> None:
        first, given, memory = self._rows.first, self._rows.given, arrays.memory
        sources, slots = arrays.candidate[:, : arrays.known[EDGES]]
        near = self._recording.rng.choice(arrays.settled[: arrays.known[SETTLED]], _OTHERS)
        degrees = first[near + 1] - first[near]
        others = (first[near] + self._recording.rng.random(_OTHERS) * degrees).astype(np.int64)[degrees > 0]
        edges = np.unique(np.concatenate([given[first[sources] + slots], given[others]]))
        edges = np.setdiff1d(edges, memory.learned[: memory.learned_count[0]]).astype(np.int64)
        rows = np.empty((len(edges), COLUMNS))
        fill_rows(memory, edges, rows)
        self._recording.edges.append(edges)
        self._recording.rows.append(rows)


def fit_network(
    learner: EdgeBeliefLearner, number: int, policy: LazyPolicy, examples: Examples
) -> tuple[list[Candidate], float]:
    """Fit the network, draw the weights of its output, and follow the evaluations by direct search.

    Returns the result and the cross-entropy; the result is the policy before if that is better on the training worlds.
    Paths may be as long as the settings say, or as those of the policy before.
    """
    belief = policy.belief
    assert isinstance(belief, EdgeNetwork)
    layers, loss = fit_layers(examples, seed_of(learner.seed, number))
    # Vectors of the posterior are compared on few worlds, so that its paths may be longer than the limit on all.
    limit = max(learner.settings.cost_limit, float(learner.means_of([policy], learner.problems)[0, 1]))
    drawn = _best_weighted(learner, number, replace(policy, belief=replace(belief, layers=layers)), limit)
    rng = np.random.default_rng([seed_of(learner.seed, number), _DIRECT])
    spent = float(learner.means_of([drawn], _drawn(learner, _ROLLED, rng))[0, 0])
    scales = unit_scales(layers, examples)
    direct = EdgeDirectSearch(learner.problems, learner.roll_outs.spent, limit, scales, learner.jobs, SCHEDULE)
    found = direct.descend(drawn, spent, rng)
    levels = [weighted(found, np.array([change, 0.0, 0.0, 0.0, 0.0])) for change in _LEVELS]
    best = levels[int(np.argmin(learner.costs_of(levels, _drawn(learner, _CALIBRATED, rng), limit)))]
    # On more worlds: noise must not select a network that is worse than the policy before.
    costs = learner.costs_of([policy, best], _drawn(learner, _CONFIRMED, rng), limit)
    return [Candidate([policy, best][int(np.argmin(costs))])], loss


def fit_layers(examples: Examples, seed: int) -> tuple[EdgeLayers, float]:
    """Fit the layers to labelled features of edges; return them and the mean cross-entropy."""
    scaling = Scaling.fit(examples.rows)
    network = make_network(NETWORK, seed)
    loss = network.fit_odds(scaling(examples.rows), examples.rows[:, 0], examples.labels)
    (weights, biases), (outputs, offset) = (
        (one.astype(np.float64), other.astype(np.float64)) for one, other in network.dense_layers()
    )
    scaled = weights / scaling.deviation[:, None]
    return EdgeLayers(
        np.ascontiguousarray(scaled.T), biases - scaling.mean @ scaled, outputs[:, 0].copy(), float(offset[0])
    ), loss


def _best_weighted(learner: EdgeBeliefLearner, number: int, policy: LazyPolicy, limit: float) -> LazyPolicy:
    """Return the policy with the better selector and the best weights of the output."""
    rng = np.random.default_rng(seed_of(learner.seed, number))
    both = [replace(policy, selector=one) for one in _SELECTORS]
    policy = both[int(np.argmin(learner.costs_of(both, _drawn(learner, _COMPARED, rng), limit)))]
    vectors = np.concatenate([_FIRST, rng.standard_normal((_VECTORS, len(_UNITS)))])
    costs = learner.costs_of([weighted(policy, one) for one in vectors], _drawn(learner, _ROLLED, rng), limit)
    elite = vectors[np.argsort(costs, kind="stable")[:_ELITE]]
    policies = [weighted(policy, one) for one in (np.zeros(len(_UNITS)), elite[0], elite.mean(axis=0))]
    return policies[int(np.argmin(learner.costs_of(policies, _drawn(learner, _COMPARED, rng), limit)))]


def _drawn(learner: EdgeBeliefLearner, count: int, rng: np.random.Generator) -> list[LabelledProblem]:
    return [learner.problems[index] for index in rng.permutation(len(learner.problems))[:count]]


def weighted(policy: LazyPolicy, vector: FloatArray) -> LazyPolicy:
    """Return a policy with other weights of the output: those of a vector of zeros are its own."""
    belief = policy.belief
    assert isinstance(belief, EdgeNetwork)
    before, layers = belief.weights.surprise, belief.layers
    change, more_effort, more_joint, less_trust, more_patience = (_UNITS * vector).tolist()
    surprise = float(np.clip(before * np.exp(change), 1e-3, 1e3))
    patience = float(np.clip(belief.weights.patience * np.exp(more_patience), 0.1, 1e3))
    weights = replace(belief.weights, surprise=surprise, patience=patience)
    effort = max(0.0, belief.effort * before + more_effort) / surprise
    joint = max(0.0, belief.joint * before + more_joint) / surprise
    trust = float(np.clip(1.0 + less_trust, 0.0, 1.5))
    return replace(
        policy,
        belief=replace(
            belief,
            posterior=replace(belief.posterior, weights=weights),
            layers=layers._replace(outputs=trust * layers.outputs, offset=trust * layers.offset),
            effort=min(effort, 1e3),
            joint=min(joint, 1e3),
        ),
    )
