from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sailplan.core import StopRule, search
from sailplan.errors import PolicyError
from sailplan.graphs import MOVINGAI_MOVES, PAPER_MOVES, ExplicitGraph, GridGraph, Problem
from sailplan.oracle import cost_to_go
from sailplan.policies import BestFirst, Key, a_star, breadth_first, dijkstra, greedy, weighted_a_star
from sailplan.testing import draw_problem
from tests.strategies import FOUR_CONNECTED, UNIT_DIAGONALS, explicit_problems, grid_problems

# The goal is two to the right of the start, behind a wall.
WALL = """
    .....
    ..#..
    .S#G.
    ..#..
"""


def _order(policy: BestFirst, picture: str = WALL) -> list[tuple[int, int]]:
    problem = draw_problem(picture, FOUR_CONNECTED)
    assert isinstance(problem.graph, GridGraph)
    return [problem.graph.cell(vertex) for vertex in search(problem, policy).trace.expanded]


def test_the_keys_of_the_recipes() -> None:
    assert breadth_first() == BestFirst((Key("zero", 0.0),), StopRule.GOAL_GENERATED)
    assert dijkstra() == BestFirst((Key("zero", 1.0),), StopRule.GOAL_EXPANDED)
    assert a_star() == BestFirst((Key("euclidean", 1.0),), StopRule.GOAL_EXPANDED)
    assert weighted_a_star(3.0) == BestFirst((Key("euclidean", 1.0, 3.0),), StopRule.GOAL_GENERATED)
    assert greedy("manhattan") == BestFirst((Key("manhattan", 0.0),), StopRule.GOAL_GENERATED)


def test_greedy_goes_along_the_wall() -> None:
    # Up, left and down are 3 away and come in this order; then the first that is 4 away leads round the wall.
    assert _order(greedy("manhattan")) == [(1, 1), (1, 2), (0, 1), (1, 0), (1, 3), (2, 3), (3, 3), (3, 2)]


def test_dijkstra_goes_in_rings() -> None:
    order = _order(dijkstra())
    rings = [abs(x - 1) + abs(y - 1) for x, y in order]
    assert rings[:9] == [0, 1, 1, 1, 2, 2, 2, 3, 3]
    assert order[:4] == [(1, 1), (1, 2), (0, 1), (1, 0)]


def test_breadth_first_takes_them_as_they_come() -> None:
    # Up, left and down of the start, then what is new around each of these in the same order.
    assert _order(breadth_first())[:7] == [(1, 1), (1, 2), (0, 1), (1, 0), (1, 3), (0, 2), (0, 0)]


def test_breadth_first_keeps_the_place_of_a_vertex_that_gets_cheaper() -> None:
    graph = ExplicitGraph.from_edges(5, [(0, 1, 1.0), (0, 2, 9.0), (0, 3, 1.0), (1, 2, 1.0), (2, 4, 1.0)])
    result = search(Problem(graph, 0, 4), breadth_first(), stop=StopRule.GOAL_EXPANDED)
    assert result.trace.expanded.tolist() == [0, 1, 2, 3]
    assert result.path == (0, 1, 2, 4)


@given(grid_problems(15, 15, [FOUR_CONNECTED, UNIT_DIAGONALS]))
def test_breadth_first_takes_the_fewest_edges_where_all_cost_the_same(drawn: tuple[Problem, GridGraph]) -> None:
    problem, _ = drawn
    result = search(problem, breadth_first())
    assert not result.found or len(result.path) - 1 == cost_to_go(problem)[problem.start]


def test_a_star_goes_by_the_sum() -> None:
    problem = draw_problem("S.G\n...", FOUR_CONNECTED)
    # g + h of the cells, by hand: 2; then 1 + 1 for the right one, 1 + sqrt(5) for the one below.
    assert search(problem, a_star()).trace.expanded.tolist() == [3, 4]
    assert search(problem, dijkstra()).trace.expanded.tolist() == [3, 4, 0]


def test_weights_of_zero_and_infinity_are_dijkstra_and_greedy() -> None:
    assert _order(weighted_a_star(0.0)) == _order(BestFirst(dijkstra().keys))
    assert _order(weighted_a_star(1e9, "manhattan")) == _order(greedy("manhattan"))


@given(grid_problems(15, 15, [PAPER_MOVES, MOVINGAI_MOVES, FOUR_CONNECTED]))
def test_a_star_is_optimal_where_a_diagonal_costs_its_length_or_more(drawn: tuple[Problem, GridGraph]) -> None:
    problem, _ = drawn
    assert search(problem, a_star()).cost == pytest.approx(cost_to_go(problem)[problem.start], rel=1e-12)


@given(st.one_of(grid_problems(12, 12), explicit_problems()))
def test_dijkstra_is_optimal_everywhere(drawn: tuple[Problem, GridGraph | ExplicitGraph]) -> None:
    problem, _ = drawn
    assert search(problem, dijkstra()).cost == pytest.approx(cost_to_go(problem)[problem.start], rel=1e-12)


@given(grid_problems(15, 15, [PAPER_MOVES, MOVINGAI_MOVES, FOUR_CONNECTED]), st.sampled_from([1.0, 1.5, 3.0, 11.0]))
def test_weighted_a_star_keeps_its_bound_once_the_goal_is_expanded(
    drawn: tuple[Problem, GridGraph], weight: float
) -> None:
    problem, _ = drawn
    found = search(problem, weighted_a_star(weight), stop=StopRule.GOAL_EXPANDED).cost
    best = cost_to_go(problem)[problem.start]
    assert best <= found + 1e-9
    assert found <= weight * best + 1e-9 or best == found


def test_a_policy_without_keys_is_refused() -> None:
    with pytest.raises(PolicyError, match="a best-first policy needs a key"):
        BestFirst(())
