from __future__ import annotations

import numpy as np
import pytest

from sailplan.core import search
from sailplan.datasets.labelled import label_problems
from sailplan.errors import TrainingError
from sailplan.graphs import ExplicitGraph, Problem
from sailplan.learning import Q_LEARNING, NetworkSettings, QLearningSettings, Round, train_q_learning
from sailplan.learning.algorithms.q_learning import QLearner
from sailplan.learning.regressors import Differences, network_maker
from sailplan.learning.rounds import Progress, seed_of
from sailplan.policies.features import feature_set
from sailplan.policies.learned.network import DenseNetwork, Scaling
from sailplan.policies.learned.policy import LearnedPolicy
from sailplan.policies.replay.transitions import Transitions
from tests.learning.tiny import TINY_Q_LEARNING, tiny_problems

TRAIN, VALIDATION = tiny_problems()[:4], tiny_problems()[4:]


def _three_vertices() -> Problem:
    """Return a way 0 - 1 - 2 to the goal, one to the right each."""
    graph = ExplicitGraph.from_edges(3, [(0, 1, 1.0), (1, 2, 1.0)], coordinates=[(0.0, 0.0), (1.0, 0.0), (2.0, 0.0)])
    return Problem(graph, 0, 2, name="three")


def _learner(settings: QLearningSettings, problem: Problem | None = None) -> QLearner:
    features = feature_set(settings.features)
    problems = label_problems([problem or _three_vertices()]).solvable
    scaling = Scaling.none(len(features.columns))
    return QLearner(problems, settings, features, scaling, network_maker(settings.network, features), 0, 1)


def test_the_transitions_of_three_vertices_by_hand() -> None:
    learner = _learner(TINY_Q_LEARNING.changed(features="paper17", samples_per_world=0))
    seen = learner.collect(1, Progress())
    x, h_euc = (learner.features.columns.index(name) for name in ("x", "h_euc"))
    # Step one expands 0 and opens 1; step two expands 1 and finds the goal, after which nothing lies ahead.
    assert seen.rows[:, [x, h_euc]].tolist() == [[0.0, 2.0], [1.0, 1.0]]
    assert seen.next_rows[:, [x, h_euc]].tolist() == [[1.0, 1.0], [0.0, 0.0]]
    assert (seen.costs.tolist(), seen.goes_on.tolist()) == ([1.0, 1.0], [1.0, 0.0])


def test_a_search_cut_short_goes_on() -> None:
    learner = _learner(TINY_Q_LEARNING.changed(features="paper17", samples_per_world=0, max_expansions=1))
    seen = learner.collect(1, Progress())
    assert (len(seen), seen.goes_on.tolist()) == (1, [1.0])
    assert seen.next_rows[0, learner.features.columns.index("x")] == 1.0


def test_a_search_that_ends_at_the_last_step_that_counts_is_not_cut_short() -> None:
    learner = _learner(TINY_Q_LEARNING.changed(features="paper17", samples_per_world=0, max_expansions=2))
    assert learner.collect(1, Progress()).goes_on.tolist() == [1.0, 0.0]


@pytest.mark.parametrize("samples", [2, 3, 100])
def test_a_short_search_gives_each_of_its_steps_once(samples: int) -> None:
    learner = _learner(TINY_Q_LEARNING.changed(features="paper17", samples_per_world=samples))
    for number in range(1, 9):
        seen = learner.collect(number, Progress())
        assert seen.rows[:, learner.features.columns.index("x")].tolist() == [0.0, 1.0]


@pytest.mark.parametrize(("exploration", "same"), [(0.0, True), (1.0, False)])
def test_chance_has_its_share_of_the_steps_and_is_another_in_each_round(exploration: float, same: bool) -> None:
    learner = _learner(TINY_Q_LEARNING.changed(samples_per_world=0, exploration=exploration), TRAIN[0])
    first, second = (learner.collect(number, Progress()).rows.tolist() for number in (1, 2))
    assert (first == second) is same


def test_each_round_goes_on_from_the_last_network_over_all_that_was_seen() -> None:
    learner = _learner(TINY_Q_LEARNING.changed(samples_per_world=0, exploration=1.0), TRAIN[0])
    examples = [learner.collect(number, Progress()) for number in (1, 2)]
    networks = [learner.make_network(seed).untrained(len(learner.features.columns)) for seed in (7, 8)]
    policies = [
        LearnedPolicy(learner.features, DenseNetwork(tuple(one), learner.scaling, learner.features.guess_weights))
        for one in networks
    ]
    rounds = [Round(number, 1.0, 10, 0.5, 1.0, 100.0 * number, 0.0, 0.0, 0.0) for number in (1, 2)]
    (candidate,), loss = learner.fit(3, Progress(rounds, policies, examples))
    expected = learner.make_network(seed_of(0, 3))
    seen = Transitions.concatenate(examples)
    assert loss == expected.fit_differences(learner.differences(seen), networks[-1])
    assert isinstance(candidate.policy, LearnedPolicy)
    assert isinstance(candidate.policy.model, DenseNetwork)
    for ours, theirs in zip(candidate.policy.model.layers, expected.dense_layers(), strict=True):
        assert [part.tolist() for part in ours] == [part.tolist() for part in theirs]


