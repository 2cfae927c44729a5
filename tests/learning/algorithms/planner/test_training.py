from __future__ import annotations

import sys
from copy import deepcopy
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from sailplan.core import Limits, Policy, open_search, search
from sailplan.datasets import World, generate_world
from sailplan.datasets.labelled import label_problems
from sailplan.errors import SailplanError, TrainingError
from sailplan.graphs import GridGraph, Problem, grid_problem
from sailplan.learning import PlannerSettings, Progress, Round
from sailplan.learning.algorithms import ALGORITHMS
from sailplan.learning.algorithms.planner.rollouts import RollOuts, reduced
from sailplan.learning.algorithms.planner.training import PlannerLearner, train_through_planner
from sailplan.learning.run_folder import Plan, RunFolder, digest_of, read_metrics, read_plan
from sailplan.oracle import cost_to_go
from sailplan.policies.catalogue import MODEL, read_policy
from sailplan.policies.lazy.policy import LazyPolicy
from sailplan.policies.oracle import OraclePolicy
from sailplan.policies.replanning.beliefs.learned import LearnedMultipliers
from sailplan.policies.replanning.beliefs.mixture import AREAS
from sailplan.policies.replanning.beliefs.pixels import PIXELS, PixelFrame, blocked_shares, world_of
from sailplan.policies.replanning.policy import ReplanningPolicy
from sailplan.testing import check_result, draw_problem
from tests.learning.tiny import TINY_PLANNER, assert_same_belief, pocket_problem, tiny_problems
from tests.naive import pixels as naive
from tests.policies.replanning.beliefs.random_beliefs import random_belief

TRAIN, VALIDATION = tiny_problems()[:4], tiny_problems()[4:]
LAZY = TINY_PLANNER.changed(objective="evaluations")
both_objectives = pytest.mark.parametrize("settings", [TINY_PLANNER, LAZY], ids=["expansions", "evaluations"])


class Memory:
    """Keeps a training as it was after each round."""

    def __init__(self, begin: Progress[RollOuts] | None = None) -> None:
        self._begin, self.kept = begin or Progress(), list[Progress[RollOuts]]()

    def load(self) -> Progress[RollOuts]:
        return deepcopy(self._begin)

    def save(self, progress: Progress[RollOuts]) -> None:
        self.kept.append(Progress(list(progress.rounds), list(progress.policies), list(progress.examples)))


def _train(
    settings: PlannerSettings = TINY_PLANNER, seed: int = 0, jobs: int = 1, keeper: Memory | RunFolder | None = None
) -> ReplanningPolicy | LazyPolicy:
    policy = train_through_planner(TRAIN, VALIDATION, settings, seed=seed, jobs=jobs, keeper=keeper).policy
    assert isinstance(policy, LazyPolicy if settings.objective == "evaluations" else ReplanningPolicy)
    return policy


def _belief(policy: object) -> LearnedMultipliers:
    assert isinstance(policy, ReplanningPolicy | LazyPolicy)
    assert isinstance(policy.belief, LearnedMultipliers)
    return policy.belief


def _learner(settings: PlannerSettings = TINY_PLANNER, seed: int = 0) -> PlannerLearner:
    return PlannerLearner(label_problems(TRAIN).solvable, settings, seed, 1)


@both_objectives
def test_the_same_seed_gives_the_same_policy_whatever_the_jobs(settings: PlannerSettings) -> None:
    one = _train(settings)
    assert_same_belief(one, _train(settings, jobs=2))
    with pytest.raises(AssertionError):
        assert_same_belief(one, _train(settings, seed=1))


@both_objectives
def test_a_training_goes_on_from_any_round(settings: PlannerSettings) -> None:
    whole = Memory()
    policy = _train(settings.changed(rounds=3), keeper=whole)
    for done in (1, 2, 3):
        rest = Memory(whole.kept[done - 1])
        assert_same_belief(_train(settings.changed(rounds=3), keeper=rest), policy)
        assert [len(one.rounds) for one in rest.kept] == list(range(done + 1, 4))


