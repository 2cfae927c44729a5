from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sailplan.datasets import World
from sailplan.graphs import MOVINGAI_MOVES, PAPER_MOVES, Moves, Problem, grid_problem
from sailplan.graphs.grid.graph import GridGraph
from sailplan.graphs.grid.world import Cell
from sailplan.learning.algorithms.planner.rollouts import between_random_cells, reduced
from sailplan.oracle import cost_to_go
from sailplan.policies.replanning.beliefs.pixels import PIXELS, PixelFrame, world_of
from sailplan.testing import draw_problem, draw_world
from tests.naive import pixels as naive


def _enlarged(picture: str, factor: int = 3) -> World:
    """Draw a world in the bottom-left corner of a map of PIXELS pixels; each letter is so many cells wide and high."""
    drawn, blocked = draw_world(picture).blocked, np.zeros((PIXELS, PIXELS), np.bool_)
    blocked[: drawn.shape[0], : drawn.shape[1]] = drawn
    return World(np.kron(blocked, np.ones((factor, factor), np.bool_)))


def _ends(problem: Problem) -> tuple[Cell, Cell]:
    assert isinstance(problem.graph, GridGraph)
    return problem.graph.cell(problem.start), problem.graph.cell(problem.goal)


@pytest.mark.parametrize("factor", [2, 3, 6])
def test_a_cell_of_the_reduced_problem_is_a_block_of_cells(factor: int) -> None:
    picture = """
        ..#..
        #...#
        .##..
    """
    last = factor * PIXELS - 1
    small = reduced(grid_problem(_enlarged(picture, factor), (0, 0), (last, last)))
    assert np.array_equal(world_of(small).blocked[:3, :5], draw_world(picture).blocked)
    assert not world_of(small).blocked[3:].any()
    assert _ends(small) == ((0, 0), (PIXELS - 1, PIXELS - 1))


def test_half_of_the_cells_block_a_pixel() -> None:
    blocked = np.zeros((2 * PIXELS, 2 * PIXELS), np.bool_)
    blocked[:2, 2:4] = draw_world("#. ..").blocked
    blocked[:2, 4:6] = draw_world("#. .#").blocked
    blocked[:2, 6:8] = draw_world("## #.").blocked
    small = reduced(grid_problem(World(blocked), (0, 0), (2 * PIXELS - 1, 2 * PIXELS - 1)))
    assert world_of(small).blocked[0, :5].tolist() == [False, False, True, True, False]


def test_start_and_goal_are_free() -> None:
    blocked = np.ones((3 * PIXELS, 3 * PIXELS), np.bool_)
    blocked[100, 7:190] = False
    problem = grid_problem(World(blocked), (7, 100), (189, 100))
    small = reduced(problem)
    assert _ends(small) == ((2, 33), (63, 33))
    free = np.argwhere(~world_of(small).blocked)
    assert free.tolist() == [[33, 2], [33, 63]]
    # The corridor is too narrow: the reduced problem has no path.
    assert not np.isfinite(cost_to_go(small)[small.start])


@pytest.mark.parametrize("moves", [PAPER_MOVES, MOVINGAI_MOVES, Moves(diagonal=False)])
def test_the_moves_are_kept(moves: Moves) -> None:
    small = reduced(grid_problem(World(np.zeros((100, 100), np.bool_)), (0, 0), (99, 99), moves))
    assert isinstance(small.graph, GridGraph)
    assert small.graph.moves == moves


@pytest.mark.parametrize(("height", "width"), [(1, 1), (5, 9), (PIXELS, PIXELS), (1, PIXELS)])
def test_small_problems_are_unmodified(height: int, width: int) -> None:
    problem = grid_problem(World(np.zeros((height, width), np.bool_)))
    assert reduced(problem) is problem


@settings(max_examples=15)
@given(
    height=st.integers(1, 150),
    width=st.integers(PIXELS + 1, 250),
    transposed=st.booleans(),
    seed=st.integers(0, 2**32 - 1),
)
def test_any_problem_is_like_the_definition(height: int, width: int, transposed: bool, seed: int) -> None:
    rng = np.random.default_rng(seed)
    shape = (width, height) if transposed else (height, width)
    blocked = rng.random(shape) < 0.45
    start, goal = ((int(rng.integers(shape[1])), int(rng.integers(shape[0]))) for _ in range(2))
    for x, y in (start, goal):
        blocked[y, x] = False
    problem = grid_problem(World(blocked), start, goal)
    small = reduced(problem)
    expected = naive.pool(blocked, PIXELS) >= 0.5
    ends = tuple((naive.pixel_of(x, PIXELS, shape[1]), naive.pixel_of(y, PIXELS, shape[0])) for x, y in (start, goal))
    for x, y in ends:
        expected[y, x] = False
    assert _ends(small) == ends
    assert np.array_equal(world_of(small).blocked, expected)
    # Extra costs count in the reduced problem where they do in the problem.
    assert PixelFrame.of(problem).fits(small)


def test_random_ends_are_connected_cells_of_the_same_world() -> None:
    problem = draw_problem("""
        S........
        .........
        ########.
        G........
    """)
    drawn = [between_random_cells(problem, np.random.default_rng(seed)) for seed in range(20)]
    assert all(one.graph is problem.graph for one in drawn)
    assert all(np.isfinite(cost_to_go(one)[one.start]) for one in drawn)
    assert len({(one.start, one.goal) for one in drawn}) > 5
    again = between_random_cells(problem, np.random.default_rng(3))
    assert (again.start, again.goal) == (drawn[3].start, drawn[3].goal)
