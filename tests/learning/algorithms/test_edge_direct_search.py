from __future__ import annotations

import numpy as np
import pytest

from sailplan.datasets.labelled import LabelledProblem, label_problems
from sailplan.learning.algorithms.belief_settings import BeliefSettings
from sailplan.learning.algorithms.edge_belief_training import EdgeBeliefLearner
from sailplan.learning.algorithms.edge_direct_search import (
    WEIGHTS,
    EdgeDirectSearch,
    Schedule,
    changed,
    unit_scales,
)
from sailplan.learning.algorithms.edge_network_training import without_correction
from sailplan.learning.regressors import Examples
from sailplan.policies.lazy.policy import LazyPolicy
from sailplan.policies.replanning.beliefs import EdgeLayers, EdgeNetwork
from sailplan.policies.replanning.beliefs.kernel.edge_network import COLUMNS
from tests.learning.algorithms.edge_lattice import lattice_problems

PROBLEMS = lattice_problems()
SETTINGS = BeliefSettings(rounds=2, objective="evaluations", network_rounds=1)
EXAMPLES = Examples(np.random.default_rng(0).standard_normal((50, COLUMNS)), np.zeros(50))
LAYERS = EdgeLayers(np.concatenate([np.eye(COLUMNS), -np.eye(COLUMNS)]), np.zeros(18), np.zeros(18), 0.0)
SCALES = unit_scales(LAYERS, EXAMPLES)
WIDTH = len(WEIGHTS) + 3 + len(SCALES)


def _learner() -> EdgeBeliefLearner:
    return EdgeBeliefLearner.of(PROBLEMS, label_problems(PROBLEMS).solvable, SETTINGS, 0, 1)


def _policy(learner: EdgeBeliefLearner) -> LazyPolicy:
    belief = EdgeNetwork(
        learner.belief,
        PROBLEMS[0].start,
        PROBLEMS[0].goal,
        without_correction(learner.belief, learner.problems).stored,
        LAYERS,
        effort=0.2,
        joint=0.1,
    )
    return LazyPolicy(belief=belief, selector="doubtful")


def _belief(policy: LazyPolicy) -> EdgeNetwork:
    assert isinstance(policy.belief, EdgeNetwork)
    return policy.belief


def test_a_vector_of_zeros_changes_nothing() -> None:
    policy = _policy(_learner())
    same, belief = _belief(changed(policy, np.zeros(WIDTH), SCALES)), _belief(policy)
    assert (same.effort, same.joint) == pytest.approx((0.2, 0.1))
    assert vars(same.weights) == pytest.approx(vars(belief.weights))
    assert np.array_equal(same.layers.outputs, belief.layers.outputs)


def test_a_vector_changes_numbers_and_outputs_within_their_ranges() -> None:
    policy = _policy(_learner())
    for size in (1.0, 1e3, -1e3):
        other = _belief(changed(policy, np.full(WIDTH, size), SCALES))
        assert other.weights.surprise != _belief(policy).weights.surprise
        assert (other.layers.outputs != 0.0).all()
        assert other.layers.offset == pytest.approx(0.2 * size)
    assert (other.effort, other.joint) == (0.0, 0.0)


def test_scales_are_those_of_units_and_not_zero() -> None:
    layers = LAYERS._replace(biases=np.where(np.arange(len(LAYERS.biases)) == 0, -1e6, LAYERS.biases))
    hidden = np.maximum(EXAMPLES.rows @ layers.weights.T + layers.biases, 0.0)
    scales = unit_scales(layers, EXAMPLES)
    assert hidden[:, 0].max() == 0.0 < scales[0]
    assert scales.max() == pytest.approx(np.sqrt((hidden**2).mean(axis=0)).max())


@pytest.mark.parametrize("jobs", [1, 2])
def test_direct_search_follows_what_is_spent_and_the_limit_of_the_cost(jobs: int) -> None:
    learner = _learner()
    policy = _policy(learner)

    def spent(one: LazyPolicy, _: LabelledProblem, most: int) -> tuple[float, float]:
        """The fewer evaluations, the more surprise; the longer paths, too."""
        assert most == 25
        surprise = _belief(one).weights.surprise
        return 10.0 / surprise, 1.0 + 0.05 * surprise

    def surprise_found(limit: float) -> float:
        found = EdgeDirectSearch(learner.problems, spent, limit, SCALES, jobs, Schedule(60, 20))
        return _belief(found.descend(policy, 5.0, np.random.default_rng(0))).weights.surprise

    assert surprise_found(3.0) > 2.5
    assert surprise_found(1.0) < 2.0


def test_direct_search_needs_no_more_evaluations_and_repeats_itself() -> None:
    learner = _learner()
    policy = _policy(learner)
    direct = EdgeDirectSearch(learner.problems, learner.roll_outs.spent, 1.5, SCALES, 1, Schedule(20, 10))
    found, again = (direct.descend(policy, 8.0, np.random.default_rng(0)) for _ in range(2))
    before, *costs = learner.costs_of([policy, found, again], learner.problems).tolist()
    assert costs[0] == costs[1] <= 1.02 * before
