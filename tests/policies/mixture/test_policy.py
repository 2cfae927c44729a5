from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sailplan.core import Policy, StopRule, search
from sailplan.core.kernel.random import draw
from sailplan.core.search import EngineName
from sailplan.errors import PolicyError
from sailplan.graphs import GridGraph, Problem
from sailplan.policies import OraclePolicy, a_star, bfws, greedy, mha_star
from sailplan.policies.mixture.policy import MixturePolicy, OneOfMany
from sailplan.policies.replanning import optimistic
from sailplan.testing import check_policy, draw_problem, random_problem
from tests.learned_policies import RULES, random_policy, weighted_columns
from tests.same import assert_same_result
from tests.strategies import grid_problems

SEEDS = st.integers(0, 2**32 - 1)
both_engines = pytest.mark.parametrize("engine", ["reference", "compiled"])


@both_engines
@pytest.mark.parametrize("rescore", RULES)
@settings(max_examples=10)
@given(drawn=grid_problems(12, 12), seed=SEEDS)
def test_a_coin_that_never_falls_the_other_way(
    engine: EngineName, rescore: str, drawn: tuple[Problem, GridGraph], seed: int
) -> None:
    first, second = OraclePolicy(), random_policy(seed, "relative", rescore)
    for probability, alone in ((1.0, first), (0.0, second)):
        mixed = search(drawn[0], MixturePolicy(first, second, probability, seed), engine=engine)
        assert_same_result(mixed, search(drawn[0], alone, engine=engine))


def _who_selects(problem: Problem, seed: int, probability: float) -> list[bool]:
    """Say of each step of a mixture whether the first policy selected: it goes left, the other goes right."""
    mixture = MixturePolicy(weighted_columns(x=1.0), weighted_columns(x=-1.0), probability, seed)
    result = search(problem, mixture, stop=StopRule.GOAL_EXPANDED, engine="compiled")
    start = problem.start
    return [vertex < start for vertex in result.trace.expanded.tolist()[1:]]


def test_each_step_has_the_coin_of_its_number() -> None:
    # A corridor to both sides, with the goal out of reach: left and right are each taken in their turn.
    problem = draw_problem("." * 200 + "S" + "." * 200 + "#G")
    for probability in (0.25, 0.5, 0.75):
        steps = _who_selects(problem, 7, probability)[:200]
        assert steps == [draw(7, step) < probability for step in range(1, 201)]
        deviation = (200 * probability * (1 - probability)) ** 0.5
        assert abs(sum(steps) - 200 * probability) < 4 * deviation


def test_another_seed_is_another_search() -> None:
    problem = random_problem(np.random.default_rng(5), largest=30)
    orders = {
        tuple(search(problem, MixturePolicy(greedy("euclidean"), greedy("zero"), 0.5, seed)).trace.expanded.tolist())
        for seed in range(8)
    }
    assert len(orders) > 4


@both_engines
@pytest.mark.parametrize("seed", [0, 1, 2**63 - 1])
def test_with_a_policy_that_follows_costs(seed: int, engine: EngineName) -> None:
    problem = random_problem(np.random.default_rng(5), largest=30)
    mixture = MixturePolicy(a_star(), OraclePolicy(), 0.5, seed, stop=StopRule.GOAL_EXPANDED)
    assert_same_result(search(problem, mixture, engine=engine), search(problem, mixture, engine="reference"))
    assert search(problem, mixture, engine=engine).found


def test_policies_of_several_queues_and_mixtures_mix_in_both_engines() -> None:
    rng = np.random.default_rng(3)
    inner = MixturePolicy(greedy("zero"), mha_star(), 0.5, 2)
    for mixture in (MixturePolicy(mha_star(), greedy("euclidean"), 0.5, 1), MixturePolicy(inner, bfws(), 0.5, 1)):
        for _ in range(10):
            problem = random_problem(rng)
            result = search(problem, mixture)
            assert result.engine == "compiled"
            assert_same_result(result, search(problem, mixture, engine="reference"))


def test_a_policy_that_needs_python_meanwhile_mixes_in_the_reference_engine() -> None:
    mixture = MixturePolicy(optimistic(), greedy("euclidean"), 0.5, 1)
    assert search(draw_problem("S..G"), mixture).engine == "reference"


@pytest.mark.parametrize("probability", [0.0, 0.3, 1.0])
def test_the_contract_is_kept(probability: float) -> None:
    rng = np.random.default_rng(0)
    problems = [random_problem(rng, largest=12) for _ in range(5)]
    check_policy(MixturePolicy(greedy("euclidean"), random_policy(3), probability, 5), problems)
    check_policy(OneOfMany((greedy("euclidean"), random_policy(3), random_policy(4)), 5), problems)


def test_what_cannot_be_a_mixture() -> None:
    for probability in (-0.1, 1.1, math.nan):
        with pytest.raises(PolicyError, match="a probability must be between 0 and 1"):
            MixturePolicy(greedy("zero"), greedy("zero"), probability, 0)
    for seed in (-1, 2**63):
        with pytest.raises(PolicyError, match=r"a seed must be between 0 and 2\^63"):
            MixturePolicy(greedy("zero"), greedy("zero"), 0.5, seed)
    with pytest.raises(PolicyError, match="at least one policy"):
        OneOfMany(())


def _problems(count: int) -> list[Problem]:
    problem = draw_problem("S..\n.#.\n..G")
    return [replace(problem, name=f"world {number}") for number in range(count)]


@both_engines
def test_one_of_many_searches_as_the_one_that_is_drawn(engine: EngineName) -> None:
    policies: tuple[Policy, ...] = tuple(random_policy(seed, "relative") for seed in range(4))
    many = OneOfMany(policies, 3)
    for problem in _problems(10):
        assert many.drawn(problem) in policies
        assert_same_result(search(problem, many, engine=engine), search(problem, many.drawn(problem), engine=engine))


def test_the_draw_is_fair_and_depends_on_the_problem_and_the_seed_alone() -> None:
    policies = tuple(greedy("zero") for _ in range(5))
    one, other = OneOfMany(policies, 1), OneOfMany(policies, 1)
    problems = _problems(2000)
    places = [next(place for place, each in enumerate(policies) if each is one.drawn(at)) for at in problems]
    assert places == [next(place for place, each in enumerate(policies) if each is other.drawn(at)) for at in problems]
    assert all(abs(count - 400) < 5 * (2000 * 0.2 * 0.8) ** 0.5 for count in Counter(places).values())
    assert len(Counter(places)) == 5
    again = [OneOfMany(policies, 2).drawn(at) is one.drawn(at) for at in problems]
    assert 300 < sum(again) < 500
