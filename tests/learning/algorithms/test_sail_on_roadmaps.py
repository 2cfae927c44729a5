from __future__ import annotations

import numpy as np
import pytest

from sailplan.core import Limits, search
from sailplan.datasets.edge_worlds import EdgeWorlds
from sailplan.datasets.labelled import label_problems
from sailplan.errors import FeatureError
from sailplan.graphs import Problem
from sailplan.learning import QLearningSettings, SailSettings, train_sail
from sailplan.learning.algorithms.sail import collect
from sailplan.learning.roadmaps import features_of_roadmap
from sailplan.learning.rounds import mean_counts
from sailplan.policies import dijkstra
from sailplan.policies.learned.policy import LearnedPolicy
from sailplan.policies.replay.samples import draw_steps, take_samples
from sailplan.testing import check_result
from tests.learned_policies import random_network
from tests.learning.tiny import TINY, assert_same_network
from tests.roadmaps import corridors, random_roadmap

QUICK = TINY.changed(features="roadmap", rescore="full", target="detour", rounds=2, worlds_per_round=10)


def _problems(worlds: EdgeWorlds) -> tuple[list[Problem], list[Problem]]:
    return [worlds.problem(world) for world in range(30)], [worlds.problem(world) for world in range(30, 45)]


def _train(worlds: EdgeWorlds, settings: SailSettings = QUICK) -> LearnedPolicy:
    policy = train_sail(*_problems(worlds), settings, seed=0).policy
    assert isinstance(policy, LearnedPolicy)
    return policy


@pytest.mark.parametrize("coordinates", [True, False])
def test_it_expands_fewer_vertices_than_dijkstra_in_worlds_it_has_not_seen(coordinates: bool) -> None:
    worlds = corridors(60, coordinates=coordinates, sizes=(45, 15))
    policy = _train(worlds)
    assert ("h_euc" in policy.features.columns) == coordinates
    unseen = label_problems([worlds.problem(world) for world in range(45, 60)]).solvable
    learned, plain = (mean_counts(one, unseen, Limits(300)).expansions for one in (policy, dijkstra()))
    assert learned < 0.7 * plain


def test_the_seed_and_nothing_else_decides() -> None:
    worlds = corridors(45, sizes=(45, 0))
    one, other = (train_sail(*_problems(worlds), QUICK, seed=5, jobs=jobs).policy for jobs in (1, 2))
    assert isinstance(one, LearnedPolicy)
    assert isinstance(other, LearnedPolicy)
    assert_same_network(one, other)


def test_another_start_and_goal_than_in_training() -> None:
    worlds = corridors(45, sizes=(45, 0))
    policy = _train(worlds)
    for ends in ((1, 0), (5, 18), (9, 9)):
        problem = worlds.problem(31, ends)
        result = search(problem, policy)
        check_result(problem, result)
        assert result.found == search(problem, dijkstra()).found


def test_a_roll_out_does_not_know_the_world_it_is_on() -> None:
    worlds = random_roadmap(3, vertices=20, worlds=12)
    train = [worlds.problem(world) for world in range(12)]
    features = features_of_roadmap(train)
    learner = LearnedPolicy(features, random_network(0, len(features.columns)), "full")
    (labelled, *_) = label_problems(train).solvable
    seeds = np.random.SeedSequence(1).spawn(1)
    found = collect([labelled], learner, features, oracle_probability=0.0, samples=8, max_expansions=50, seeds=seeds)
    rows = {}
    for name, unaware in {"held out": True, "aware": False}.items():
        rng = np.random.default_rng(np.random.SeedSequence(1).spawn(1)[0])
        rng.integers(1 << 62)
        policy = learner.held_out(labelled.problem) if unaware else learner
        trace = search(labelled.problem, policy, Limits(expansions=50)).trace
        steps = draw_steps(len(trace.expanded), 8, rng)
        rows[name] = take_samples(labelled.problem, trace, policy.features, steps, rng.random(len(steps)))[1]
    assert found.rows.tolist() == rows["held out"].tolist() != rows["aware"].tolist()


def test_other_algorithms_do_not_have_these_features() -> None:
    with pytest.raises(FeatureError, match="no feature set 'roadmap'"):
        QLearningSettings(features="roadmap")
