from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import sailplan
from sailplan.core import search
from sailplan.datasets import FAMILIES, GeneratedWorlds
from sailplan.errors import ModelError, PolicyError, SailplanError
from sailplan.graphs import ExplicitGraph, Problem, grid_problem
from sailplan.policies import (
    CATALOGUE,
    PRETRAINED,
    LazyWeightedAStar,
    LearnedPolicy,
    OraclePolicy,
    RandomPolicy,
    a_star,
    bfws,
    breadth_first,
    dijkstra,
    greedy,
    load_policy,
    mha_star,
    mha_star_near,
    policy_groups,
    save_policy,
    shared_mha_star,
    weighted_a_star,
)
from sailplan.policies.catalogue import read_facts
from sailplan.policies.lazy import LazyPolicy
from sailplan.policies.replanning.policy import optimistic
from sailplan.testing import check_policy
from tests.learned_policies import random_policy


@pytest.mark.parametrize("name", CATALOGUE)
def test_every_policy_keeps_the_contract(name: str) -> None:
    check_policy(load_policy(name), clairvoyant=name == "oracle")


def test_what_each_name_stands_for() -> None:
    assert {name: load_policy(name) for name in CATALOGUE if name != "walls"} == {
        "lazy": LazyPolicy(),
        "optimistic": optimistic(),
        "a_star": a_star(),
        "a_star_octile": a_star("octile"),
        "weighted_a_star": weighted_a_star(11.0),
        "lwa_star": LazyWeightedAStar(1.0),
        "h_euc": greedy("euclidean"),
        "h_man": greedy("manhattan"),
        "h_oct": greedy("octile"),
        "mha_star": mha_star(),
        "mha_star_near": mha_star_near(),
        "smha_star": shared_mha_star(2.0),
        "bfws": bfws(),
        "bfs": breadth_first(),
        "dijkstra": dijkstra(),
        "random": RandomPolicy(),
        "oracle": OraclePolicy(),
    }
    assert all(entry.summary for entry in CATALOGUE.values())


def test_every_policy_is_in_one_group() -> None:
    groups = policy_groups()
    listed = [policy for group in groups for policy in group.policies]
    assert sorted(name for name, _ in listed) == sorted([*CATALOGUE, *PRETRAINED])
    assert len({group.name for group in groups}) == len(groups) == 6
    assert all(group.title and group.guidance.startswith("Use these ") for group in groups)
    assert all(summary for _, summary in listed)
    assert [group.name for group in groups if any(name in PRETRAINED for name, _ in group.policies)] == ["pretrained"]


def test_around_walls_is_a_rule_that_nobody_has_trained() -> None:
    policy = load_policy("walls")
    check_policy(policy)
    assert isinstance(policy, LearnedPolicy)
    rows = np.random.default_rng(0).normal(size=(20, len(policy.features.columns)))
    weights = dict(policy.features.estimate)
    linear = np.array([weights.get(name, 0.0) for name in policy.features.columns])
    assert linear.any()
    assert policy.model.predict(rows) == pytest.approx(rows @ linear)
    with pytest.raises(SailplanError) as raised:
        search(Problem(ExplicitGraph.from_edges(2, [(0, 1, 1.0)], coordinates=[(0, 0), (1, 0)]), 0, 1), policy)
    assert "grid" in str(raised.value)


@pytest.mark.parametrize("name", PRETRAINED)
def test_the_pretrained_policies(name: str) -> None:
    policy = load_policy(name)
    check_policy(policy)
    algorithm, family = name.split(":")
    assert family in [*FAMILIES, "any"]
    file = Path(sailplan.__file__).parent / "pretrained" / PRETRAINED[name]
    # One policy for all families has the typical worlds of eight of them.
    most = 2_000_000 if family == "any" else 600_000 if "sail" in algorithm else 1_000_000
    assert file.stat().st_size < most
    facts = read_facts(file)
    assert (facts["algorithm"], facts["data"]) == (algorithm.removeprefix("lazy-"), family)
    problems = [
        grid_problem(world) for world in GeneratedWorlds("mazes" if family == "any" else family, size=12, seed=99)
    ]
    if algorithm.startswith("lazy"):
        assert facts["settings"]["objective"] == "evaluations"
        believed, plain = (
            [search(problem, one).edge_evaluations for problem in problems] for one in (policy, LazyPolicy())
        )
        assert sum(believed) < sum(plain)
        return
    learned, euclidean = (
        [search(problem, one).expansions for problem in problems] for one in (policy, greedy("euclidean"))
    )
    assert sum(learned) < sum(euclidean)


def test_a_file_and_a_run_folder_are_policies(tmp_path: Path) -> None:
    policy = random_policy(0)
    save_policy(policy, tmp_path / "model.safetensors")
    for name in (tmp_path, tmp_path / "model.safetensors"):
        loaded = load_policy(str(name))
        assert isinstance(loaded, LearnedPolicy)
        assert loaded.features == policy.features


@pytest.mark.parametrize("spelling", ["A*", "a-star", "A_Star", " astar ", "a star"])
def test_spelling_is_forgiven(spelling: str) -> None:
    assert load_policy(spelling) == a_star()


@pytest.mark.parametrize(
    ("name", "weight"), [("weighted_a_star:3", 3.0), ("Weighted-A*:0.5", 0.5), ("weighted_a_star: 0", 0.0)]
)
def test_weighted_a_star_takes_its_weight(name: str, weight: float) -> None:
    assert load_policy(name) == weighted_a_star(weight)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("b_star", "no policy 'b_star'; there are lazy, optimistic, a_star, a_star_octile"),
        ("", "no policy ''"),
        ("sail", "no policy 'sail'; there are sail:alternating_gaps"),
        ("sail:oceans", "no policy 'sail:oceans'; there are sail:alternating_gaps"),
        ("lazy-belief", "no policy 'lazy-belief'; there are .*, lazy-belief:mazes"),
        ("lazy-belief:oceans", "no policy 'lazy-belief:oceans'; there are .*, lazy-belief:mazes"),
        ("nothing", "sail:FAMILY, belief:FAMILY, lazy-belief:FAMILY, and model files"),
        ("a_star:3", "'a_star:3': no number may follow this name, only lazy, weighted_a_star"),
        ("weighted_a_star:heavy", "the weight must be a finite number that is not negative"),
        ("weighted_a_star:-1", "the weight must be a finite number that is not negative"),
        ("weighted_a_star:nan", "the weight must be a finite number that is not negative"),
        ("weighted_a_star:inf", "the weight must be a finite number that is not negative"),
        ("smha_star:0.5", "the bound must be a finite number, at least 1"),
        ("lwa_star:0.5", "the weight must be a finite number, at least 1"),
        ("smha_star:much", "the bound must be a finite number, at least 1"),
    ],
)
def test_bad_names_are_refused(name: str, message: str) -> None:
    with pytest.raises(PolicyError, match=message):
        load_policy(name)


@pytest.mark.parametrize("name", ["nowhere/model", "gone.safetensors"])
def test_a_file_that_is_not_there_is_refused(name: str) -> None:
    with pytest.raises(ModelError, match="no such file"):
        load_policy(name)
