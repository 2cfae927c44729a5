"""The compiled engine does what the reference engine does, vertex by vertex and to the last bit."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sailplan.graphs import ExplicitGraph, GridGraph, Problem
from sailplan.policies import CATALOGUE, HEURISTICS, BestFirst, Key, make_policy
from sailplan.search import Limits, Policy, StopRule, open_search
from tests.same import assert_same_result, assert_same_state
from tests.strategies import explicit_problems, grid_problems

BUDGETS = st.one_of(st.none(), st.integers(0, 300))
KEYS = st.builds(
    Key,
    heuristic=st.sampled_from(list(HEURISTICS)),
    cost_weight=st.sampled_from([0.0, 0.3, 1.0]),
    heuristic_weight=st.sampled_from([0.0, 0.7, 1.0, 1e308]),
)


def _assert_engines_agree(problem: Problem, policy: Policy, stop: StopRule, budget: int | None) -> None:
    reference = open_search(problem, policy, stop=stop, engine="reference")
    fused = open_search(problem, policy, stop=stop, engine="fused")
    assert_same_result(reference.run(Limits(expansions=budget)), fused.run(Limits(expansions=budget)))
    assert_same_state(reference.state, fused.state)


@pytest.mark.parametrize("name", CATALOGUE)
@settings(max_examples=40)
@given(drawn=grid_problems(), stop=st.sampled_from(StopRule), budget=BUDGETS)
def test_on_grids(name: str, drawn: tuple[Problem, GridGraph], stop: StopRule, budget: int | None) -> None:
    _assert_engines_agree(drawn[0], make_policy(name), stop, budget)


@pytest.mark.parametrize("name", CATALOGUE)
@settings(max_examples=40)
@given(drawn=explicit_problems(), stop=st.sampled_from(StopRule), budget=BUDGETS)
def test_on_explicit_graphs(
    name: str, drawn: tuple[Problem, ExplicitGraph], stop: StopRule, budget: int | None
) -> None:
    _assert_engines_agree(drawn[0], make_policy(name), stop, budget)


@settings(max_examples=100)
@given(
    drawn=st.one_of(grid_problems(12, 12), explicit_problems()),
    keys=st.lists(KEYS, min_size=1, max_size=4),
    stop=st.sampled_from(StopRule),
)
def test_with_any_queues(drawn: tuple[Problem, GridGraph | ExplicitGraph], keys: list[Key], stop: StopRule) -> None:
    _assert_engines_agree(drawn[0], BestFirst(tuple(keys)), stop, None)
