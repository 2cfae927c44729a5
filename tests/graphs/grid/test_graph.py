from __future__ import annotations

import math
import pickle
from collections.abc import Callable
from copy import deepcopy
from typing import Any

import numba
import numpy as np
import pytest
from hypothesis import given

from sailplan.datasets import Cell, World
from sailplan.errors import GraphError, ProblemError
from sailplan.graphs import MOVINGAI_MOVES, PAPER_MOVES, EdgeStatus, GridGraph, Moves, Problem, grid_problem
from sailplan.testing import check_graph, draw_world
from tests.strategies import FOUR_CONNECTED, grid_problems

VALID, INVALID_EDGE = EdgeStatus.VALID, EdgeStatus.INVALID_EDGE
INVALID_TARGET, VALID_TARGET = EdgeStatus.INVALID_TARGET, EdgeStatus.VALID_TARGET
ROOT = math.sqrt(2.0)


def _around(graph: GridGraph, cell: Cell) -> dict[Cell, tuple[float, EdgeStatus]]:
    """Return the cost and the status of each edge out of a cell, by the cell it leads to."""
    targets, costs = graph.successors(graph.vertex(cell))
    statuses = graph.evaluate(graph.vertex(cell), targets)
    return {graph.cell(at): (cost, status) for at, cost, status in zip(targets, costs, statuses, strict=True)}


def test_straight_moves_come_first_then_diagonals_each_counter_clockwise() -> None:
    graph = GridGraph(draw_world("...\n...\n..."))
    targets, costs = graph.successors(graph.vertex((1, 1)))
    straight, diagonal = [(2, 1), (1, 2), (0, 1), (1, 0)], [(2, 2), (0, 2), (0, 0), (2, 0)]
    assert [graph.cell(target) for target in targets] == straight + diagonal
    assert costs == [1.0] * 4 + [ROOT] * 4


def test_four_connected_grids_have_straight_moves_only() -> None:
    graph = GridGraph(draw_world("...\n...\n..."), FOUR_CONNECTED)
    assert _around(graph, (1, 1)) == dict.fromkeys([(2, 1), (1, 2), (0, 1), (1, 0)], (1.0, VALID_TARGET))
    assert graph.max_degree == 4


@pytest.mark.parametrize(
    ("picture", "cell", "neighbours"),
    [
        (".", (0, 0), []),
        ("...", (0, 0), [(1, 0)]),
        ("...", (1, 0), [(2, 0), (0, 0)]),
        (".\n.\n.", (0, 1), [(0, 2), (0, 0)]),
        ("..\n..", (1, 1), [(0, 1), (1, 0), (0, 0)]),
    ],
)
def test_moves_end_at_the_edge(picture: str, cell: Cell, neighbours: list[Cell]) -> None:
    assert list(_around(GridGraph(draw_world(picture)), cell)) == neighbours


def test_a_blocked_cell_is_an_invalid_target_under_every_rule() -> None:
    world = draw_world(
        """
        .##
        .#.
        ...
        """
    )
    for moves in (PAPER_MOVES, MOVINGAI_MOVES):
        edges = _around(GridGraph(world, moves), (0, 1))
        assert edges[(1, 1)][1] == edges[(1, 2)][1] == INVALID_TARGET
        assert edges[(0, 0)][1] == edges[(0, 2)][1]
        assert edges[(0, 0)][1].valid


@pytest.mark.parametrize("picture", ["..\n.#", "#.\n..", "#.\n.#"])
def test_a_diagonal_past_a_blocked_cell_depends_on_the_corner_rule(picture: str) -> None:
    world = draw_world(picture)
    assert _around(GridGraph(world, PAPER_MOVES), (0, 0))[(1, 1)] == (ROOT, VALID_TARGET)
    assert _around(GridGraph(world, MOVINGAI_MOVES), (0, 0))[(1, 1)] == (ROOT, INVALID_EDGE)


def test_the_cost_of_a_diagonal_can_be_chosen() -> None:
    graph = GridGraph(draw_world("..\n.."), Moves(diagonal_cost=1.25))
    assert _around(graph, (0, 0))[(1, 1)] == (1.25, VALID_TARGET)
    for cost in (-1.0, math.inf, math.nan):
        with pytest.raises(GraphError, match="the cost of a diagonal move must be finite and not negative"):
            Moves(diagonal_cost=cost)
    for cost in (1.7e308, 10**400):
        with pytest.raises(GraphError, match=r"must be not negative and at most 1e\+100$"):
            Moves(diagonal_cost=cost)
    assert Moves(diagonal_cost=np.float32(1.25)).diagonal_cost == 1.25  # type: ignore[arg-type]


def test_cells_vertices_and_coordinates() -> None:
    graph = GridGraph(draw_world("....\n...."))
    assert [graph.vertex((x, y)) for y in range(2) for x in range(4)] == list(range(8))
    assert graph.coordinates([0, 5, 3]).tolist() == [[0, 0], [1, 1], [3, 0]]
    with pytest.raises(ProblemError, match=r"^drawing: cell \(4, 0\) is outside 4 x 2$"):
        graph.vertex((4, 0))


