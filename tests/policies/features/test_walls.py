"""The detours round known walls, computed by hand on drawings."""

from __future__ import annotations

from math import hypot, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sailplan.core import SearchState
from sailplan.errors import FeatureError
from sailplan.graphs import ExplicitGraph, GridGraph, Moves, Problem
from sailplan.policies.features import feature_set
from sailplan.policies.features.walls import WALLS
from sailplan.testing import draw_problem
from tests.naive.walls import find_walls, straight_way
from tests.strategies import FOUR_CONNECTED

ASIDE = sqrt(2.0) - 1.0
"""What a step to the side adds on a way that goes straight otherwise."""


def _with_all_walls_known(problem: Problem) -> SearchState:
    graph = problem.graph
    assert isinstance(graph, GridGraph)
    state = SearchState(graph.vertex_count)
    state.begin(problem.start)
    state.forbid(np.flatnonzero(graph.world.blocked.reshape(-1)).tolist(), [])
    return state


def _row(picture: str, moves: Moves | None = None) -> list[float]:
    """Return the columns of the start, in cells."""
    problem = draw_problem(picture) if moves is None else draw_problem(picture, moves)
    graph = problem.graph
    assert isinstance(graph, GridGraph)
    (x, y), (goal_x, goal_y) = graph.cell(problem.start), graph.cell(problem.goal)
    row: list[float] = WALLS(problem, _with_all_walls_known(problem), [problem.start])[0].tolist()
    return [value * hypot(goal_x - x, goal_y - y) for value in row]


NOTHING_IN_THE_WAY = """
    ..#..
    S...G
    .#...
"""
A_WALL_IN_FRONT = """
    .......
    ...#...
    S..#..G
    ...#...
    .......
"""
A_WALL_FROM_THE_BORDER = """
    .......
    ...#...
    S..#..G
    ...#...
    ...#...
"""
A_WALL_ALL_ACROSS = """
    ...#...
    S..#..G
    ...#...
"""
TWO_WALLS = """
    ......#..
    ..#...#..
    S.#...#.G
    ..#...#..
    .........
"""
A_TRAP_MET_TWICE = """
    .........
    ..#####..
    S.#...#.G
    ..#...#..
    .........
"""
THE_GOAL_BESIDE = """
    ..#.
    .SG#
    .###
"""


@pytest.mark.parametrize(
    ("picture", "expected"),
    [
        pytest.param(NOTHING_IN_THE_WAY, [4.0, 0.0, 0.0, 0.0, 4.0], id="nothing in the way"),
        pytest.param(A_WALL_IN_FRONT, [6.0, 2 * ASIDE, 2 * ASIDE, 2 * ASIDE, 3.0], id="as far on both sides"),
        pytest.param(A_WALL_FROM_THE_BORDER, [6.0, 2 * ASIDE, 2 * ASIDE, 7.0, 3.0], id="closed on the right"),
        pytest.param(A_WALL_ALL_ACROSS, [6.0, 7.0, 7.0, 7.0, 3.0], id="closed on both sides"),
        pytest.param(TWO_WALLS, [8.0, 4 * ASIDE, 2 * ASIDE, 2 * ASIDE, 2.0], id="the second closed on the left"),
        pytest.param(A_TRAP_MET_TWICE, [8.0, 2 * ASIDE, 2 * ASIDE, 2 * ASIDE, 2.0], id="one wall, though met twice"),
        pytest.param(THE_GOAL_BESIDE, [1.0, 0.0, 0.0, 0.0, 1.0], id="the goal beside"),
    ],
)
def test_detours_by_hand(picture: str, expected: list[float]) -> None:
    assert _row(picture) == pytest.approx(expected, abs=1e-12)


def test_four_moves_pay_for_a_step_aside_twice() -> None:
    assert _row(A_WALL_IN_FRONT, FOUR_CONNECTED) == pytest.approx([6.0, 2.0, 2.0, 2.0, 3.0])


