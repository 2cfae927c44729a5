from __future__ import annotations

import sys
from copy import deepcopy
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from sailplan.core import Limits, open_search, search
from sailplan.datasets import GeneratedWorlds, World
from sailplan.datasets.labelled import label_problems
from sailplan.errors import SailplanError, TrainingError
from sailplan.graphs import GridGraph, Problem, grid_problem
from sailplan.learning import PlannerSettings, Progress, Round
from sailplan.learning.algorithms import ALGORITHMS
from sailplan.learning.algorithms.planner.loss import planner_loss
from sailplan.learning.algorithms.planner.rollouts import RollOuts
from sailplan.learning.algorithms.planner.training import Moment, PlannerLearner, train_through_planner
from sailplan.learning.run_folder import Plan, RunFolder, digest_of, read_metrics, read_plan
from sailplan.oracle import cost_to_go
from sailplan.policies.catalogue import MODEL, read_policy
from sailplan.policies.lazy.policy import LazyPolicy
from sailplan.policies.oracle import OraclePolicy
from sailplan.policies.replanning.beliefs.learned import LearnedMultipliers
from sailplan.policies.replanning.beliefs.pixels import PixelView
from sailplan.policies.replanning.policy import ReplanningPolicy
from sailplan.testing import check_result, draw_problem
from tests.learning.tiny import TINY_PLANNER, assert_same_belief, pocket_problem, tiny_problems
from tests.naive import pixels as naive

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


def test_steps_lower_the_loss_of_the_states_that_are_learned_from() -> None:
    worlds = GeneratedWorlds("alternating_gaps", 10, seed=4, width=31, height=31)
    settings = TINY_PLANNER.changed(steps=40, batch_size=12, learning_rate=0.003, averaging=0.0, hidden_weight=0.0)
    settings = settings.changed(oracle_probability=1.0, random_endpoints=0.0, worlds_per_round=10, samples_per_world=6)
    learner = PlannerLearner(label_problems([grid_problem(world) for world in worlds]).solvable, settings, 0, 1)
    progress: Progress[RollOuts] = Progress()
    progress.examples.append(learner.collect(1, progress))
    untrained = learner._belief(progress)
    (candidate, halfway), _ = learner.fit(1, progress)
    assert isinstance(halfway.policy, ReplanningPolicy)
    assert isinstance(candidate.policy, ReplanningPolicy)
    trained = candidate.policy.belief
    assert isinstance(trained, LearnedMultipliers)
    (before, _), (after, _) = (
        np.mean([_loss(moment, belief, settings) for moment in learner._moments], axis=0)
        for belief in (untrained, trained)
    )
    assert after < before


def _loss(moment: Moment, belief: LearnedMultipliers, settings: PlannerSettings) -> tuple[float, float]:
    """The expected regret and the regret at a state."""
    view, inputs = PixelView.of(moment.problem), moment.inputs.astype(np.float32)
    values = belief.predict(inputs[:3], inputs[4:], view.positions(moment.problem), framed=True).multipliers
    multipliers = view.spread(values, moment.status)
    loss = planner_loss(moment.problem, moment.status, multipliers, moment.table, settings.temperature)
    return loss.value, loss.regret


def test_roll_outs_are_of_the_oracle_or_of_the_policy_between_the_ends_or_random_cells() -> None:
    oracle = _learner(TINY_PLANNER.changed(oracle_probability=1.0, random_endpoints=0.0))
    for rolled in oracle.collect(1, Progress()):
        problem = TRAIN[rolled.world]
        expected = search(problem, OraclePolicy(), Limits(expansions=TINY_PLANNER.max_expansions)).trace
        assert rolled.trace.expanded.tolist() == expected.expanded.tolist()
        assert (rolled.trace.start, rolled.trace.goal) == (problem.start, problem.goal)
    elsewhere = _learner(TINY_PLANNER.changed(random_endpoints=1.0)).collect(1, Progress())
    ends = {(rolled.trace.start, rolled.trace.goal) for rolled in elsewhere}
    assert all((problem.start, problem.goal) not in ends for problem in TRAIN)
    assert sorted(rolled.world for rolled in elsewhere) == [0, 1, 2, 3]
    assert (elsewhere.steps < elsewhere.counts[:, :1]).all()
    lazy = _learner(LAZY.changed(oracle_probability=1.0, random_endpoints=0.0)).collect(1, Progress())
    for rolled in lazy:
        expected = search(TRAIN[rolled.world], LazyPolicy(), Limits(evaluations=LAZY.max_expansions)).trace
        assert rolled.trace.evaluated.tolist() == expected.evaluated.tolist()


def test_the_world_that_is_searched_is_left_out() -> None:
    settings = TINY_PLANNER.changed(oracle_probability=0.0, random_endpoints=0.0)
    learner = _learner(settings)
    belief = learner._belief(Progress())
    assert isinstance(belief, LearnedMultipliers)
    assert len(belief.memory) == len(TRAIN)
    for rolled in learner.collect(1, Progress()):
        policy = ReplanningPolicy(replace(belief, left_out=rolled.world))
        expected = search(TRAIN[rolled.world], policy, Limits(expansions=settings.max_expansions)).trace
        assert rolled.trace.expanded.tolist() == expected.expanded.tolist()


@both_objectives
def test_moments_are_like_the_definition(settings: PlannerSettings) -> None:
    settings = settings.changed(random_endpoints=0.5, oracle_probability=1.0)
    learner = _learner(settings)
    shares = learner.memory.levels / 3
    between_ends = 0
    for rolled in learner.collect(1, Progress()):
        problem = Problem(TRAIN[rolled.world].graph, rolled.trace.start, rolled.trace.goal)
        between_ends += rolled.trace.start == TRAIN[rolled.world].start
        policy = LazyPolicy() if settings.objective == "evaluations" else OraclePolicy()
        moments = learner._moments_of(rolled)
        assert len(moments) == settings.samples_per_world
        for step, moment in zip(rolled.steps.tolist(), moments, strict=True):
            begun = open_search(problem, policy)
            begun.run(Limits(evaluations=step) if settings.objective == "evaluations" else Limits(expansions=step))
            assert moment.status.tolist() == begun.state.status.tolist()
            known = naive.known_of(moment.status.reshape(19, 19))
            recalled = naive.recollect(shares, known, learner.memory.recall, rolled.world)
            inputs = np.concatenate([known, shares.mean(axis=0)[None], recalled])
            assert np.abs(moment.inputs - inputs).max() < 5e-3
            recall = learner.memory.recall
            mixed = (1.0 - recall.local) * recalled[0] + recall.local * recalled[1]
            likely = np.clip((1.0 - recall.prior) * mixed + recall.prior * shares.mean(axis=0), 0.003, 0.997)
            assert np.abs(moment.odds - np.log(likely / (1.0 - likely))).max() < 0.05
            assert np.array_equal(moment.table, cost_to_go(problem))
            assert (moment.problem.start, moment.problem.goal) == (problem.start, problem.goal)
    assert 0 < between_ends < len(TRAIN)


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


def test_without_torch_it_says_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("training", "network"):
        monkeypatch.delitem(sys.modules, f"sailplan.learning.algorithms.planner.{name}")
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(TrainingError, match=r"^training a network needs torch: pip install '\.\[train\]'"):
        ALGORITHMS["sail"].train(TRAIN, VALIDATION, TINY_PLANNER, seed=0)
