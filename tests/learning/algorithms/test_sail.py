from __future__ import annotations

from copy import deepcopy
from math import hypot

import numpy as np
import pytest

from sailplan.core import Limits, Policy, search
from sailplan.datasets import World
from sailplan.datasets.labelled import LabelledProblem, label_problems
from sailplan.errors import TrainingError
from sailplan.graphs import CallbackGraph, ExplicitGraph, Problem, grid_problem
from sailplan.learning import Examples, Progress, Round, SailSettings, train_behaviour_cloning, train_sail
from sailplan.learning.rounds import mean_counts
from sailplan.policies.features import FeatureSet
from sailplan.policies.features.absolute import COST, EUCLIDEAN
from sailplan.policies.learned.policy import LearnedPolicy
from sailplan.policies.mixture.policy import OneOfMany
from sailplan.policies.oracle import OraclePolicy
from sailplan.testing import check_result, draw_problem
from tests.learned_policies import random_policy
from tests.learning.tiny import TINY, TINY_CLONING, assert_same_network, numbers_of, pocket_problem, tiny_problems

TRAIN, VALIDATION = tiny_problems()[:4], tiny_problems()[4:]
DETOUR = TINY.changed(rescore="lazy", target="detour", rounds=2)


class Memory:
    """Keeps a training as it was after each round."""

    def __init__(self, begin: Progress[Examples] | None = None) -> None:
        self._begin, self.kept = begin or Progress(), list[Progress[Examples]]()

    def load(self) -> Progress[Examples]:
        return deepcopy(self._begin)

    def save(self, progress: Progress[Examples]) -> None:
        # The lists go on growing; their items do not change.
        self.kept.append(Progress(list(progress.rounds), list(progress.policies), list(progress.examples)))


def _train(settings: SailSettings = TINY, seed: int = 0, keeper: Memory | None = None, jobs: int = 1) -> LearnedPolicy:
    policy = train_sail(TRAIN, VALIDATION, settings, seed=seed, keeper=keeper, jobs=jobs).policy
    assert isinstance(policy, LearnedPolicy)
    return policy


def _expansions(policy: Policy, problems: list[LabelledProblem], most: int) -> float:
    return mean_counts(policy, problems, Limits(expansions=most)).expansions


def _round(number: int, expansions: float) -> Round:
    return Round(number, 1.0, 10, 0.5, expansions, 0.0, 0.0, 0.0)


@pytest.mark.parametrize("settings", [TINY, DETOUR, TINY.changed(features="patch", rounds=1)])
def test_the_same_seed_gives_the_same_policy_whatever_the_jobs(settings: SailSettings) -> None:
    one = _train(settings)
    assert_same_network(one, _train(settings))
    assert_same_network(one, _train(settings, jobs=2))


def test_another_seed_gives_another_policy() -> None:
    one, other = numbers_of(_train()), numbers_of(_train(seed=1))
    assert not np.array_equal(one[0], other[0])


def test_what_a_round_tells() -> None:
    told: list[Round] = []
    settings = TINY.changed(oracle_probability=0.5)
    policy = train_sail(TRAIN, VALIDATION, settings, seed=3, on_round=told.append).policy
    assert [one.number for one in told] == [1, 2, 3]
    assert [one.mixing for one in told] == [1.0, 0.5, 0.25]
    assert [one.examples for one in told] == [32, 64, 96]
    assert all(one.loss >= 0 for one in told)
    problems = label_problems(VALIDATION).solvable
    assert min(one.validation_expansions for one in told) == _expansions(policy, problems, 300)
    assert all(one.seconds_rolling_out + one.seconds_fitting + one.seconds_validating >= 0 for one in told)


def test_no_more_worlds_than_a_round_has() -> None:
    memory = Memory()
    _train(TINY.changed(worlds_per_round=2, rounds=1), keeper=memory)
    assert memory.kept[0].rounds[0].examples == 2 * TINY.samples_per_world
    memory = Memory()
    _train(TINY.changed(worlds_per_round=99, rounds=1), keeper=memory)
    assert memory.kept[0].rounds[0].examples == len(TRAIN) * TINY.samples_per_world