@both_objectives
def test_a_run_that_was_stopped_goes_on_as_if_it_had_not_been(settings: PlannerSettings, tmp_path: Path) -> None:
    digest = digest_of([*TRAIN, *VALIDATION])
    stopped = RunFolder.begin(tmp_path / "run", Plan("sail", "traps", 0, settings), digest)

    def stop(done: Round) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train_through_planner(TRAIN, VALIDATION, settings, seed=0, keeper=stopped, on_round=stop)
    assert len(read_metrics(tmp_path / "run")) == 1
    plan = read_plan(tmp_path / "run")
    assert plan.settings == settings
    resumed = RunFolder.resume(tmp_path / "run", plan, digest)
    trained = _train(settings, keeper=resumed)
    assert_same_belief(trained, _train(settings))
    kept = read_policy(tmp_path / "run" / MODEL)
    assert isinstance(kept, ReplanningPolicy | LazyPolicy)
    assert_same_belief(kept, trained)
    whole = RunFolder.begin(tmp_path / "whole", plan, digest)
    _train(settings, keeper=whole)
    for name in (MODEL, "rounds/001.safetensors", "rounds/002.safetensors"):
        assert (tmp_path / "run" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()


@pytest.mark.parametrize("name", ["worlds", "ends", "steps", "counts", "expanded", "evaluated"])
def test_damaged_roll_outs_are_refused_in_one_line(name: str, tmp_path: Path) -> None:
    digest = digest_of([*TRAIN, *VALIDATION])
    _train(TINY_PLANNER.changed(rounds=1), keeper=RunFolder.begin(tmp_path, Plan("sail", "x", 0, TINY_PLANNER), digest))
    file = tmp_path / "rounds" / "001.npz"
    with np.load(file) as arrays:
        kept = dict(arrays)
    good = kept[name]
    for damaged in (good.astype(float), good[..., None], np.full((1, *good.shape[1:]), -1), np.zeros(99, np.int64)):
        np.savez(file, **{**kept, name: damaged})
        with pytest.raises(TrainingError, match=r"001\.npz: damaged") as raised:
            RunFolder.resume(tmp_path, read_plan(tmp_path), digest).load()
        assert "\n" not in str(raised.value)


@pytest.mark.parametrize(("name", "value"), [("worlds", 4), ("ends", 361), ("expanded", 361), ("expanded", 200)])
def test_roll_outs_of_other_worlds_are_refused_in_one_line(name: str, value: int, tmp_path: Path) -> None:
    digest = digest_of([*TRAIN, *VALIDATION])
    _train(TINY_PLANNER.changed(rounds=1), keeper=RunFolder.begin(tmp_path, Plan("sail", "x", 0, TINY_PLANNER), digest))
    file = tmp_path / "rounds" / "001.npz"
    with np.load(file) as arrays:
        kept = dict(arrays)
    kept[name][0] = value
    np.savez(file, **kept)
    with pytest.raises(SailplanError) as raised:
        _train(keeper=RunFolder.resume(tmp_path, read_plan(tmp_path), digest))
    assert "\n" not in str(raised.value)


def test_what_a_round_tells() -> None:
    told: list[Round] = []
    training = train_through_planner(TRAIN, VALIDATION, TINY_PLANNER, seed=3, on_round=told.append)
    assert [one.number for one in told] == [1, 2]
    assert [one.mixing for one in told] == [0.5, 0.25]
    assert [one.examples for one in told] == [12, 24]
    assert all(0.0 <= one.loss <= 100.0 for one in told)
    means = [np.mean([search(one, policy).expansions for one in VALIDATION]) for policy in [training.policy]]
    assert means == [min(one.validation_expansions for one in told)]


def test_what_it_trains_is_for_grids_of_any_size() -> None:
    policy = _train()
    for problem in [*tiny_problems(2, "mazes", 33), draw_problem("S.#.G .#..."), draw_problem("G..S")]:
        result = search(problem, policy)
        assert (result.found, result.engine, list(result.notes)) == (True, "compiled", [])
        check_result(problem, result)


def test_roll_outs_are_of_the_oracle_or_of_the_policy() -> None:
    limits = Limits(expansions=TINY_PLANNER.max_expansions)
    learner = _learner(TINY_PLANNER.changed(oracle_probability=0.0))
    for share, policy in ((1.0, OraclePolicy()), (0.0, ReplanningPolicy(learner.untrained))):
        rolled_out = _learner(TINY_PLANNER.changed(oracle_probability=share)).collect(1, Progress())
        assert sorted(rolled.world for rolled in rolled_out) == [0, 1, 2, 3]
        assert (rolled_out.steps < rolled_out.counts[:, :1]).all()
        for rolled in rolled_out:
            problem = TRAIN[rolled.world]
            expected = search(problem, policy, limits).trace
            assert rolled.trace.expanded.tolist() == expected.expanded.tolist()
            assert (rolled.trace.start, rolled.trace.goal) == (problem.start, problem.goal)


def test_roll_outs_of_lazy_search_have_no_oracle() -> None:
    limits = Limits(evaluations=LAZY.max_expansions)
    learner = _learner(LAZY.changed(oracle_probability=0.0))
    for share, policy in ((1.0, LazyPolicy()), (0.0, LazyPolicy(belief=learner.untrained))):
        for rolled in _learner(LAZY.changed(oracle_probability=share)).collect(1, Progress()):
            expected = search(TRAIN[rolled.world], policy, limits).trace
            assert rolled.trace.evaluated.tolist() == expected.evaluated.tolist()


def test_fewer_worlds_than_there_are() -> None:
    several = [_learner(TINY_PLANNER.changed(worlds_per_round=2)).collect(number, Progress()) for number in (1, 2, 3)]
    assert all(len(set(one.worlds.tolist())) == 2 for one in several)
    assert len({tuple(one.worlds.tolist()) for one in several}) > 1


@both_objectives
def test_moments_are_like_the_definition(settings: PlannerSettings) -> None:
    settings = settings.changed(oracle_probability=1.0)
    learner, progress = _learner(settings), Progress[RollOuts]()
    progress.examples += [learner.collect(number, progress) for number in (1, 2)]
    belief = random_belief(1)
    shares, frequencies = (one.astype(np.float64) for one in (belief.mixture.shares, belief.mixture.frequencies))
    moments = iter(learner.moments(belief, progress))
    for rolled in [one for examples in progress.examples for one in examples]:
        problem = TRAIN[rolled.world]
        policy = LazyPolicy() if settings.objective == "evaluations" else OraclePolicy()
        for step in rolled.steps.tolist():
            moment, begun = next(moments), open_search(problem, policy)
            begun.run(Limits(evaluations=step) if settings.objective == "evaluations" else Limits(expansions=step))
            assert moment.status.tolist() == begun.state.status.tolist()
            assert moment.problem is problem
            assert np.array_equal(moment.table, cost_to_go(problem))
            weights = naive.recall_weights(
                moment.status.reshape(19, 19), shares, belief.mixture.weights, belief.recall, AREAS
            )
            blocked = naive.blend(shares, weights, 2e-3, frequencies, belief.recall.prior)
            # A weight of about the least that counts may be ignored or not.
            assert np.abs(moment.blocked - blocked).max() < 2.5e-3
    assert next(moments, None) is None


@both_objectives
def test_what_is_spent_is_relative_to_a_policy_that_has_learned_nothing(settings: PlannerSettings) -> None:
    learner = _learner(settings)
    lazy = settings.objective == "evaluations"

    def count(problem: Problem, policy: Policy, most: int) -> int:
        result = search(problem, policy, Limits(evaluations=most) if lazy else Limits(expansions=most))
        return result.edge_evaluations if lazy else result.expansions

    plain: Policy = LazyPolicy() if lazy else ReplanningPolicy()
    scale = np.mean([count(problem, plain, settings.max_expansions) for problem in TRAIN])
    assert learner.scale == pytest.approx(scale)
    policy: Policy = LazyPolicy(belief=learner.untrained) if lazy else ReplanningPolicy(learner.untrained)
    for problem in TRAIN:
        expected = count(problem, policy, round(5 * scale)) / scale
        assert learner.spent(learner.untrained, problem) == pytest.approx(expected)
    # A search that spends five times as much is stopped.
    learner.scale = 2.0
    assert [learner.spent(learner.untrained, problem) for problem in TRAIN] == [5.0] * len(TRAIN)


def test_a_round_proposes_imitation_and_direct_search() -> None:
    learner, progress = _learner(), Progress[RollOuts]()
    progress.examples.append(learner.collect(1, progress))
    beliefs = [_belief(one.policy) for one in learner.fit(1, progress)[0]]
    assert len(beliefs) == 3
    before, imitated, *searched = learner.untrained, *beliefs
    assert (imitated.recall, imitated.penalty) == (before.recall, before.penalty)
    assert not np.array_equal(imitated.offsets, before.offsets)  # type: ignore[arg-type]
    for one in searched:
        assert one.recall != before.recall
        assert one.penalty != before.penalty
        assert one.regret_weight != before.regret_weight
    assert all(one.mixture is before.mixture and one.frame == before.frame for one in beliefs)
    assert all(one.regrets is before.regrets is not None for one in beliefs)
    assert {one.elsewhere for one in beliefs} == {beliefs[-1].elsewhere} != {before.elsewhere}
    without = _learner(TINY_PLANNER.changed(search_steps=0))
    (alone,), _ = without.fit(1, progress)
    assert np.array_equal(_belief(alone.policy).offsets, imitated.offsets)  # type: ignore[arg-type]


def test_a_round_continues_from_the_best_one() -> None:
    learner, memory = _learner(), Memory()
    _train(TINY_PLANNER.changed(rounds=1), keeper=memory)
    progress = memory.kept[0]
    worse = replace(progress.rounds[0], number=2, validation_expansions=1e9)
    progress.rounds.append(worse)
    progress.policies.append(ReplanningPolicy(random_belief(0)))
    progress.examples.append(learner.collect(2, progress))
    (imitated, _), _ = learner.fit(3, progress)
    best = _belief(progress.policies[0])
    assert _belief(imitated.policy).penalty == best.penalty
    assert _belief(imitated.policy).mixture is best.mixture


def test_starts_and_goals_that_differ_have_no_extra_costs() -> None:
    others = [replace(TRAIN[0], goal=TRAIN[0].goal - 10), *TRAIN[1:]]
    for chosen in (TINY_PLANNER, LAZY, TINY_PLANNER.changed(search_steps=0)):
        told: list[Round] = []
        policy = train_through_planner(others, VALIDATION, chosen, seed=0, on_round=told.append).policy
        belief = _belief(policy)
        assert (belief.frame, belief.offsets) == (None, None)
        # There is nothing to imitate.
        assert [one.loss for one in told] == [0.0, 0.0]
    learner = PlannerLearner(label_problems(others).solvable, TINY_PLANNER, 0, 1)
    (unmodified, searched), _ = learner.fit(1, Progress())
    assert _belief(unmodified.policy) is learner.untrained
    assert _belief(searched.policy).penalty != learner.untrained.penalty
    assert _belief(searched.policy).offsets is None


def test_starts_and_goals_that_are_the_same_on_maps_of_several_sizes_have_extra_costs() -> None:
    problems = [grid_problem(generate_world("forest", 1, size, width=size, height=size)) for size in (40, 55, 90)]
    belief = _belief(train_through_planner(problems, VALIDATION, TINY_PLANNER, seed=0).policy)
    assert belief.frame == PixelFrame.of(problems[0])
    assert belief.offsets is not None


def _corridor(width: int) -> Problem:
    """A detour through a corridor of some cells' width on a map of three by three cells for each pixel."""
    blocked = np.zeros((3 * PIXELS, 3 * PIXELS), np.bool_)
    blocked[:, 99:102] = True
    blocked[100 : 100 + width, 99:102] = False
    return grid_problem(World(blocked))


def test_worlds_that_have_no_path_once_they_are_reduced_are_left_out() -> None:
    """A corridor of one cell is lost, one of three cells is not."""
    problems = [_corridor(1), _corridor(4), _corridor(1), _corridor(6)]
    learner = PlannerLearner(label_problems(problems).solvable, TINY_PLANNER, 0, 1)
    assert [world_of(one).width for one in learner.reduced] == [PIXELS, PIXELS]
    for one, expected in zip(learner.reduced, (problems[1], problems[3]), strict=True):
        assert np.array_equal(world_of(one).blocked, world_of(reduced(expected)).blocked)
        assert np.isfinite(cost_to_go(one)[one.start])
    # The mixture has seen all of them.
    shares = np.mean([blocked_shares(world_of(one)) for one in problems], axis=0)
    assert np.abs(learner.untrained.mixture.frequencies - shares).max() < 0.01
    rolled_out = learner.collect(1, Progress())
    assert sorted(rolled_out.worlds.tolist()) == [0, 1]


def test_if_no_world_has_a_path_once_it_is_reduced_none_is_reduced() -> None:
    problems = [_corridor(1), _corridor(1)]
    learner = PlannerLearner(label_problems(problems).solvable, TINY_PLANNER, 0, 1)
    assert learner.reduced == problems
    policy = train_through_planner(problems, problems, TINY_PLANNER.changed(rounds=1), seed=0).policy
    assert search(problems[0], policy).found


def test_maps_of_mixed_sizes_and_one_that_starts_at_its_goal() -> None:
    cell = grid_problem(World(np.zeros((1, 1), np.bool_)))
    corridor = grid_problem(World(np.zeros((1, 30), np.bool_)))
    memory = Memory()
    settings = TINY_PLANNER.changed(worlds_per_round=9)
    for chosen in (settings, settings.changed(objective="evaluations")):
        memory = Memory()
        train_through_planner([cell, corridor, *TRAIN], VALIDATION, chosen, seed=0, keeper=memory)
        assert memory.kept[0].rounds[0].examples == (1 + len(TRAIN)) * settings.samples_per_world
    with pytest.raises(TrainingError, match=r"^nothing to learn from"):
        train_through_planner([cell], VALIDATION, settings, seed=0)


def test_what_cannot_be_learned_from() -> None:
    for train, validation in (([], VALIDATION), (TRAIN, []), ([], [])):
        with pytest.raises(TrainingError, match="at least one world to train on and another to validate on"):
            train_through_planner(train, validation, TINY_PLANNER, seed=0)
    with pytest.raises(TrainingError, match="none of 1 worlds has a path"):
        train_through_planner([draw_problem("S#G")], VALIDATION, TINY_PLANNER, seed=0)
    for train, validation in (([pocket_problem()], VALIDATION), (TRAIN, [pocket_problem()])):
        with pytest.raises(TrainingError, match=r"^cost multipliers are learned on grids$"):
            train_through_planner(train, validation, TINY_PLANNER, seed=0)


def test_a_single_world() -> None:
    assert isinstance(TRAIN[0].graph, GridGraph)
    policy = train_through_planner(TRAIN[:1], VALIDATION, TINY_PLANNER, seed=0).policy
    assert all(search(problem, policy).found for problem in VALIDATION)


def test_it_needs_no_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    policy = ALGORITHMS["sail"].train(TRAIN, VALIDATION, TINY_PLANNER.changed(rounds=1), seed=0).policy
    assert isinstance(policy, ReplanningPolicy)
