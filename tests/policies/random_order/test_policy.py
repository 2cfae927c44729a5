from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sailplan.core import Limits, StopRule, search
from sailplan.errors import PolicyError
from sailplan.graphs import ExplicitGraph, GridGraph, Problem
from sailplan.policies import RandomPolicy, epsilon_greedy, greedy
from tests.learned_policies import RULES, random_policy
from tests.same import assert_same_result
from tests.strategies import explicit_problems, grid_problems

SEEDS = st.integers(0, 2**32 - 1)


def _star(leaves: int) -> Problem:
    """A start with so many neighbours, none of which leads on; the goal is out of reach."""
    edges = [(0, leaf, 1.0) for leaf in range(1, leaves + 1)]
    places = [(float(vertex), 0.0) for vertex in range(leaves + 2)]
    return Problem(ExplicitGraph.from_edges(leaves + 2, edges, coordinates=places), 0, leaves + 1)


@pytest.mark.parametrize("engine", ["reference", "compiled"])
def test_each_open_vertex_is_as_likely_as_the_others(engine: str) -> None:
    problem, trials = _star(4), 4000
    orders = Counter(
        tuple(search(problem, RandomPolicy(seed), engine=engine).trace.expanded.tolist()[1:])  # type: ignore[arg-type]
        for seed in range(trials if engine == "compiled" else 400)
    )
    assert all(sorted(order) == [1, 2, 3, 4] for order in orders)
    if engine == "compiled":
        expected = trials / 24
        assert len(orders) == 24
        assert all(abs(count - expected) < 5 * expected**0.5 for count in orders.values())


def test_the_same_seed_is_the_same_search() -> None:
    problem = _star(30)
    traces = [search(problem, RandomPolicy(seed)).trace.expanded.tolist() for seed in (1, 1, 2)]
    assert traces[0] == traces[1] != traces[2]


@pytest.mark.parametrize("rescore", RULES)
@settings(max_examples=15)
@given(
    drawn=st.one_of(grid_problems(12, 15), explicit_problems(20, dimensions=2)),
    seed=SEEDS,
    share=st.floats(0.0, 1.0),
    stop=st.sampled_from(StopRule),
)
def test_random_steps_between_those_of_a_policy_in_both_engines(
    rescore: str, drawn: tuple[Problem, GridGraph | ExplicitGraph], seed: int, share: float, stop: StopRule
) -> None:
    policy = epsilon_greedy(random_policy(seed, "relative", rescore), share, seed)
    results = [search(drawn[0], policy, stop=stop, engine=engine) for engine in ("reference", "compiled")]
    assert_same_result(*results)


def test_without_exploration_it_is_the_policy_itself() -> None:
    problem = _star(10)
    alone = search(problem, greedy("euclidean"), Limits(6))
    assert search(problem, epsilon_greedy(greedy("euclidean"), 0.0, 3), Limits(6)).trace.expanded.tolist() == (
        alone.trace.expanded.tolist()
    )
    explored = search(problem, epsilon_greedy(greedy("euclidean"), 1.0, 3), Limits(6))
    assert explored.trace.expanded.tolist() != alone.trace.expanded.tolist()


@pytest.mark.parametrize("seed", [-1, 2**63])
def test_a_seed_that_no_kernel_can_take(seed: int) -> None:
    with pytest.raises(PolicyError, match=f"a seed must be between 0 and 2\\^63, got {seed}"):
        RandomPolicy(seed)
