from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from sailplan.core import search
from sailplan.datasets.labelled import label_problems
from sailplan.errors import TrainingError
from sailplan.graphs import ExplicitGraph, Problem
from sailplan.learning.algorithms import edge_network_training
from sailplan.learning.algorithms.belief_settings import BELIEF, BeliefSettings
from sailplan.learning.algorithms.belief_training import train_belief
from sailplan.learning.algorithms.edge_belief_training import EdgeBeliefLearner
from sailplan.learning.algorithms.edge_direct_search import Schedule
from sailplan.learning.algorithms.edge_network_training import (
    RecordingPolicy,
    collect_edges,
    fit_layers,
    fit_network,
    weighted,
    without_correction,
)
from sailplan.learning.regressors import Examples
from sailplan.learning.roadmaps import covering_paths, results_of
from sailplan.learning.rounds import Round
from sailplan.learning.run_folder import Plan, RunFolder, digest_of, read_plan
from sailplan.policies.catalogue import MODEL, read_policy
from sailplan.policies.lazy.policy import LazyPolicy
from sailplan.policies.replanning.beliefs import EdgeLayers, EdgeNetwork
from sailplan.policies.replanning.beliefs.kernel.edge_network import COLUMNS
from tests.learning.algorithms.edge_lattice import lattice_problems
from tests.learning.tiny import tiny_problems

SETTINGS = BeliefSettings(
    rounds=3, vectors=4, worlds_per_vector=6, objective="evaluations", network_rounds=2, max_expansions=200
)


PROBLEMS = lattice_problems()
TRAIN, VALIDATION = PROBLEMS[:30], PROBLEMS[30:]


@pytest.fixture(autouse=True)
def _few_roll_outs(monkeypatch: pytest.MonkeyPatch) -> None:
    few = {"_WORLDS": 8, "_VECTORS": 3, "_ELITE": 2, "_ROLLED": 5, "_COMPARED": 6, "_CALIBRATED": 6, "_CONFIRMED": 6}
    for name, value in few.items():
        monkeypatch.setattr(edge_network_training, name, value)
    monkeypatch.setattr(edge_network_training, "SCHEDULE", Schedule(2, 3))


def _learner() -> EdgeBeliefLearner:
    return EdgeBeliefLearner.of(TRAIN, label_problems(TRAIN).solvable, SETTINGS, 0, 1)


def _first_policy(learner: EdgeBeliefLearner) -> LazyPolicy:
    belief = without_correction(learner.belief, learner.problems)
    return LazyPolicy(belief=belief, selector="doubtful")


def _facts(policy: object) -> object:
    assert isinstance(policy, LazyPolicy)
    return policy.describe()[0]


def test_the_last_rounds_train_a_network_and_the_seed_decides() -> None:
    whole = train_belief(TRAIN, VALIDATION, SETTINGS, seed=0)
    again = train_belief(TRAIN, VALIDATION, SETTINGS, seed=0, jobs=2)
    assert _facts(whole.policy) == _facts(again.policy)
    assert [one.validation_evaluations for one in whole.rounds] == [one.validation_evaluations for one in again.rounds]
    posterior = train_belief(TRAIN, VALIDATION, SETTINGS.changed(rounds=1, network_rounds=0), seed=0)
    assert whole.rounds[0].validation_evaluations == posterior.rounds[0].validation_evaluations
    assert whole.best.validation_evaluations <= posterior.best.validation_evaluations


def test_a_run_that_was_stopped_goes_on_as_if_it_had_not_been(tmp_path: Path) -> None:
    def stop(done: Round) -> None:
        if done.number == 2:
            raise KeyboardInterrupt

    digest = digest_of([*TRAIN, *VALIDATION])
    folder = RunFolder.begin(tmp_path, Plan("belief", "walls", 0, SETTINGS), digest)
    with pytest.raises(KeyboardInterrupt):
        train_belief(TRAIN, VALIDATION, SETTINGS, seed=0, keeper=folder, on_round=stop)
    resumed = RunFolder.resume(tmp_path, read_plan(tmp_path), digest)
    assert isinstance(resumed.load().policies[1].belief, EdgeNetwork)
    training = train_belief(TRAIN, VALIDATION, SETTINGS, seed=0, keeper=resumed)
    assert len(training.rounds) == 3
    assert _facts(read_policy(tmp_path / MODEL)) == _facts(train_belief(TRAIN, VALIDATION, SETTINGS, seed=0).policy)