def test_other_rounds_roll_out_other_samples() -> None:
    memory = Memory()
    _train(TINY.changed(oracle_probability=1.0, rounds=2), keeper=memory)
    first, second = memory.kept[-1].examples
    assert first.rows.shape == second.rows.shape
    assert first.rows.tolist() != second.rows.tolist()


def test_the_best_round_is_the_first_of_equals() -> None:
    policies = [random_policy(seed, "relative") for seed in range(4)]
    progress: Progress[Examples] = Progress(
        [_round(n + 1, mean) for n, mean in enumerate((9.0, 4.0, 7.0, 4.0))], policies
    )
    assert progress.best == 1
    assert progress.result("best", 0) is policies[1]


def test_the_best_round_on_validation_is_the_result() -> None:
    memory = Memory()
    policy = _train(keeper=memory)
    progress = memory.kept[-1]
    problems = label_problems(VALIDATION).solvable
    means = [_expansions(one, problems, 300) for one in progress.policies]
    assert means == [one.validation_expansions for one in progress.rounds]
    assert policy is progress.policies[means.index(min(means))]


def test_a_mixture_is_all_rounds_with_the_seed_of_the_training() -> None:
    memory = Memory()
    mixture = train_sail(TRAIN, VALIDATION, TINY.changed(result="mixture"), seed=5, keeper=memory).policy
    assert isinstance(mixture, OneOfMany)
    assert mixture.seed == 5
    assert list(mixture.policies) == memory.kept[-1].policies
    assert len(mixture.policies) == TINY.rounds
    for problem in VALIDATION:
        assert search(problem, mixture).found


@pytest.mark.parametrize("settings", [TINY, DETOUR])
def test_a_trained_policy_solves_problems_that_it_has_not_seen(settings: SailSettings) -> None:
    policy = _train(settings)
    for problem in [*tiny_problems(3, "mazes", 21), *VALIDATION]:
        result = search(problem, policy)
        assert result.found
        assert result.engine == "compiled"
        check_result(problem, result)


def test_it_learns_to_search_with_fewer_expansions_than_at_random() -> None:
    policy = _train(TINY.changed(epochs=20, samples_per_world=30, rounds=2))
    problems = label_problems(tiny_problems()).solvable
    untrained = [_expansions(random_policy(seed, "relative"), problems, 400) for seed in range(5)]
    assert _expansions(policy, problems, 400) < np.mean(untrained)


def test_cloning_is_one_round_of_the_oracle_alone() -> None:
    settings = TINY_CLONING.changed(oracle_probability=0.0, samples_per_world=0)
    memory = Memory()
    cloned = train_behaviour_cloning(TRAIN, VALIDATION, settings, seed=0, keeper=memory).policy
    (progress,) = memory.kept
    assert isinstance(cloned, LearnedPolicy)
    assert_same_network(cloned, _train(settings))
    assert [one.mixing for one in progress.rounds] == [1.0]
    steps = [search(one, OraclePolicy(), Limits(settings.max_expansions)).expansions for one in TRAIN]
    assert progress.rounds[0].examples == sum(steps)


@pytest.mark.parametrize("done", [1, 2, 3])
def test_a_training_goes_on_from_any_round(done: int) -> None:
    whole = Memory()
    policy = _train(keeper=whole)
    rest = Memory(whole.kept[done - 1])
    assert_same_network(_train(keeper=rest), policy)
    assert [len(one.rounds) for one in rest.kept] == list(range(done + 1, TINY.rounds + 1))


@pytest.mark.parametrize("replaced", [0, 1])
def test_the_policy_of_the_last_round_is_what_is_rolled_out(replaced: int) -> None:
    settings, memory = TINY.changed(oracle_probability=0.0), Memory()
    _train(settings, keeper=memory)
    begun, expected = memory.kept[1], memory.kept[2].examples[2]
    begun.policies[replaced] = random_policy(9, "relative")
    again = Memory(begun)
    _train(settings, keeper=again)
    alike = again.kept[0].examples[2].rows.tolist() == expected.rows.tolist()
    assert alike == (replaced == 0)


