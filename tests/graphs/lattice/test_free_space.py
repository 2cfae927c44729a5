"""Lower bounds of costs on lattices: exact in the window, consistent everywhere, never above the cost."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

from sailplan.datasets import World, read_primitives
from sailplan.graphs import LatticeGraph, MotionPrimitives
from sailplan.graphs.lattice import tables
from sailplan.graphs.lattice.free_space import free_space_costs, offset_rates
from sailplan.graphs.lattice.primitives import four_ways
from tests.lattices import ALL_PRIMITIVES, FORWARD, SKEWED, WITH_TURNS, kernel_bound, kernel_edges

ONE_WAY = four_ways([(1, 0, 0)], resolution=0.5)
TRAIN = MotionPrimitives(0.5, ONE_WAY.headings, ONE_WAY.primitives[:1], name="train")
EVERY = (*ALL_PRIMITIVES, ONE_WAY, TRAIN)


def _empty(side: int, primitives: MotionPrimitives) -> LatticeGraph:
    return LatticeGraph(World(np.zeros((side, side), np.bool_)), primitives, 0.0)


def _costs_to(graph: LatticeGraph, goal: int) -> np.ndarray:
    """The cost of the cheapest path from every vertex to a goal, by scipy."""
    rows = [(v, *edge[:2]) for v in range(graph.vertex_count) for edge in kernel_edges(graph.arrays(), v)]
    sources, targets, costs = (np.array(column) for column in zip(*rows, strict=True))
    matrix = csr_array((costs, (targets, sources)), shape=(graph.vertex_count, graph.vertex_count))
    found: np.ndarray = dijkstra(matrix, indices=goal)
    return found


@pytest.mark.parametrize("primitives", EVERY, ids=lambda one: f"{one.name} {len(one.primitives)}")
@pytest.mark.parametrize("reach", [1, 4, 60])
def test_bounds_are_consistent_and_never_above_the_cost(
    primitives: MotionPrimitives, reach: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tables, "MOST_REACH", reach)
    graph = _empty(13, primitives)
    arrays = graph.arrays()
    for heading in range(4):
        goal = graph.vertex((6, 7, heading), metres=False)
        bounds = [kernel_bound(arrays, vertex, goal) for vertex in range(graph.vertex_count)]
        assert bounds[goal] == 0.0
        assert (np.array(bounds) <= _costs_to(graph, goal)).all()
        for vertex in range(graph.vertex_count):
            for target, cost, _ in kernel_edges(arrays, vertex):
                assert bounds[vertex] <= cost + bounds[target]


@pytest.mark.parametrize("primitives", [FORWARD, WITH_TURNS, SKEWED], ids=["forward", "turns", "skewed"])
def test_near_the_goal_bounds_are_exact(primitives: MotionPrimitives) -> None:
    """Where a path does not leave the window, the bound is the cost in a map that is large enough."""
    large = _empty(31, primitives)
    for heading in range(4):
        goal = large.vertex((15, 15, heading), metres=False)
        costs = _costs_to(large, goal)
        free = free_space_costs(primitives, 6)
        end = heading % len(free.outside)
        for vertex in np.flatnonzero(costs < free.outside[end]).tolist():
            assert kernel_bound(large.arrays(), vertex, goal) == pytest.approx(costs[vertex], rel=1e-8)
        assert np.isfinite(free.outside[end])


def test_bounds_know_headings() -> None:
    graph = _empty(21, WITH_TURNS)
    goal = graph.vertex((10, 10, 0), metres=False)
    ahead, away = (graph.vertex((8, 10, heading), metres=False) for heading in (0, 2))
    assert kernel_bound(graph.arrays(), ahead, goal) == pytest.approx(1.0)
    # Back twice costs as much as two cells ahead, and then a half turn.
    assert kernel_bound(graph.arrays(), away, goal) == pytest.approx(1.0 + math.pi)


def test_the_table_holds_a_quarter_of_the_ends_if_motions_turn_with_the_robot() -> None:
    assert free_space_costs(FORWARD, 2).costs.shape == (1, 4, 5, 5)
    assert free_space_costs(SKEWED, 2).costs.shape == (4, 4, 5, 5)


def test_rates_of_a_robot_that_goes_one_way_only() -> None:
    rates = offset_rates(TRAIN)
    assert (rates @ np.array([3.0, 0.0])).max() == pytest.approx(1.5, rel=1e-6)
    assert len(rates) == 32


@settings(max_examples=60)
@given(
    moves=st.lists(
        st.tuples(st.integers(-4, 4), st.integers(-4, 4), st.integers(0, 3)).filter(lambda move: move != (0, 0, 0)),
        min_size=1,
        max_size=5,
    )
)
def test_no_motion_costs_less_than_its_offset_times_a_rate(moves: list[tuple[int, int, int]]) -> None:
    primitives = four_ways(moves, resolution=0.5, turn_cost=0.3)
    for one in primitives.primitives:
        assert (offset_rates(primitives) @ np.array(one.offset, float)).max() <= one.cost


@pytest.mark.parametrize("name", ["lattice_5cm_0.5m_ackermann.json", "lattice_5cm_0.5m_omni.json", "pr2_10cm.mprim"])
def test_bounds_of_real_primitives_are_consistent(shared_data: Path, name: str) -> None:
    graph = _empty(60, read_primitives(shared_data / "lattice" / name))
    arrays, rng = graph.arrays(), np.random.default_rng(0)
    for vertex, goal in rng.integers(graph.vertex_count, size=(300, 2)).tolist():
        bound = kernel_bound(arrays, vertex, goal)
        straight = math.dist(*graph.coordinates([vertex, goal]))
        assert bound >= straight * graph.primitives.cost_per_metre * (1.0 - 1e-6)
        for target, cost, _ in kernel_edges(arrays, vertex):
            assert bound <= cost + kernel_bound(arrays, target, goal)