def test_a_recorded_search_is_the_same_and_its_edges_are_labelled() -> None:
    learner = _learner()
    problem = learner.problems[3].problem
    policy = learner.roll_outs.held_out(_first_policy(learner), problem)
    recording = RecordingPolicy(policy, np.random.default_rng(0))
    result, plain = search(problem, recording, engine="reference"), search(problem, policy)
    assert (result.path, result.edge_evaluations) == (plain.path, plain.edge_evaluations)
    examples = recording.examples(problem)
    valid = results_of([problem])[0]
    assert examples.labels.tolist() == [float(not valid[edge]) for one in recording.edges for edge in one]
    assert len(recording.edges[0]) >= 4
    assert np.isfinite(examples.rows).all()
    assert len(collect_edges(learner, 2, _first_policy(learner))) > len(examples)


def test_the_network_learns_what_the_features_tell() -> None:
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((4000, COLUMNS))
    labels = (rng.random(4000) < 1.0 / (1.0 + np.exp(-rows[:, 0] - 2.0 * rows[:, 3]))).astype(np.float64)
    layers, loss = fit_layers(Examples(rows, labels), seed=1)
    hidden = np.maximum(rows @ layers.weights.T + layers.biases, 0.0)
    change = hidden @ layers.outputs + layers.offset
    assert np.corrcoef(change, rows[:, 3])[0, 1] > 0.95
    assert loss < 0.45


def test_paths_that_are_longer_than_a_limit_count_against_a_policy() -> None:
    learner = _learner()
    policy, problems = _first_policy(learner), learner.problems[:5]
    spent, cost = learner.means_of([policy], problems)[0]
    assert cost >= 1.0
    assert learner.costs_of([policy], problems, cost) == pytest.approx([spent])
    assert learner.costs_of([policy], problems, cost - 0.1) == pytest.approx([3.0 * spent])


def test_a_network_that_is_not_better_is_not_the_result(monkeypatch: pytest.MonkeyPatch) -> None:
    learner = _learner()
    policy = _first_policy(learner)
    examples = collect_edges(learner, 2, policy)

    def useless(one: LazyPolicy, vector: object) -> LazyPolicy:
        assert isinstance(one.belief, EdgeNetwork)
        return replace(one, belief=replace(one.belief, effort=1000.0, joint=1000.0), selector="backward")

    monkeypatch.setattr(edge_network_training, "weighted", useless)
    monkeypatch.setattr(edge_network_training, "_CONFIRMED", 30)
    (candidate,), _ = fit_network(learner, 2, policy, examples)
    assert candidate.policy is policy


def test_a_vector_changes_the_weights_of_the_output() -> None:
    policy = _first_policy(_learner())
    assert _facts(weighted(policy, np.zeros(5))) == _facts(policy)
    changed = weighted(policy, np.array([1.0, 1.0, -1.0, -9.0, 1.0])).belief
    assert isinstance(changed, EdgeNetwork)
    assert changed.weights.surprise == pytest.approx(policy.belief.weights.surprise * np.exp(0.5))  # type: ignore[attr-defined]
    assert changed.effort * changed.weights.surprise == pytest.approx(0.3)
    assert changed.joint == 0.0
    assert changed.weights.patience == pytest.approx(10.0 * np.exp(0.7))
    assert changed.layers.offset == 0.0


def test_in_each_world_a_path_of_the_cover_is_valid() -> None:
    problems = label_problems(TRAIN).solvable
    paths = covering_paths(problems)
    assert len(paths) < len(problems)
    graph = problems[0].problem.graph
    assert isinstance(graph, ExplicitGraph)
    ends = graph.edges()[:, :2].astype(int)
    for path in paths:
        here = 2
        for edge in path:
            (here,) = set(ends[edge].tolist()) - {here}
        assert here == 22
    for labelled in problems:
        valid = results_of([labelled.problem])[0]
        assert any(valid[list(path)].all() for path in paths)


def test_what_cannot_be_trained() -> None:
    with pytest.raises(TrainingError, match="network_rounds must be at least 0, and below the number of rounds, got 5"):
        BELIEF.changed(objective="evaluations", network_rounds=5)
    with pytest.raises(TrainingError, match="network_rounds must be 0 unless evaluations are minimised, got 1"):
        BELIEF.changed(network_rounds=1)
    with pytest.raises(TrainingError, match="need worlds of a roadmap"):
        train_belief(tiny_problems(), tiny_problems(), SETTINGS, seed=0)
    moved = [Problem(problem.graph, 2, 22 - index % 2) for index, problem in enumerate(TRAIN)]
    with pytest.raises(TrainingError, match="one start and one goal"):
        without_correction(_learner().belief, label_problems(moved).solvable)


def test_without_a_correction_the_search_is_that_of_the_posterior() -> None:
    learner = _learner()
    policy = _first_policy(learner)
    assert isinstance(policy.belief, EdgeNetwork)
    assert policy.belief.layers.offset == EdgeLayers.none().offset
    for labelled in learner.problems[:5]:
        plain = LazyPolicy(belief=policy.belief.posterior, selector="doubtful")
        assert search(labelled.problem, policy).path == search(labelled.problem, plain).path
