"""The compiled engine does what the reference engine does, vertex by vertex and to the last bit."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sailplan.core import Limits, Policy, StopRule, open_search
from sailplan.graphs import ExplicitGraph, GridGraph, Problem
from sailplan.policies import CATALOGUE, HEURISTICS, BestFirst, Key, OraclePolicy, WidthPolicy, load_policy
from sailplan.policies.features import PRESETS
from sailplan.policies.mixture.policy import MixturePolicy
from tests.learned_policies import RULES, random_policy
from tests.same import assert_same_result, assert_same_state
from tests.strategies import ON_ANY_GRAPH, explicit_problems, grid_problems

SEEDS = st.integers(0, 2**32 - 1)
BUDGETS = st.one_of(st.none(), st.integers(0, 300))
KEYS = st.builds(
    Key,
    heuristic=st.sampled_from(list(HEURISTICS)),
    cost_weight=st.sampled_from([0.0, 0.3, 1.0]),
    heuristic_weight=st.sampled_from([0.0, 0.7, 1.0, 1e100]),
)


def _assert_engines_agree(problem: Problem, policy: Policy, stop: StopRule, budget: int | None) -> None:
    reference = open_search(problem, policy, stop=stop, engine="reference")
    compiled = open_search(problem, policy, stop=stop, engine="compiled")
    assert_same_result(reference.run(Limits(expansions=budget)), compiled.run(Limits(expansions=budget)))
    assert_same_state(reference.state, compiled.state)


@pytest.mark.parametrize("name", CATALOGUE)
@settings(max_examples=40)
@given(drawn=grid_problems(), stop=st.sampled_from(StopRule), budget=BUDGETS)
def test_on_grids(name: str, drawn: tuple[Problem, GridGraph], stop: StopRule, budget: int | None) -> None:
    _assert_engines_agree(drawn[0], load_policy(name), stop, budget)


@pytest.mark.parametrize("name", ["dijkstra", "a_star_octile", "h_euc", "mha_star", "bfws", "optimistic", "sail:mazes"])
@settings(max_examples=40)
@given(drawn=grid_problems(20, 25, terrain=True), stop=st.sampled_from(StopRule), budget=BUDGETS)
def test_on_terrain(name: str, drawn: tuple[Problem, GridGraph], stop: StopRule, budget: int | None) -> None:
    _assert_engines_agree(drawn[0], load_policy(name), stop, budget)


@pytest.mark.parametrize("name", ON_ANY_GRAPH)
@settings(max_examples=40)
@given(drawn=explicit_problems(), stop=st.sampled_from(StopRule), budget=BUDGETS)
def test_on_explicit_graphs(
    name: str, drawn: tuple[Problem, ExplicitGraph], stop: StopRule, budget: int | None
) -> None:
    _assert_engines_agree(drawn[0], load_policy(name), stop, budget)


@settings(max_examples=100)
@given(
    drawn=st.one_of(grid_problems(12, 12), explicit_problems()),
    keys=st.lists(KEYS, min_size=1, max_size=4),
    stop=st.sampled_from(StopRule),
)
def test_with_any_queues(drawn: tuple[Problem, GridGraph | ExplicitGraph], keys: list[Key], stop: StopRule) -> None:
    _assert_engines_agree(drawn[0], BestFirst(tuple(keys)), stop, None)


@pytest.mark.parametrize("heuristic", ["zero", "manhattan", "octile"])
@settings(max_examples=40)
@given(drawn=st.one_of(grid_problems(20, 25), explicit_problems()), stop=st.sampled_from(StopRule), budget=BUDGETS)
def test_with_novelty(
    heuristic: str, drawn: tuple[Problem, GridGraph | ExplicitGraph], stop: StopRule, budget: int | None
) -> None:
    _assert_engines_agree(drawn[0], WidthPolicy(heuristic), stop, budget)


@pytest.mark.parametrize("rescore", RULES)
@pytest.mark.parametrize("features", PRESETS)
@settings(max_examples=25)
@given(drawn=grid_problems(20, 25), seed=SEEDS, stop=st.sampled_from(StopRule), budget=BUDGETS)
def test_with_learned_scores_on_grids(
    features: str, rescore: str, drawn: tuple[Problem, GridGraph], seed: int, stop: StopRule, budget: int | None
) -> None:
    _assert_engines_agree(drawn[0], random_policy(seed, features, rescore), stop, budget)


@pytest.mark.parametrize("rescore", RULES)
@pytest.mark.parametrize("features", ["paper17", "relative"])
@settings(max_examples=25)
@given(drawn=explicit_problems(dimensions=2), seed=SEEDS, stop=st.sampled_from(StopRule), budget=BUDGETS)
def test_with_learned_scores_on_explicit_graphs(
    features: str, rescore: str, drawn: tuple[Problem, ExplicitGraph], seed: int, stop: StopRule, budget: int | None
) -> None:
    _assert_engines_agree(drawn[0], random_policy(seed, features, rescore), stop, budget)


@pytest.mark.parametrize("rescore", RULES)
@pytest.mark.parametrize("features", PRESETS)
@settings(max_examples=15)
@given(drawn=grid_problems(12, 15), seed=SEEDS, share=st.floats(0.0, 1.0), stop=st.sampled_from(StopRule))
def test_with_a_mixture_on_grids(
    features: str, rescore: str, drawn: tuple[Problem, GridGraph], seed: int, share: float, stop: StopRule
) -> None:
    policy = MixturePolicy(OraclePolicy(), random_policy(seed, features, rescore), share, seed)
    _assert_engines_agree(drawn[0], policy, stop, None)


@pytest.mark.parametrize("rescore", RULES)
@settings(max_examples=15)
@given(drawn=explicit_problems(dimensions=2), seed=SEEDS, share=st.floats(0.0, 1.0), stop=st.sampled_from(StopRule))
def test_with_a_mixture_on_explicit_graphs(
    rescore: str, drawn: tuple[Problem, ExplicitGraph], seed: int, share: float, stop: StopRule
) -> None:
    policy = MixturePolicy(OraclePolicy(), random_policy(seed, "paper17", rescore), share, seed)
    _assert_engines_agree(drawn[0], policy, stop, None)


@settings(max_examples=40)
@given(
    drawn=grid_problems(12, 15), seed=SEEDS, rules=st.tuples(st.sampled_from(RULES), st.sampled_from(RULES)), by=SEEDS
)
def test_with_a_mixture_of_two_learned_policies(
    drawn: tuple[Problem, GridGraph], seed: int, rules: tuple[str, str], by: int
) -> None:
    first, second = (random_policy(seed + turn, "relative", rule) for turn, rule in enumerate(rules))
    _assert_engines_agree(drawn[0], MixturePolicy(first, second, 0.5, by), StopRule.GOAL_EXPANDED, None)


@pytest.mark.parametrize("rescore", RULES)
@settings(max_examples=15)
@given(drawn=grid_problems(10, 12), seed=SEEDS, steps=st.lists(st.integers(1, 20), max_size=10))
def test_with_learned_scores_in_a_search_by_steps(
    rescore: str, drawn: tuple[Problem, GridGraph], seed: int, steps: list[int]
) -> None:
    policy = random_policy(seed, "relative", rescore)
    by_steps = open_search(drawn[0], policy, stop=StopRule.GOAL_EXPANDED, engine="compiled")
    for expansions in sorted(steps):
        by_steps.run(Limits(expansions=expansions))
    at_once = open_search(drawn[0], policy, stop=StopRule.GOAL_EXPANDED, engine="reference")
    assert_same_result(by_steps.run(), at_once.run())
