from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from sailplan.core import Limits, open_search, search
from sailplan.datasets import generate_world
from sailplan.graphs import GridGraph, Problem, grid_problem
from sailplan.policies.replanning.beliefs import Refresh
from sailplan.policies.replanning.beliefs.prior import Prior
from sailplan.policies.replanning.policy import ReplanningPolicy
from tests.policies.replanning.beliefs.random_networks import random_belief
from tests.same import assert_same_result
from tests.strategies import grid_problems


def _problem(size: int = 21) -> Problem:
    return grid_problem(generate_world("multiple_bugtraps", 7, 0, width=size, height=size))


def test_a_network_of_zeros_is_the_prior() -> None:
    problem = _problem()
    belief = random_belief(problem, seed=1, size=0.0)
    prior = Prior(belief.frame, belief.frequencies, belief.penalty)
    assert np.allclose(belief.multipliers(problem), prior.multipliers(problem), atol=1e-5)
    ours, theirs = (search(problem, ReplanningPolicy(one)) for one in (belief, prior))
    assert ours.trace.expanded.tolist() == theirs.trace.expanded.tolist()


@settings(max_examples=25)
@given(drawn=grid_problems(12, 12), seed=st.integers(0, 100), often=st.integers(1, 4))
def test_both_engines(drawn: tuple[Problem, GridGraph], seed: int, often: int) -> None:
    problem, _ = drawn
    policy = ReplanningPolicy(replace(random_belief(problem, seed), refresh=Refresh(often, often)))
    results = [search(problem, policy, engine=engine) for engine in ("reference", "compiled")]
    assert_same_result(results[0], results[1])


def test_what_is_known_changes_what_is_believed_but_free_is_free() -> None:
    problem = _problem()
    belief = random_belief(problem, seed=2)
    begun = open_search(problem, ReplanningPolicy(belief))
    begun.run(Limits(expansions=10))
    multipliers = belief.follow(problem).update(begun.state)
    assert np.all(multipliers[begun.state.expanded] == 1.0)
    unseen = begun.state.status == 0
    assert np.abs(multipliers - belief.multipliers(problem))[unseen].max() > 0.01


def test_in_another_frame_it_is_optimistic() -> None:
    policy = ReplanningPolicy(random_belief(_problem(21), seed=0))
    result = search(_problem(19), policy)
    assert "21 x 21 from" in result.notes[0].message
    assert_same_result(result, search(_problem(19), ReplanningPolicy()))