@given(grid_problems(6, 6))
def test_grids_keep_the_contract(drawn: tuple[Problem, GridGraph]) -> None:
    _, graph = drawn
    check_graph(graph, range(graph.vertex_count))


def test_a_problem_goes_from_the_bottom_left_to_the_top_right_unless_told() -> None:
    world = draw_world("...\n...")
    assert (grid_problem(world).start, grid_problem(world).goal) == (0, 5)
    there = grid_problem(world, (2, 0), (0, 1))
    assert (there.start, there.goal) == (2, 3)


@pytest.mark.parametrize(
    ("start", "goal", "message"),
    [
        ((-1, 0), (2, 0), r"the start \(-1, 0\) is outside 3 x 2"),
        ((0, 0), (0, 2), r"the goal \(0, 2\) is outside 3 x 2"),
        ((1, 0), (2, 0), r"the start \(1, 0\) is blocked; the closest free cell is \(0, 0\)"),
        ((0, 0), (1, 0), r"the goal \(1, 0\) is blocked; the closest free cell is \(0, 0\)"),
    ],
)
def test_a_start_or_goal_outside_or_blocked_is_refused(start: Cell, goal: Cell, message: str) -> None:
    with pytest.raises(ProblemError, match=f"^walled: {message}$"):
        grid_problem(draw_world("...\n.#.", name="walled"), start, goal)


INTEGERS = [np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64, int]


@pytest.mark.parametrize("kind", INTEGERS)
def test_cells_of_every_integer_type_name_the_same_vertex(kind: Callable[[int], Any]) -> None:
    graph = GridGraph(World(np.zeros((120, 300), np.bool_)))
    cell = (kind(101), kind(99))
    assert graph.vertex(cell) == 99 * 300 + 101
    assert type(graph.vertex(cell)) is int
    problem = grid_problem(graph.world, cell, (kind(120), kind(3)))
    assert (problem.start, problem.goal) == (99 * 300 + 101, 3 * 300 + 120)
    assert graph.world.contains(cell)
    assert graph.world.is_free(cell)


@pytest.mark.parametrize("kind", INTEGERS[:-1])
def test_cells_may_be_arrays_and_lists(kind: type[np.integer[Any]]) -> None:
    world = World(np.zeros((120, 300), np.bool_))
    assert grid_problem(world, np.array([101, 99], kind)).start == 99 * 300 + 101  # type: ignore[arg-type]
    assert grid_problem(world, [101, 99]).start == 99 * 300 + 101  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "cell", [(1.0, 2.0), (1, 2.5), "12", ("1", "2"), (1,), (1, 2, 3), 7, {1, 2}, {1: 2, 2: 3}, (True, False), max]
)
def test_what_is_no_cell_is_refused_in_one_line(cell: Any) -> None:
    world = World(np.zeros((5, 5), np.bool_), name="w")
    with pytest.raises(ProblemError, match=r"^w: the start must be a pair of integers \(x, y\), got [^\n]+$"):
        grid_problem(world, cell)
    with pytest.raises(ProblemError, match=r"^w: the goal must be a pair of integers \(x, y\), got [^\n]+$"):
        grid_problem(world, goal=cell)
    with pytest.raises(ProblemError, match=r"^the cell must be a pair of integers \(x, y\), got [^\n]+$"):
        GridGraph(world).vertex(cell)


def test_other_wrong_types_are_refused_in_one_line() -> None:
    with pytest.raises(ProblemError, match=r"^a grid problem needs a World, got an array of bool"):
        grid_problem(np.zeros((5, 5), np.bool_))  # type: ignore[arg-type]
    with pytest.raises(ProblemError, match=r"^world: moves must be given as Moves\(...\), got 8$"):
        grid_problem(World(np.zeros((5, 5), np.bool_)), moves=8)  # type: ignore[arg-type]
    with pytest.raises(GraphError, match=r"^corner_cutting must be True or False, got <built-in function max>$"):
        Moves(corner_cutting=max)  # type: ignore[arg-type]
    with pytest.raises(GraphError, match=r"^diagonal must be True or False, got 1$"):
        Moves(diagonal=1)  # type: ignore[arg-type]
    with pytest.raises(GraphError, match=r"^the cost of a diagonal move must be a number, got 'x'$"):
        Moves(diagonal_cost="x")  # type: ignore[arg-type]


def test_the_closest_free_cell_is_given_in_metres_too() -> None:
    world = World(np.array([[True, False]]), name="w", resolution=0.5, origin=(1.0, 2.0, 0.0))
    with pytest.raises(ProblemError, match=r"the closest free cell is \(1, 0\), at \(1.75, 2.25\) metres$"):
        grid_problem(world, (0, 0))


@pytest.mark.parametrize("costs", [None, [[1.0, 2.0, 1.0]]])
def test_a_copy_needs_no_other_kernels(costs: Any) -> None:
    graph = GridGraph(World([[False, True, False]], costs=costs), FOUR_CONNECTED)  # type: ignore[arg-type]
    type_of: Any = numba.typeof
    arrays = graph.arrays()
    for copy in (deepcopy(graph), pickle.loads(pickle.dumps(graph))):
        assert type_of(copy.arrays()) == type_of(arrays)
        assert copy.arrays().blocked.tolist() == [False, True, False]
        assert copy.moves == graph.moves
