from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sailplan.core import Limits, search
from sailplan.datasets.labelled import label_problems
from sailplan.errors import TrainingError
from sailplan.learning import CROSS_ENTROPY, CrossEntropySettings, Round, train_cross_entropy
from sailplan.learning.algorithms.cross_entropy import CrossEntropy, Gaussian, network_of, refit
from sailplan.learning.algorithms.sail import scaling_of
from sailplan.learning.regressors import Examples
from sailplan.learning.rounds import Progress
from sailplan.policies.features import feature_set
from sailplan.policies.learned.network import DenseNetwork, Scaling
from sailplan.policies.learned.policy import LearnedPolicy
from tests.learning.tiny import TINY_CROSS_ENTROPY, assert_same_network, tiny_problems

TRAIN, VALIDATION = tiny_problems()[:4], tiny_problems()[4:]


def test_it_finds_the_least_of_a_quadratic() -> None:
    rng, best = np.random.default_rng(0), np.array([3.0, -2.0, 0.5, 1.0])
    gaussian, costs = Gaussian(np.zeros(4), np.full(4, 2.0)), []
    for _ in range(30):
        vectors = gaussian.draw(40, rng)
        gaussian, cost = refit(vectors, ((vectors - best) ** 2).sum(axis=1), 0.2, 0.01)
        costs.append(cost)
    assert costs[-1] < 0.01 * costs[0]
    assert np.abs(gaussian.mean - best).max() < 0.05


@given(seed=st.integers(0, 1000), count=st.integers(2, 30), elite=st.floats(0.01, 1.0), floor=st.floats(0.01, 2.0))
def test_a_refit_is_the_mean_and_deviation_of_the_best_share(seed: int, count: int, elite: float, floor: float) -> None:
    rng = np.random.default_rng(seed)
    vectors, costs = rng.normal(size=(count, 3)), rng.integers(0, 5, count).astype(float)
    gaussian, cost = refit(vectors, costs, elite, floor)
    kept = sorted(range(count), key=lambda index: (costs[index], index))[: max(1, round(elite * count))]
    assert gaussian.mean.tolist() == pytest.approx(np.mean([vectors[index] for index in kept], axis=0).tolist())
    spread = np.std([vectors[index] for index in kept], axis=0)
    assert gaussian.deviation.tolist() == pytest.approx(np.maximum(spread, floor).tolist())
    assert cost == pytest.approx(np.mean([costs[index] for index in kept]))


def test_a_single_best_does_not_let_the_gaussian_collapse() -> None:
    gaussian, _ = refit(np.arange(10.0).reshape(10, 1), np.arange(10.0), 0.1, 0.05)
    assert (gaussian.mean.tolist(), gaussian.deviation.tolist()) == ([0.0], [0.05])


def test_a_vector_is_the_weights_and_biases_of_each_layer() -> None:
    vector = np.arange(1.0, 13.0)
    network = network_of(vector, Scaling.none(4), (1, 2))
    (first, first_bias), (second, second_bias), (third, third_bias) = network.layers
    assert first[:, 0].tolist() == [0.5, 1.0, 1.5, 2.0]
    assert (first_bias.tolist(), second.tolist(), second_bias.tolist()) == ([5.0], [[6.0, 7.0]], [8.0, 9.0])
    assert third[:, 0].tolist() == pytest.approx([10.0 / 2**0.5, 11.0 / 2**0.5])
    assert third_bias.tolist() == [12.0]


def test_as_many_parameters_as_the_network_takes() -> None:
    width = CROSS_ENTROPY.row_width()
    assert width == 17 * 100 + 100 + 100 + 1
    network = network_of(np.arange(float(width)), Scaling.none(17), CROSS_ENTROPY.hidden)
    assert network.layers[-1][1].tolist() == [width - 1.0]


def test_a_vector_costs_the_mean_of_its_expansions_on_the_worlds_of_the_round() -> None:
    problems = label_problems(TRAIN).solvable
    settings = TINY_CROSS_ENTROPY.changed(worlds_per_vector=len(problems))
    scaling = Scaling.none(len(feature_set("relative").columns))
    learner = CrossEntropy(problems, settings, 0, 1, feature_set("relative"), scaling)
    drawn = learner.collect(1, Progress())
    assert drawn.rows.shape == (6, settings.row_width())
    for vector, cost in zip(drawn.rows, drawn.labels, strict=True):
        policy = LearnedPolicy(feature_set("relative"), network_of(vector, scaling, (4,)))
        counts = [search(labelled.problem, policy, Limits(300)).expansions for labelled in problems]
        assert cost == pytest.approx(sum(counts) / len(counts))


