from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sailplan.core import SearchState, open_search, search
from sailplan.datasets import World
from sailplan.errors import PolicyError
from sailplan.graphs import PAPER_MOVES, ExplicitGraph, GridGraph, Moves, Problem, grid_problem
from sailplan.oracle import cost_to_go
from sailplan.policies import HEURISTICS, Key, a_star
from sailplan.policies.keyed.heuristics import octile
from sailplan.testing import draw_problem
from tests.strategies import DEAR_DIAGONALS, FOUR_CONNECTED, UNIT_DIAGONALS, grid_problems

EXACT_MOVES = (PAPER_MOVES, UNIT_DIAGONALS, FOUR_CONNECTED, DEAR_DIAGONALS, Moves(diagonal_cost=1.75))
PICTURE = """
    ...G
    .#..
    S...
"""


def _estimates(problem: Problem, name: str, vertices: Sequence[int]) -> list[float]:
    return HEURISTICS[name].open(problem, SearchState(20))(vertices)


def test_distances_to_the_goal() -> None:
    problem = draw_problem(PICTURE)
    assert _estimates(problem, "zero", [0, 11]) == [0.0, 0.0]
    assert _estimates(problem, "euclidean", [0, 8, 11]) == [math.sqrt(13.0), 3.0, 0.0]
    assert _estimates(problem, "manhattan", [0, 8, 11]) == [5.0, 3.0, 0.0]
    assert _estimates(problem, "octile", [0, 8, 11]) == pytest.approx([1.0 + 2.0 * math.sqrt(2.0), 3.0, 0.0])


def test_distances_in_space() -> None:
    graph = ExplicitGraph.from_edges(2, [], coordinates=[[1.0, 2.0, 3.0], [0.0, 0.0, 0.0]])
    problem = Problem(graph, 0, 1)
    assert _estimates(problem, "euclidean", [0]) == [math.sqrt(14.0)]
    assert _estimates(problem, "manhattan", [0]) == [6.0]
    # One move through space, one in the plane, one straight.
    assert _estimates(problem, "octile", [0]) == pytest.approx([math.sqrt(3.0) + math.sqrt(2.0) + 1.0])


@pytest.mark.parametrize("moves", EXACT_MOVES)
@given(shape=st.tuples(st.integers(2, 9), st.integers(2, 9)), data=st.data())
def test_octile_is_the_distance_on_an_empty_grid(moves: Moves, shape: tuple[int, int], data: st.DataObject) -> None:
    goal = data.draw(st.tuples(st.integers(0, shape[1] - 1), st.integers(0, shape[0] - 1)))
    problem = grid_problem(World(np.zeros(shape, np.bool_)), (0, 0), goal, moves)
    estimates = octile(problem, SearchState(0))(range(shape[0] * shape[1]))
    assert estimates == pytest.approx(cost_to_go(problem).tolist(), rel=1e-12)


@given(grid_problems(15, 15))
def test_a_star_with_octile_is_optimal_whatever_the_moves(drawn: tuple[Problem, GridGraph]) -> None:
    problem, _ = drawn
    assert search(problem, a_star("octile")).cost == pytest.approx(cost_to_go(problem)[problem.start], rel=1e-12)


def test_the_distance_to_known_obstacles() -> None:
    problem = draw_problem(PICTURE)
    session = open_search(problem, a_star())
    obstacle = HEURISTICS["obstacle"].open(problem, session.state)
    assert obstacle([0, 3]) == [1e9, 1e9]
    session.state.forbid([5], [])
    assert obstacle([0, 1, 3, 11]) == [math.sqrt(2.0), 1.0, math.sqrt(5.0), math.sqrt(5.0)]
    session.state.forbid([10], [])
    assert obstacle([0, 1, 3, 11]) == [math.sqrt(2.0), 1.0, math.sqrt(5.0), 1.0]
    clearance = HEURISTICS["clearance"].open(problem, session.state)
    assert clearance([0, 1, 3, 11]) == [-math.sqrt(2.0), -1.0, -math.sqrt(5.0), -1.0]


def test_a_key_weighs_cost_and_estimate() -> None:
    problem, state = draw_problem(PICTURE), SearchState(12)
    state.arrays.cost[8] = 7.0
    assert Key("manhattan", cost_weight=2.0, heuristic_weight=10.0).score(problem, state)([8]) == [44.0]
    assert Key("manhattan", cost_weight=2.0, heuristic_weight=0.0).score(problem, state)([8]) == [14.0]
    assert Key("manhattan").score(problem, state)([8]) == [3.0]


def test_only_a_distance_that_counts_needs_coordinates() -> None:
    assert Key("obstacle").needs_coordinates
    assert not Key("zero", cost_weight=1.0).needs_coordinates
    assert not Key("euclidean", heuristic_weight=0.0).needs_coordinates


@pytest.mark.parametrize("weight", [-1.0, math.inf, math.nan])
def test_bad_keys_are_refused(weight: float) -> None:
    with pytest.raises(PolicyError, match="the weights of a key must be finite and not negative"):
        Key(cost_weight=weight)
    with pytest.raises(PolicyError, match="the weights of a key must be finite and not negative"):
        Key(heuristic_weight=weight)
    with pytest.raises(PolicyError, match="no heuristic 'straight'; there are zero, euclidean, manhattan"):
        Key("straight")