def test_the_gradient_does_not_go_through_what_lies_ahead() -> None:
    # A vertex that leads to itself: were both sides of the difference moved, no step would change anything.
    rows, ones = np.ones((4, 17)), np.ones(4)
    steps = Differences(rows, 0 * ones, 0.5 * ones, rows, 0 * ones, 9 * ones, ones)
    network = network_maker(NetworkSettings(hidden=(2,), epochs=1, averaging=0.0), feature_set("paper17"))(0)
    layers = [(np.zeros_like(weights), np.full_like(biases, 0.1)) for weights, biases in network.untrained(17)]
    network.fit_differences(steps, layers)
    assert (network.predict(rows) > 0.11).all()


def test_the_target_of_three_vertices_by_hand() -> None:
    # In units of 100 expansions, with h_euc as the guess: ahead of the first step lies the guess of vertex 1.
    learner = _learner(TINY_Q_LEARNING.changed(features="paper17", samples_per_world=0))
    steps = learner.differences(learner.collect(1, Progress()))
    assert learner.unit == 100.0
    assert steps.guesses.tolist() == [0.02, 0.01]
    assert steps.next_guesses.tolist() == [0.01, 0.0]
    assert steps.costs.tolist() == [0.01, 0.01]
    assert steps.largest.tolist() == [0.6, 0.6]
    # A network that says nothing is right everywhere: 2 = 1 + 1 and 1 = 1 + 0.
    network = network_maker(NetworkSettings(hidden=(2,), averaging=0.0), learner.features)(0)
    nothing = [(np.zeros_like(weights), np.zeros_like(biases)) for weights, biases in network.untrained(17)]
    assert network.fit_differences(steps, nothing) == pytest.approx(0.0, abs=1e-12)
    # Were the second step not the last, it would miss by its cost and by what lies ahead (nothing but the guess, 0).
    wrong = steps._replace(guesses=np.zeros(2), next_guesses=np.array([0.5, 0.9]), goes_on=np.array([1.0, 0.0]))
    one_pass = network_maker(NetworkSettings(hidden=(2,), epochs=1, averaging=0.0), learner.features)(0)
    assert one_pass.fit_differences(wrong, nothing) == pytest.approx((0.51**2 + 0.01**2) / 2)
    # What lies ahead is at most as long as a roll-out (0.6), and never below nothing.
    for guess, ahead in ((0.9, 0.6), (-0.4, 0.0)):
        odd = wrong._replace(next_guesses=np.array([guess, 0.0]), goes_on=np.ones(2))
        assert one_pass.fit_differences(odd, nothing) == pytest.approx(((0.01 + ahead) ** 2 + 0.01**2) / 2)


def test_it_learns_what_lies_ahead_of_three_vertices() -> None:
    settings = TINY_Q_LEARNING.changed(features="paper17", samples_per_world=0, hidden=(8,), epochs=3000, averaging=0.0)
    settings = settings.changed(optimiser="adam", learning_rate=0.003, decay=True)
    learner = _learner(settings)
    progress: Progress[Transitions] = Progress()
    seen = learner.collect(1, progress)
    # A guess that is far off: nothing of it is left in the end.
    steps = learner.differences(seen)._replace(guesses=np.full(2, 0.3), next_guesses=np.full(2, 0.3))
    network = network_maker(settings.network, learner.features)(1)
    network.fit_differences(steps, network.untrained(17))
    values = 100.0 * (0.3 + network.predict(steps.rows))
    assert values.tolist() == pytest.approx([2.0, 1.0], abs=0.1)


def test_exploration_falls_from_round_to_round_and_replay_grows() -> None:
    told: list[Round] = []
    train_q_learning(TRAIN, VALIDATION, TINY_Q_LEARNING.changed(exploration=0.5), seed=0, on_round=told.append)
    assert [one.mixing for one in told] == [0.5, 0.25, 0.125]
    assert [one.examples for one in told] == [32, 64, 96]


def test_a_trained_policy_finds_paths() -> None:
    policy = train_q_learning(TRAIN, VALIDATION, TINY_Q_LEARNING, seed=0).policy
    assert all(search(problem, policy).found for problem in VALIDATION)


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"exploration": 1.5}, "exploration must be between 0 and 1, got 1.5"),
        ({"rescore": "lazy"}, "rescore must be frozen in Q-learning, got 'lazy'"),
        ({"features": "patch"}, "features must be a set without a patch in Q-learning"),
        ({"samples_per_world": -1}, "samples_per_world must be 0 or more, got -1"),
        ({"oracle_probability": 0.5}, "oracle_probability: not a setting of this algorithm"),
        ({"vectors": 3, "elite": 0.1}, "elite, vectors: not a setting of this algorithm"),
    ],
)
def test_what_cannot_be_is_told_in_one_line(changes: dict[str, object], told: str) -> None:
    with pytest.raises(TrainingError) as raised:
        Q_LEARNING.changed(**changes)
    assert str(raised.value).startswith(told)


def test_the_settings_are_the_papers() -> None:
    assert (Q_LEARNING.rounds, Q_LEARNING.samples_per_world, Q_LEARNING.exploration) == (15, 100, 0.9)
    assert (Q_LEARNING.network.hidden, Q_LEARNING.network.optimiser) == ((100, 50), "rmsprop")
