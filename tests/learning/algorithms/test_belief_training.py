from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from sailplan.core import Limits, Policy, search
from sailplan.datasets import GeneratedWorlds
from sailplan.datasets.labelled import label_problems
from sailplan.errors import TrainingError
from sailplan.graphs import GridGraph, grid_problem
from sailplan.learning.algorithms.belief_settings import BELIEF, BeliefSettings
from sailplan.learning.algorithms.belief_training import BeliefLearner, train_belief
from sailplan.learning.regressors import Examples
from sailplan.learning.rounds import Progress, draw_problems
from sailplan.learning.run_folder import Plan, RunFolder, digest_of, read_plan
from sailplan.policies.catalogue import MODEL, read_facts, read_policy
from sailplan.policies.lazy.policy import LazyPolicy
from sailplan.policies.replanning.beliefs.posterior import Memory
from sailplan.policies.replanning.beliefs.prior import Frame
from sailplan.policies.replanning.policy import ReplanningPolicy, optimistic
from tests.learning.tiny import pocket_problem, tiny_problems

SETTINGS = BeliefSettings(rounds=3, vectors=5, worlds_per_vector=4, remembered=0.75, validation_expansions=2000)
LAZY = SETTINGS.changed(objective="evaluations")
PROBLEMS = [grid_problem(world) for world in GeneratedWorlds("alternating_gaps", 50, seed=4, width=41, height=41)]
TRAIN, VALIDATION, UNSEEN = PROBLEMS[:32], PROBLEMS[32:40], PROBLEMS[40:]


def _train(seed: int = 0, jobs: int = 1, settings: BeliefSettings = SETTINGS) -> ReplanningPolicy:
    policy = train_belief(TRAIN, VALIDATION, settings, seed=seed, jobs=jobs).policy
    assert isinstance(policy, ReplanningPolicy)
    return policy


def _expansions(policy: ReplanningPolicy) -> int:
    return sum(search(problem, policy).expansions for problem in UNSEEN)


def _evaluations(policy: Policy) -> int:
    return sum(search(problem, policy).edge_evaluations for problem in UNSEEN)


def _learner(seed: int = 0, settings: BeliefSettings = SETTINGS) -> BeliefLearner:
    problems = label_problems(TRAIN).solvable
    frame = Frame.of(TRAIN[0])
    assert frame is not None
    memory = Memory.of([problem.graph.world for problem in TRAIN[:24] if isinstance(problem.graph, GridGraph)])
    return BeliefLearner(problems[24:], settings, seed, 1, frame, memory)


def test_it_learns_where_the_gaps_are() -> None:
    assert _expansions(_train()) < 0.95 * _expansions(optimistic())


def test_the_same_seed_gives_the_same_belief_whatever_the_jobs() -> None:
    one, two = _train(), _train(jobs=2)
    assert one.describe()[0] == two.describe()[0]
    drawn, again, other = (_learner(seed).collect(1, Progress()) for seed in (0, 0, 1))
    assert np.array_equal(drawn.rows, again.rows)
    assert np.array_equal(drawn.labels, again.labels)
    assert not np.array_equal(drawn.rows, other.rows)


def test_a_run_that_was_stopped_goes_on_as_if_it_had_not_been(tmp_path: Path) -> None:
    digest = digest_of([*TRAIN, *VALIDATION])
    folder = RunFolder.begin(tmp_path, Plan("belief", "gaps", 0, SETTINGS), digest)
    train_belief(TRAIN, VALIDATION, SETTINGS.changed(rounds=1), seed=0, keeper=folder)
    assert read_plan(tmp_path).settings == SETTINGS
    train_belief(TRAIN, VALIDATION, SETTINGS, seed=0, keeper=RunFolder.resume(tmp_path, read_plan(tmp_path), digest))
    kept = read_policy(tmp_path / MODEL)
    assert isinstance(kept, ReplanningPolicy)
    assert kept.describe()[0] == _train().describe()[0]


def test_candidates_of_the_first_round_include_those_without_weights() -> None:
    learner = _learner()
    progress: Progress[Examples] = Progress(examples=[learner.collect(1, Progress())])
    candidates, cost = learner.fit(1, progress)
    kinds = [one.policy.belief.name for one in candidates if isinstance(one.policy, ReplanningPolicy)]
    assert kinds == ["posterior", "posterior", "optimistic", *["prior"] * 6]
    best = np.sort(progress.examples[0].labels)[0]
    assert cost == best
    assert len(learner.fit(2, progress)[0]) == 2


def test_the_label_of_a_vector_is_what_its_belief_costs() -> None:
    learner = _learner()
    drawn = learner.collect(1, Progress())
    problems, _ = draw_problems(learner.problems, SETTINGS.worlds_per_vector, 0, 1)
    policy = learner.policy(drawn.rows[0])
    assert drawn.labels[0] == np.mean([search(labelled.problem, policy).expansions for labelled in problems])


def test_it_learns_which_edges_to_evaluate() -> None:
    training = train_belief(TRAIN, VALIDATION, LAZY, seed=0, baselines={"lazy": LazyPolicy()})
    assert isinstance(training.policy, LazyPolicy)
    assert training.objective == "evaluations"
    assert _evaluations(training.policy) < 0.95 * _evaluations(LazyPolicy())
    assert training.best.validation_expansions == 0.0
    assert training.best.validation_evaluations == min(one.validation_evaluations for one in training.rounds)
    assert training.best.validation_evaluations <= training.baselines["lazy"]
    again = train_belief(TRAIN, VALIDATION, LAZY, seed=0, jobs=2).policy
    assert isinstance(again, LazyPolicy)
    assert again.describe()[0] == training.policy.describe()[0]


