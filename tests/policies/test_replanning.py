from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sailplan.beliefs import Belief, Optimistic, Refresh
from sailplan.graphs import ExplicitGraph, GridGraph, Problem
from sailplan.graphs.graph import FloatArray, is_finite
from sailplan.policies.replanning import ReplanningPolicy
from sailplan.search import SearchState, StopRule, search
from sailplan.search.run import EngineName
from tests.naive.replanning import NaiveReplanning
from tests.same import assert_same_result
from tests.strategies import explicit_problems, grid_problems

both_engines = pytest.mark.parametrize("engine", ["reference", "fused"])
PROBLEMS = st.one_of(grid_problems(10, 10), explicit_problems(25))

TRAP = """
    .........
    ..#####..
    ......#..
    S.....#.G
    ......#..
    ..#####..
    .........
"""


@dataclass(frozen=True)
class Fickle:
    """A belief that charges otherwise whenever it is asked, up and down, and sometimes as before."""

    seed: int
    refresh: Refresh
    name: str = "fickle"
    silent_at_first: bool = False

    def misfit(self, problem: Problem) -> str:
        return ""

    def charges(self, problem: Problem) -> FloatArray | None:
        assert is_finite(problem.graph)
        return None if self.silent_at_first else self.draw(problem.graph.vertex_count, 0)

    def draw(self, count: int, expansions: int) -> FloatArray:
        rng = np.random.default_rng([self.seed, expansions])
        return rng.choice([0.001, 0.5, 1.0, 1.0, 1.0, 2.5, 40.0, np.inf, np.nan], count)

    def follow(self, problem: Problem) -> _FickleFollower:
        return _FickleFollower(self)


@dataclass(frozen=True)
class _FickleFollower:
    belief: Fickle

    def look(self, state: SearchState) -> FloatArray | None:
        if (state.expansions + self.belief.seed) % 3 == 0:
            return None
        # The state may have room for more vertices than there are.
        return self.belief.draw(len(state.status), state.expansions)


FICKLE = st.builds(
    Fickle,
    seed=st.integers(0, 1000),
    refresh=st.builds(Refresh, st.integers(1, 5), st.integers(1, 5)),
    silent_at_first=st.booleans(),
)


@dataclass(frozen=True)
class _Naive:
    belief: Belief
    stop: StopRule = StopRule.GOAL_GENERATED

    def open(self, problem: Problem, state: SearchState) -> NaiveReplanning:
        return NaiveReplanning(problem, state, self.belief)


@both_engines
@settings(max_examples=150)
@given(drawn=PROBLEMS, belief=st.one_of(st.just(Optimistic()), FICKLE), stop=st.sampled_from(StopRule))
def test_like_all_distances_from_scratch(
    engine: EngineName, drawn: tuple[Problem, GridGraph | ExplicitGraph], belief: Belief, stop: StopRule
) -> None:
    problem, _ = drawn
    result = search(problem, ReplanningPolicy(belief), stop=stop, engine=engine)
    naive = search(problem, _Naive(belief), stop=stop)
    assert result.trace.expanded.tolist() == naive.trace.expanded.tolist()
    assert (result.path, result.cost, result.outcome) == (naive.path, naive.cost, naive.outcome)


@settings(max_examples=60)
@given(drawn=PROBLEMS, belief=FICKLE, stop=st.sampled_from(StopRule))
def test_both_engines_with_a_belief_that_changes(
    drawn: tuple[Problem, GridGraph | ExplicitGraph], belief: Fickle, stop: StopRule
) -> None:
    policy = ReplanningPolicy(belief)
    results = [search(drawn[0], policy, stop=stop, engine=engine) for engine in ("reference", "fused")]
    assert_same_result(results[0], results[1])