def test_a_round_is_kept_before_it_is_told() -> None:
    memory = Memory()

    def stop(done: Round) -> None:
        assert [one.number for one in memory.kept[-1].rounds] == list(range(1, done.number + 1))
        if done.number == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train_sail(TRAIN, VALIDATION, TINY, seed=0, keeper=memory, on_round=stop)
    assert len(memory.kept) == 2


def test_more_rounds_than_asked_for_are_all_looked_at() -> None:
    memory = Memory()
    policy = _train(keeper=memory)
    assert_same_network(_train(TINY.changed(rounds=1), keeper=Memory(memory.kept[-1])), policy)


def test_a_directed_graph_and_one_of_callbacks_can_be_trained_on() -> None:
    blocked = {(2, y) for y in range(4)} | {(4, y) for y in range(1, 6)}

    def around(cell: tuple[int, int]) -> list[tuple[tuple[int, int], float]]:
        x, y = cell
        return [((x + dx, y + dy), hypot(dx, dy)) for dx in (-1, 0, 1) for dy in (-1, 0, 1) if dx or dy]

    def free(source: tuple[int, int], target: tuple[int, int]) -> bool:
        return target not in blocked and 0 <= target[0] < 6 and 0 <= target[1] < 6

    problems = [CallbackGraph(around, free).problem((0, 0), (5, 5)), pocket_problem()]
    policy = train_sail(problems, problems, TINY, seed=0).policy
    for problem in problems:
        result = search(problem, policy)
        assert result.found
        check_result(problem, result)


def test_features_of_your_own_are_what_is_learned_from() -> None:
    mine = FeatureSet((COST, EUCLIDEAN), "mine")
    policy = train_sail(TRAIN, VALIDATION, TINY.changed(rounds=1), seed=0, features=mine).policy
    assert isinstance(policy, LearnedPolicy)
    assert policy.features is mine
    assert search(VALIDATION[0], policy).found


def test_a_problem_that_starts_at_its_goal_teaches_nothing() -> None:
    cell = grid_problem(World(np.zeros((1, 1), np.bool_)))
    memory = Memory()
    train_sail([cell, *TRAIN], VALIDATION, TINY.changed(rounds=1, worlds_per_round=9), seed=0, keeper=memory)
    assert memory.kept[0].rounds[0].examples == len(TRAIN) * TINY.samples_per_world
    with pytest.raises(TrainingError, match=r"^nothing to learn from"):
        train_sail([cell], VALIDATION, TINY, seed=0)


def test_worlds_are_needed_on_both_sides() -> None:
    unsolvable = draw_problem("S#G")
    for train, validation in (([], VALIDATION), (TRAIN, []), ([], [])):
        with pytest.raises(TrainingError, match="at least one world to train on and another to validate on"):
            train_sail(train, validation, TINY, seed=0)
    for train, validation in (([unsolvable], VALIDATION), (TRAIN, [unsolvable])):
        with pytest.raises(TrainingError, match="none of 1 worlds has a path"):
            train_sail(train, validation, TINY, seed=0)


def test_the_unsolvable_are_passed_over() -> None:
    blocked = draw_problem("S#G")
    one = train_sail([blocked, *TRAIN], [*VALIDATION, blocked], TINY, seed=0).policy
    assert isinstance(one, LearnedPolicy)
    assert_same_network(one, _train())


def test_a_space_of_three_dimensions_is_refused_in_one_line() -> None:
    places = [(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (2.0, 1.0, 0.0)]
    graph = ExplicitGraph.from_edges(3, [(0, 1, 1.0), (1, 2, 1.0)], coordinates=places)
    with pytest.raises(ValueError, match="two coordinates, the graph has 3"):
        train_sail([Problem(graph, 0, 2)], [Problem(graph, 0, 2)], TINY, seed=0)