def test_a_lazy_run_that_was_stopped_goes_on_as_if_it_had_not_been(tmp_path: Path) -> None:
    digest = digest_of([*TRAIN, *VALIDATION])
    folder = RunFolder.begin(tmp_path, Plan("belief", "gaps", 0, LAZY), digest)
    train_belief(TRAIN, VALIDATION, LAZY.changed(rounds=1), seed=0, keeper=folder)
    assert read_plan(tmp_path).settings == LAZY
    resumed = RunFolder.resume(tmp_path, read_plan(tmp_path), digest)
    training = train_belief(TRAIN, VALIDATION, LAZY, seed=0, keeper=resumed)
    kept, whole = read_policy(tmp_path / MODEL), train_belief(TRAIN, VALIDATION, LAZY, seed=0).policy
    assert isinstance(kept, LazyPolicy)
    assert isinstance(whole, LazyPolicy)
    assert kept.describe()[0] == whole.describe()[0]
    assert read_facts(tmp_path / MODEL)["validation_evaluations"] == training.best.validation_evaluations


def test_candidates_of_a_lazy_first_round_include_plain_lazy_search() -> None:
    learner = _learner(settings=LAZY)
    progress: Progress[Examples] = Progress(examples=[learner.collect(1, Progress())])
    candidates, _ = learner.fit(1, progress)
    policies = [one.policy for one in candidates]
    assert all(isinstance(one, LazyPolicy) for one in policies)
    assert policies[2] == LazyPolicy()
    kinds = [one.belief.name for one in policies if isinstance(one, LazyPolicy)]
    assert kinds == ["posterior", "posterior", "optimistic", *["prior"] * 8]


def test_a_vector_chooses_the_selector_and_the_updates_of_a_lazy_search() -> None:
    learner = _learner(settings=LAZY)
    vector = np.zeros(LAZY.row_width())
    forward = learner.policy(vector)
    vector[-2:] = -20.0, 1.0
    doubtful = learner.policy(vector)
    assert isinstance(forward, LazyPolicy)
    assert isinstance(doubtful, LazyPolicy)
    assert (forward.selector, forward.belief.refresh.invalid) == ("forward", 3)
    assert (doubtful.selector, doubtful.belief.refresh.invalid) == ("doubtful", 1)


def test_lazy_roll_outs_are_limited_by_evaluations() -> None:
    learner = _learner(settings=LAZY.changed(max_expansions=7))
    assert learner.collect(1, Progress()).labels.tolist() == [7.0] * LAZY.vectors
    learner = _learner(settings=LAZY)
    drawn = learner.collect(1, Progress())
    problems, _ = draw_problems(learner.problems, LAZY.worlds_per_vector, 0, 1)
    policy, limits = learner.policy(drawn.rows[0]), Limits(evaluations=LAZY.max_expansions)
    spent = [search(labelled.problem, policy, limits).edge_evaluations for labelled in problems]
    assert drawn.labels[0] == np.mean(spent)


def test_settings_of_earlier_versions_minimise_expansions() -> None:
    values = SETTINGS.as_json()
    del values["objective"]
    assert BeliefSettings.from_json(values) == SETTINGS
    assert not LAZY.could_make(optimistic())
    assert not SETTINGS.could_make(LazyPolicy())
    with pytest.raises(TrainingError, match="not the settings of a training"):
        BeliefSettings.from_json([])


def test_what_cannot_be_trained_on() -> None:
    with pytest.raises(TrainingError, match="grids of one size with one start and goal"):
        train_belief(TRAIN, tiny_problems(), SETTINGS, seed=0)
    with pytest.raises(TrainingError, match="grids of one size with one start and goal"):
        train_belief([*TRAIN, pocket_problem()], VALIDATION, SETTINGS, seed=0)
    with pytest.raises(TrainingError, match="1 worlds, all equal"):
        train_belief([pocket_problem()], [pocket_problem()], SETTINGS, seed=0)
    with pytest.raises(TrainingError, match="1 worlds: too few to store some and roll out others"):
        train_belief(TRAIN[:1], VALIDATION, SETTINGS, seed=0)


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"result": "mixture"}, "result must be best in a training of a belief, got 'mixture'"),
        ({"remembered": 1.0}, "remembered must be between 0 and 1, got 1.0"),
        ({"vectors": 1}, "vectors must be at least 2, got 1"),
        ({"worlds_per_vector": 0}, "worlds_per_vector must be positive, got 0"),
        ({"elite": 0.0}, "elite must be above 0 and at most 1, got 0.0"),
        ({"spread": 0.01}, "spread must be at least least_spread, below 10, got 0.01"),
        ({"objective": "paths"}, "objective must be expansions or evaluations, got 'paths'"),
        ({"features": "walls"}, "features: not a setting of this algorithm"),
    ],
)
def test_settings_that_cannot_be(changes: dict[str, object], told: str) -> None:
    with pytest.raises(TrainingError) as raised:
        BELIEF.changed(**changes)
    assert str(raised.value) == told
