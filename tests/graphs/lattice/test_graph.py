"""Lattices: successors, costs, verdicts and poses, by hand and against the naive twin."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

from sailplan import load_policy, search
from sailplan.datasets import World, read_primitives, read_sbpl_environment
from sailplan.errors import GraphError, ProblemError
from sailplan.graphs import EdgeStatus, LatticeGraph, MotionPrimitive, MotionPrimitives, Problem
from sailplan.graphs.lattice.primitives import four_ways
from sailplan.oracle import cost_to_go
from sailplan.testing import check_graph, draw_world
from tests.lattices import ARROW, CAR, FORWARD, WITH_TURNS, kernel_edges, kernel_position, lattice_problems
from tests.naive.lattice import covered_cells, is_free, successors, swept_cells

STRAIGHT = four_ways([(1, 0, 0)], resolution=0.5)


def _empty(width: int, height: int, **facts: object) -> World:
    return World(np.zeros((height, width), np.bool_), **facts)  # type: ignore[arg-type]


def test_three_primitives_by_hand() -> None:
    """On a map of 4 x 3 cells, from cell (1, 1) facing up: one cell ahead, and curves to the left and to the right."""
    graph = LatticeGraph(_empty(4, 3), FORWARD, 0.0)
    start = graph.vertex((1, 1, 1), metres=False)
    assert start == (1 * 4 + 1) * 4 + 1
    targets, costs = graph.successors(start)
    # The curves lead two cells up, which is outside; ahead is cell (1, 2), still facing up.
    assert (targets, costs) == ([(2 * 4 + 1) * 4 + 1], [0.5])
    targets, costs = graph.successors(graph.vertex((1, 1, 0), metres=False))
    # Facing right: cell (2, 1) facing right; (3, 2) facing up; (3, 0) facing down.
    assert targets == [(1 * 4 + 2) * 4 + 0, (2 * 4 + 3) * 4 + 1, (0 * 4 + 3) * 4 + 3]
    # A curve costs the quarter turn at 1 m per radian, which is longer than its straight line of 1.118 m.
    assert costs == [0.5, math.pi / 2.0, math.pi / 2.0]


def test_three_primitives_of_nav2_by_hand(shared_data: Path) -> None:
    """Copied from the file: straight ahead from heading 0, a curve from heading 0, straight ahead from heading 1."""
    primitives = read_primitives(shared_data / "lattice" / "lattice_5cm_0.5m_ackermann.json")
    graph = LatticeGraph(_empty(40, 40), primitives, 0.1)
    start = graph.vertex((20, 20, 0), metres=False)
    edges_of = dict(zip(*graph.successors(start), strict=True))
    assert edges_of[graph.vertex((23, 20, 0), metres=False)] == pytest.approx(0.15)
    assert edges_of[graph.vertex((30, 13, 13), metres=False)] == pytest.approx(0.64852)
    assert len(edges_of) == 5
    edges_of = dict(zip(*graph.successors(start + 1), strict=True))
    assert edges_of[graph.vertex((24, 22, 1), metres=False)] == pytest.approx(0.22361)
    assert len(edges_of) == 4


@given(drawn=lattice_problems(), seed=st.integers(0, 2**32 - 1))
def test_successors_and_costs_are_those_of_the_naive_twin(drawn: tuple[Problem, LatticeGraph], seed: int) -> None:
    _, graph = drawn
    for vertex in np.random.default_rng(seed).integers(graph.vertex_count, size=5).tolist():
        x, y, heading = graph.cell_and_heading(vertex)
        targets, costs = graph.successors(vertex)
        found = {graph.cell_and_heading(target): cost for target, cost in zip(targets, costs, strict=True)}
        assert found == successors(graph.world, graph.primitives, (x, y), heading)


@settings(max_examples=30)
@given(
    seed=st.integers(0, 2**32 - 1),
    primitives=st.sampled_from([FORWARD, WITH_TURNS]),
    corners=st.sampled_from([CAR, ARROW]),
)
def test_verdicts_are_those_of_dense_samples(
    seed: int, primitives: MotionPrimitives, corners: tuple[tuple[float, float], ...]
) -> None:
    rng = np.random.default_rng(seed)
    graph = LatticeGraph(World(rng.random((9, 9)) < 0.1, name="random"), primitives, corners)
    swept = {one: swept_cells(corners, one, 0.5, most=0.03) for one in primitives.primitives}
    for vertex in rng.integers(graph.vertex_count, size=10).tolist():
        x, y, heading = graph.cell_and_heading(vertex)
        for one in primitives.by_heading[heading]:
            target = x + one.offset[0], y + one.offset[1]
            if not graph.world.contains(target):
                continue
            (status,) = graph.evaluate(vertex, [graph.vertex((*target, one.end), metres=False)])
            at_end = covered_cells(corners, (0.0, 0.0, primitives.headings[one.end]), 0.5)
            collides_at_end = not all(
                is_free(graph.world, target, cell) for cell, area in at_end.items() if area > 1e-9
            )
            assert (status is EdgeStatus.INVALID_TARGET) == collides_at_end
            if not all(is_free(graph.world, (x, y), cell) for cell, area in swept[one].items() if area > 1e-9):
                assert not status.valid
            elif status is EdgeStatus.INVALID_EDGE:
                # Refused by the margin only, an eighth of a cell on each side.
                around = swept_cells(corners, one, 0.5, most=0.03, enlarged=1.3)
                assert not all(is_free(graph.world, (x, y), cell) for cell in around)


@given(drawn=lattice_problems())
def test_kernels_give_what_the_methods_give(drawn: tuple[Problem, LatticeGraph]) -> None:
    problem, graph = drawn
    rows = kernel_edges(graph.arrays(), problem.start)
    targets, costs = graph.successors(problem.start)
    assert rows == list(zip(targets, costs, graph.evaluate(problem.start, targets), strict=True))
    assert len(rows) <= graph.max_degree <= len(graph.primitives.primitives)
    assert kernel_position(graph.arrays(), problem.start) == tuple(graph.coordinates([problem.start])[0])


@given(drawn=lattice_problems())
def test_reversed_edges_are_the_edges_into_a_vertex(drawn: tuple[Problem, LatticeGraph]) -> None:
    problem, graph = drawn
    into = [
        (source, cost, status)
        for source in range(graph.vertex_count)
        for target, cost, status in kernel_edges(graph.arrays(), source)
        if target == problem.goal
    ]
    assert sorted(kernel_edges(graph.backward_arrays(), problem.goal)) == sorted(into)
    assert len(into) <= graph.max_in_degree


def _matrix(graph: LatticeGraph) -> csr_array:
    rows = [
        (source, target, cost)
        for source in range(graph.vertex_count)
        for target, cost, status in kernel_edges(graph.arrays(), source)
        if status == EdgeStatus.VALID
    ]
    sources, targets, costs = (np.array(column) for column in zip(*rows, strict=True)) if rows else ([], [], [])
    return csr_array((costs, (sources, targets)), shape=(graph.vertex_count, graph.vertex_count))


@settings(max_examples=40)
@given(drawn=lattice_problems())
def test_a_star_and_the_oracle_agree_with_scipy(drawn: tuple[Problem, LatticeGraph]) -> None:
    problem, graph = drawn
    from_start = dijkstra(_matrix(graph), indices=problem.start)
    result = search(problem, load_policy("a_star"))
    assert result.cost == pytest.approx(from_start[problem.goal])
    assert cost_to_go(problem)[problem.start] == pytest.approx(from_start[problem.goal])


@settings(max_examples=20)
@given(drawn=lattice_problems(8, 8))
def test_the_contract_of_graphs_is_kept(drawn: tuple[Problem, LatticeGraph]) -> None:
    problem, graph = drawn
    check_graph(graph, [problem.start, *range(min(20, graph.vertex_count)), problem.goal])


@pytest.mark.parametrize("name", ["lattice_5cm_0.5m_ackermann.json", "lattice_5cm_0.5m_omni.json", "pr2_10cm.mprim"])
def test_the_contract_is_kept_with_real_primitives(shared_data: Path, name: str) -> None:
    primitives = read_primitives(shared_data / "lattice" / name)
    blocked = np.random.default_rng(0).random((40, 40)) < 0.002
    graph = LatticeGraph(World(blocked), primitives, 1.2 * primitives.resolution)
    check_graph(graph, range(0, graph.vertex_count, 997))


def test_plans_in_the_environment_of_sbpl(shared_data: Path) -> None:
    found = read_sbpl_environment(shared_data / "lattice" / "env1.cfg")
    primitives = read_primitives(shared_data / "lattice" / "unicycle_noturninplace.mprim", turn_cost=found.turn_cost)
    graph = LatticeGraph(found.world, primitives, 0.005)
    # The goal of the file lies four cells behind a wall, too close for the eight cells of a curve.
    assert not search(graph.problem(found.start, found.goal), load_policy("a_star")).found
    ahead = graph.problem(found.start, (0.31, 0.11, 0.0))
    assert search(ahead, load_policy("a_star")).cost == pytest.approx(8 * 0.025)


def test_unknown_and_outside_are_blocked() -> None:
    graph = LatticeGraph(World.from_gray(np.full((1, 4), [255, 255, 205, 255], np.uint8)), STRAIGHT, 0.1)
    assert graph.evaluate(0, [4]) == [EdgeStatus.VALID]
    assert graph.evaluate(4, [8]) == [EdgeStatus.INVALID_TARGET]
    wide = LatticeGraph(_empty(4, 1), STRAIGHT, 0.3)
    assert wide.evaluate(0, [4]) == [EdgeStatus.INVALID_TARGET]


def test_a_motion_that_collides_on_the_way_is_an_invalid_edge() -> None:
    jump = four_ways([(2, 0, 0)], resolution=0.5)
    graph = LatticeGraph(draw_world(".#."), jump, 0.2)
    assert graph.evaluate(0, [8]) == [EdgeStatus.INVALID_EDGE]
    assert graph.collision(0) is None
    assert graph.collision(8) is None


def test_poses_are_in_the_frame_of_the_map() -> None:
    world = _empty(6, 6, resolution=0.5, origin=(10.0, 20.0, math.pi / 2.0))
    graph = LatticeGraph(world, FORWARD, 0.1)
    # The map is turned to the left: its x axis points up, so its cell (2, 1) lies to the left and above the origin.
    pose = graph.state(graph.vertex((2, 1, 0), metres=False))
    assert pose == pytest.approx((10.0 - 0.75, 20.0 + 1.25, math.pi / 2.0))
    assert graph.cell_and_heading(graph.vertex(pose)) == (2, 1, 0)
    poses = graph.poses([graph.vertex((2, 1, 0), metres=False), graph.vertex((4, 2, 1), metres=False)])
    assert poses[-1] == pytest.approx((10.0 - 1.25, 20.0 + 2.25, math.pi))


def test_poses_hold_those_between_the_vertices(shared_data: Path) -> None:
    primitives = read_primitives(shared_data / "lattice" / "lattice_5cm_0.5m_diff.json")
    graph = LatticeGraph(_empty(60, 60, resolution=0.05, origin=(-1.0, -1.0, 0.0)), primitives, 0.1)
    problem = graph.problem(start=(-0.5, -0.5, 0.0), goal=(1.0, 1.2, 1.6))
    result = search(problem, load_policy("a_star"))
    poses = graph.poses(result.path)
    steps = np.hypot(*np.diff(poses[:, :2], axis=0).T)
    assert steps.max() < 0.06
    assert steps.sum() <= result.cost + 1e-6
    states = problem.states(result.path)
    assert poses[0] == pytest.approx(states[0])
    assert poses[-1] == pytest.approx(states[-1])
    rows = {tuple(row) for row in poses.round(6).tolist()}
    assert {tuple(np.round(state, 6).tolist()) for state in states} <= rows
    assert len(graph.poses([])) == 0


def test_vertices_are_the_closest_poses() -> None:
    graph = LatticeGraph(_empty(3, 3), STRAIGHT, 0.1)
    assert graph.vertex((0.74, 0.99, -0.7)) == (1 * 3 + 1) * 4 + 0
    assert graph.vertex((0.76, 0.99, 2.4)) == (1 * 3 + 1) * 4 + 2


@pytest.mark.parametrize(
    ("pose", "metres", "message"),
    [
        ((0.1, 0.1), True, "a pose is three numbers"),
        (None, True, "a pose is three numbers"),
        ((0.1, "left", 0.0), True, "a pose is three numbers"),
        ((0.1, math.nan, 0.0), True, "three finite numbers"),
        ((9.0, 0.1, 0.0), True, r"is in cell \(18, 0\), outside 4 x 2$"),
        ((4, 0, 0), False, r"outside 4 x 2$"),
        ((0, 0, 4), False, r"a pose in cells is a cell and a heading 0 \.\. 3, got \(0, 0, 4\)$"),
        ((0.5, 0, 0), False, "a pose in cells"),
    ],
)
def test_bad_poses_are_refused(pose: tuple[float, ...], metres: bool, message: str) -> None:
    graph = LatticeGraph(_empty(4, 2), STRAIGHT, 0.1)
    good = (0.3, 0.3, 0.0) if metres else (0, 0, 0)
    with pytest.raises(ProblemError, match=f"^world: the start: .*{message}"):
        graph.problem(pose, good, metres=metres)
    with pytest.raises(ProblemError, match=f"^world: the goal: .*{message}"):
        graph.problem(good, pose, metres=metres)


def test_a_start_or_goal_in_collision_is_refused_and_says_where() -> None:
    graph = LatticeGraph(draw_world("..#."), STRAIGHT, [(-0.2, -0.2), (0.6, -0.2), (0.6, 0.2), (-0.2, 0.2)])
    with pytest.raises(ProblemError) as caught:
        graph.problem((1, 0, 0), (0, 0, 0), metres=False)
    assert str(caught.value).endswith(
        "the robot collides at the start (0.75, 0.25, 0): its footprint covers the blocked cell (2, 0) at (1.25, 0.25) "
        "metres"
    )
    with pytest.raises(ProblemError, match=r"collides at the goal .*: its footprint leaves the map at cell \(4, 0\)$"):
        graph.problem((0, 0, 0), (3, 0, 0), metres=False)


def test_graphs_that_do_not_fit_are_refused() -> None:
    with pytest.raises(GraphError, match=r"^hall: the map has cells of 0.05 m, and four ways is for cells of 0.5 m$"):
        LatticeGraph(_empty(3, 3, name="hall", resolution=0.05), STRAIGHT, 0.1)
    with pytest.raises(GraphError, match="terrain costs are not supported"):
        LatticeGraph(_empty(3, 3, costs=np.ones((3, 3))), STRAIGHT, 0.1)
    with pytest.raises(GraphError, match="needs a World and MotionPrimitives"):
        LatticeGraph("map.png", STRAIGHT, 0.1)  # type: ignore[arg-type]
    with pytest.raises(GraphError, match="must not be negative"):
        LatticeGraph(_empty(3, 3), STRAIGHT, -0.1)
    with pytest.raises(GraphError, match="at most"):
        LatticeGraph(_empty(20_000, 4_000), STRAIGHT, 0.1)


def test_a_path_with_a_jump_has_no_poses() -> None:
    graph = LatticeGraph(_empty(4, 1), STRAIGHT, 0.1)
    with pytest.raises(GraphError, match="no motion leads from vertex 0 to vertex 8"):
        graph.poses([0, 8])


def test_a_heading_without_motions_is_a_dead_end() -> None:
    turn = MotionPrimitive(0, 1, (1, 0), 1.0, np.array([(0.0, 0.0, 0.0), (0.5, 0.0, math.pi / 2.0)]))
    primitives = MotionPrimitives(0.5, (0.0, math.pi / 2.0), (turn,))
    graph = LatticeGraph(_empty(3, 1), primitives, 0.1)
    assert graph.successors(graph.vertex((0, 0, 1), metres=False)) == ([], [])
    result = search(graph.problem((0, 0, 0), (2, 0, 1), metres=False), load_policy("a_star"))
    assert not result.found


@given(drawn=lattice_problems())
def test_costs_are_at_least_the_straight_line(drawn: tuple[Problem, LatticeGraph]) -> None:
    problem, graph = drawn
    targets, costs = graph.successors(problem.start)
    assume(targets)
    lengths = np.hypot(*(graph.coordinates(targets) - graph.coordinates([problem.start])).T)
    assert (np.array(costs) >= graph.primitives.cost_per_metre * lengths * (1.0 - 1e-12)).all()