def _learner(settings: CrossEntropySettings) -> CrossEntropy:
    features = feature_set(settings.features)
    return CrossEntropy(label_problems(TRAIN).solvable, settings, 0, 1, features, Scaling.none(len(features.columns)))


def test_no_roll_out_is_longer_than_it_may_be() -> None:
    # The goal is farther than this in every world.
    assert _learner(TINY_CROSS_ENTROPY.changed(max_expansions=7)).collect(1, Progress()).labels.tolist() == [7.0] * 6


def test_other_rounds_draw_other_vectors() -> None:
    first, again, second = (_learner(TINY_CROSS_ENTROPY).collect(number, Progress()).rows for number in (1, 1, 2))
    assert first.tolist() == again.tolist()
    assert not (first == second).any()


def test_the_mean_of_the_elite_and_the_best_vector_are_what_is_validated() -> None:
    learner, width = _learner(TINY_CROSS_ENTROPY), TINY_CROSS_ENTROPY.row_width()
    rows, costs = np.random.default_rng(0).normal(size=(6, width)), np.array([5.0, 2.0, 9.0, 1.0, 8.0, 7.0])
    candidates, cost = learner.fit(1, Progress(examples=[Examples(rows, costs)]))
    assert cost == pytest.approx((1.0 + 2.0 + 5.0) / 3)
    for one, vector in zip(candidates, (rows[[3, 1, 0]].mean(axis=0), rows[3]), strict=True):
        network = network_of(vector, learner.scaling, TINY_CROSS_ENTROPY.hidden)
        assert isinstance(one.policy, LearnedPolicy)
        assert_same_network(one.policy, LearnedPolicy(learner.features, network))


def test_its_networks_see_columns_as_greedy_searches_scale_them() -> None:
    policy = train_cross_entropy(TRAIN, VALIDATION, TINY_CROSS_ENTROPY.changed(rounds=1), seed=0).policy
    assert isinstance(policy, LearnedPolicy)
    assert isinstance(policy.model, DenseNetwork)
    scaling = scaling_of(label_problems(TRAIN).solvable, feature_set("relative"), 0, 1)
    assert policy.model.scaling.mean.tolist() == scaling.mean.tolist()
    assert policy.model.scaling.deviation.tolist() == scaling.deviation.tolist()


def test_each_round_draws_around_the_elite_of_the_one_before() -> None:
    width = TINY_CROSS_ENTROPY.row_width()
    learner = _learner(TINY_CROSS_ENTROPY.changed(least_spread=1e-9))
    rows = np.concatenate([np.full((3, width), 7.0), np.full((3, width), -7.0)])
    told = Examples(rows, np.array([1.0, 1.0, 1.0, 2.0, 2.0, 2.0]))
    drawn = learner.collect(2, Progress(examples=[told]))
    assert np.abs(drawn.rows - 7.0).max() < 1e-6


def test_its_policies_score_when_the_settings_say() -> None:
    policy = train_cross_entropy(TRAIN, VALIDATION, TINY_CROSS_ENTROPY.changed(rounds=1, rescore="lazy"), seed=0).policy
    assert isinstance(policy, LearnedPolicy)
    assert policy.rescore == "lazy"


def test_rounds_tell_the_cost_of_the_elite() -> None:
    told: list[Round] = []
    train_cross_entropy(TRAIN, VALIDATION, TINY_CROSS_ENTROPY, seed=0, on_round=told.append)
    assert [one.examples for one in told] == [6, 12, 18]
    assert all(1.0 <= one.loss <= 300.0 and one.mixing == 0.0 for one in told)


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"vectors": 1}, "vectors must be at least 2, got 1"),
        ({"worlds_per_vector": 0}, "worlds_per_vector must be positive, got 0"),
        ({"elite": 0.0}, "elite must be above 0 and at most 1, got 0.0"),
        ({"least_spread": 2.0}, "spread must be at least least_spread, below 1000, got 1.0"),
        ({"least_spread": 0.0}, "spread must be at least least_spread, below 1000"),
        ({"hidden": ()}, "hidden must be one to ten whole numbers"),
        ({"learning_rate": 0.1}, "learning_rate: not a setting of this algorithm"),
    ],
)
def test_what_cannot_be_is_told_in_one_line(changes: dict[str, object], told: str) -> None:
    with pytest.raises(TrainingError) as raised:
        CROSS_ENTROPY.changed(**changes)
    assert str(raised.value).startswith(told)


def test_the_settings_are_the_papers() -> None:
    assert (CROSS_ENTROPY.vectors, CROSS_ENTROPY.worlds_per_vector, CROSS_ENTROPY.elite) == (40, 5, 0.2)
    assert (CROSS_ENTROPY.hidden, CROSS_ENTROPY.rounds, CROSS_ENTROPY.max_expansions) == ((100,), 15, 1100)
