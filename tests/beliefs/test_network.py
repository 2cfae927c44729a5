from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.numpy import load_file, save_file

from sailplan.beliefs import Refresh
from sailplan.beliefs.charging import Charging
from sailplan.beliefs.network import load_network_belief, save_network_belief
from sailplan.beliefs.prior import Prior
from sailplan.errors import BeliefWarning, ModelError, PolicyError
from sailplan.graphs import GridGraph, Problem, grid_problem
from sailplan.policies.replanning import ReplanningPolicy
from sailplan.search import Limits, open_search, search
from sailplan.worlds import generate_world
from tests.beliefs.random_networks import random_belief
from tests.same import assert_same_result
from tests.strategies import grid_problems


def _problem(size: int = 21) -> Problem:
    return grid_problem(generate_world("multiple_bugtraps", 7, 0, width=size, height=size))


def test_a_network_of_zeros_is_the_prior() -> None:
    problem = _problem()
    belief = random_belief(problem, seed=1, size=0.0)
    prior = Prior(belief.frame, belief.frequencies, belief.charging)
    assert np.allclose(belief.charges(problem), prior.charges(problem), atol=1e-5)
    ours, theirs = (search(problem, ReplanningPolicy(one)) for one in (belief, prior))
    assert ours.trace.expanded.tolist() == theirs.trace.expanded.tolist()


@settings(max_examples=25)
@given(drawn=grid_problems(12, 12), seed=st.integers(0, 100), often=st.integers(1, 4))
def test_both_engines(drawn: tuple[Problem, GridGraph], seed: int, often: int) -> None:
    problem, _ = drawn
    policy = ReplanningPolicy(replace(random_belief(problem, seed), refresh=Refresh(often, often)))
    results = [search(problem, policy, engine=engine) for engine in ("reference", "fused")]
    assert_same_result(results[0], results[1])


def test_what_is_known_changes_what_is_believed_but_free_is_free() -> None:
    problem = _problem()
    belief = random_belief(problem, seed=2)
    begun = open_search(problem, ReplanningPolicy(belief))
    begun.run(Limits(expansions=10))
    charges = belief.follow(problem).look(begun.state)
    assert np.all(charges[begun.state.expanded] == 1.0)
    unseen = begun.state.status == 0
    assert np.abs(charges - belief.charges(problem))[unseen].max() > 0.01


def test_only_walls_that_it_is_sure_of_beside_the_prior() -> None:
    problem = _problem()
    belief = replace(random_belief(problem, seed=2), steady=Charging(2.0), sure=0.6)
    likely = belief.probabilities(np.zeros(441, np.uint8))
    walls, prior = belief.charging.of(likely), 1.0 + 2.0 * belief.frequencies
    assert 0 < np.count_nonzero(likely >= 0.6) < 441
    assert np.allclose(belief.charges(problem), np.where(likely >= 0.6, prior + walls - 1.0, prior))
    with pytest.raises(PolicyError, match="sure"):
        replace(belief, sure=1.5)


def test_another_frame_charges_nothing() -> None:
    policy = ReplanningPolicy(random_belief(_problem(21), seed=0))
    with pytest.warns(BeliefWarning, match="21 x 21 from"):
        result = search(_problem(19), policy)
    assert_same_result(result, search(_problem(19), ReplanningPolicy()))


def test_saved_and_loaded(tmp_path: Path) -> None:
    problem = _problem()
    steady = Charging(2.0, 0.5, 0.9)
    belief = replace(random_belief(problem, seed=3), refresh=Refresh(7, 5), steady=steady, sure=0.6)
    save_network_belief(belief, tmp_path / "belief.safetensors")
    again = load_network_belief(tmp_path / "belief.safetensors")
    assert again == belief
    assert np.array_equal(again.charges(problem), belief.charges(problem))


@pytest.mark.parametrize(
    ("name", "tensor"),
    [
        ("frame", [21, 20, 0, 0, 20, 20]),
        ("frame", [-21, -21, 0, 0, 20, 20]),
        ("pixels", [3, 1, 3]),
        ("pixels", [2, 1, 3, 1]),
        ("refresh", [0, 5]),
        ("charging", [[0.0, -1.0, 0.5], [0.0, 0.0, 0.0]]),
        ("sure", [2.0]),
        ("frequencies", [2.0] * 441),
        ("weights.0", [[1.0]]),
    ],
)
def test_a_wrong_file_is_one_clear_line(tmp_path: Path, name: str, tensor: list[object]) -> None:
    path = tmp_path / "belief.safetensors"
    save_network_belief(random_belief(_problem(), seed=3), path)
    tensors = load_file(path)
    save_file({**tensors, name: np.array(tensor, tensors[name].dtype)}, path)
    with pytest.raises(ModelError, match=r"belief.safetensors: not the network of a belief, or a damaged one \(.*\)$"):
        load_network_belief(path)


def test_damaged_and_missing_files(tmp_path: Path) -> None:
    path = tmp_path / "belief.safetensors"
    save_network_belief(random_belief(_problem(), seed=3), path)
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(ModelError, match="damaged"):
        load_network_belief(path)
    with pytest.raises(ModelError, match="no such file"):
        load_network_belief(tmp_path / "none")
