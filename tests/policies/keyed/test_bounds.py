from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sailplan.core import StopRule, search
from sailplan.graphs import ExplicitGraph, GridGraph, Problem
from sailplan.policies import HEURISTICS, BestFirst, Key, a_star, dijkstra, greedy, mha_star, weighted_a_star
from sailplan.policies.keyed.bounds import never_overestimates
from sailplan.testing import draw_problem
from tests.naive.dijkstra import cost_to_go
from tests.strategies import explicit_problems, grid_problems

PROBLEMS = st.one_of(grid_problems(12, 15), grid_problems(10, 12, terrain=True), explicit_problems(25))
Drawn = tuple[Problem, GridGraph | ExplicitGraph]


def _long_enough(drawn: tuple[Problem, ExplicitGraph]) -> tuple[Problem, ExplicitGraph]:
    """Return the problem with edges that cost at least their length."""
    problem, graph = drawn
    rows = graph.rows
    sources = np.repeat(np.arange(graph.vertex_count), np.diff(rows.first))
    lengths = np.linalg.norm(rows.coordinates[sources] - rows.coordinates[rows.targets], axis=1)
    other = ExplicitGraph(rows._replace(costs=rows.costs + lengths))
    return Problem(other, problem.start, problem.goal), other


@settings(max_examples=300)
@given(
    st.one_of(PROBLEMS, explicit_problems(25).map(_long_enough)),
    st.sampled_from(list(HEURISTICS)),
    st.sampled_from([0.0, 0.5, 1.0]),
    st.sampled_from([0.0, 0.5, 1.0, 2.0, 11.0]),
)
def test_a_bound_that_is_claimed_holds(drawn: Drawn, heuristic: str, cost: float, weight: float) -> None:
    problem, graph = drawn
    policy = BestFirst((Key(heuristic, cost, weight),))
    result = search(problem, policy, stop=StopRule.GOAL_EXPANDED)
    if result.found and result.bound < math.inf:
        costs = cost_to_go(graph, range(graph.vertex_count), problem.goal)
        assert result.cost <= result.bound * costs[problem.start] + 1e-9


@settings(max_examples=40)
@given(explicit_problems(25).map(_long_enough))
def test_lengths_as_costs_prove_the_euclidean_distance(drawn: tuple[Problem, ExplicitGraph]) -> None:
    assert never_overestimates("euclidean", drawn[0])


def test_which_policies_prove_a_bound() -> None:
    grid = draw_problem("S.#G ....")
    assert search(grid, dijkstra()).bound == 1.0
    assert search(grid, a_star("octile")).bound == search(grid, a_star()).bound == 1.0
    assert search(grid, weighted_a_star(3.0, "octile"), stop=StopRule.GOAL_EXPANDED).bound == 3.0
    assert search(grid, weighted_a_star(0.5, "octile"), stop=StopRule.GOAL_EXPANDED).bound == 1.0
    for policy in (a_star("manhattan"), greedy("octile"), mha_star()):
        assert search(grid, policy, stop=StopRule.GOAL_EXPANDED).bound == math.inf
    assert search(grid, weighted_a_star(3.0, "octile")).bound == math.inf


@pytest.mark.parametrize("heuristic", ["octile", "euclidean"])
def test_nothing_is_known_about_edges_shorter_than_their_length(heuristic: str) -> None:
    graph = ExplicitGraph.from_edges(2, [(0, 1, 1.0)], coordinates=[(0, 0), (3, 0)])
    assert search(Problem(graph, 0, 1), a_star(heuristic)).bound == math.inf
    assert not never_overestimates("euclidean", Problem(ExplicitGraph.from_edges(2, [(0, 1, 1.0)]), 0, 1))