def test_left_and_right_are_mirrored_with_the_way_to_the_goal() -> None:
    expected = [6.0, 2 * ASIDE, 2 * ASIDE, 7.0, 3.0]
    to_the_left = A_WALL_FROM_THE_BORDER.replace("S", "?").replace("G", "S").replace("?", "G")
    assert _row(to_the_left) == pytest.approx(expected)
    upwards = """
        ..G..
        .....
        .....
        .####
        .....
        .....
        ..S..
    """
    assert _row(upwards) == pytest.approx([6.0, 2 * ASIDE, 2 * ASIDE, 7.0, 3.0])


def test_only_what_is_known_is_a_wall() -> None:
    problem = draw_problem(A_WALL_IN_FRONT)
    graph = problem.graph
    assert isinstance(graph, GridGraph)
    state = SearchState(graph.vertex_count)
    rows = [WALLS(problem, state, [problem.start])[0, 1]]
    for cell in ((3, 2), (3, 3), (3, 1)):
        state.forbid([graph.vertex(cell)], [])
        rows.append(WALLS(problem, state, [problem.start])[0, 1])
    assert rows[:3] == [0.0, 0.0, 0.0]
    assert rows[3] == pytest.approx(2 * ASIDE / 6)


def test_at_the_goal_nothing_is_left() -> None:
    problem = draw_problem(A_WALL_IN_FRONT)
    assert WALLS(problem, _with_all_walls_known(problem), [problem.goal]).tolist() == [[0.0] * 5]


def test_no_vertices_no_rows() -> None:
    problem = draw_problem(A_WALL_IN_FRONT)
    assert WALLS(problem, _with_all_walls_known(problem), []).shape == (0, 5)


def test_walls_need_a_grid() -> None:
    graph = ExplicitGraph.from_edges(2, [(0, 1, 1.0)], coordinates=[(0.0, 0.0), (1.0, 0.0)])
    assert feature_set("walls").needs_grid
    with pytest.raises(FeatureError, match="walls need a grid"):
        WALLS(Problem(graph, 0, 1), SearchState(2), [0])


def test_cells_that_touch_by_a_corner_are_one_wall() -> None:
    walls = find_walls([(0, 0), (1, 1), (2, 0), (4, 0), (4, 1)])
    assert walls[0, 0] == walls[1, 1] == walls[2, 0] == {(0, 0), (1, 1), (2, 0)}
    assert walls[4, 0] == walls[4, 1] == {(4, 0), (4, 1)}
    assert find_walls([]) == {}


@given(st.sets(st.tuples(st.integers(0, 6), st.integers(0, 6))))
def test_a_wall_is_all_that_touches_and_no_more(cells: set[tuple[int, int]]) -> None:
    walls = find_walls(sorted(cells))
    assert set(walls) == cells
    for cell, wall in walls.items():
        assert cell in wall
        assert all(walls[other] == wall for other in wall)
        assert all(
            walls[other] == wall for other in cells if max(abs(other[0] - cell[0]), abs(other[1] - cell[1])) == 1
        )


@given(st.tuples(st.integers(0, 30), st.integers(0, 30)), st.tuples(st.integers(0, 30), st.integers(0, 30)))
def test_the_straight_way_is_a_chain_of_cells_beside_the_line(here: tuple[int, int], goal: tuple[int, int]) -> None:
    way = [here, *straight_way(here, goal), *([goal] if goal != here else [])]
    steps = np.abs(np.diff(way, axis=0))
    assert len(way) == max(abs(goal[0] - here[0]), abs(goal[1] - here[1])) + 1
    assert (steps.max(axis=1, initial=0) == 1).all()
    length = hypot(goal[0] - here[0], goal[1] - here[1])
    for x, y in way:
        aside = abs((goal[0] - here[0]) * (y - here[1]) - (goal[1] - here[1]) * (x - here[0]))
        assert aside <= length * 0.5 * sqrt(2.0) + 1e-9
