from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sailplan.core import search
from sailplan.datasets import World
from sailplan.environment import Attractors, solution_paths
from sailplan.environment.attractors import DEFAULT_STATES, closest_distances
from sailplan.errors import EpisodeError
from sailplan.graphs import ExplicitGraph, Problem, grid_problem
from sailplan.policies import OraclePolicy
from sailplan.testing import draw_problem

EMPTY = grid_problem(World(np.zeros((5, 5), np.bool_)))


def test_the_default_landmarks_of_a_square_are_its_corners_and_the_way_between() -> None:
    points = [tuple(place[0].round(9).tolist()) for place in Attractors().points(EMPTY)]
    assert points == [(4, 4), (2, 2), (0, 4), (4, 0), (2, 4), (4, 2), (0, 0)]
    assert len(points) == len(DEFAULT_STATES)


@given(
    places=st.lists(st.tuples(st.integers(-9, 9), st.integers(-9, 9)), min_size=1, max_size=20),
    points=st.lists(st.tuples(st.integers(-9, 9), st.integers(-9, 9)), min_size=1, max_size=6),
)
def test_the_distance_to_a_path_is_that_to_its_closest_point(
    places: list[tuple[int, int]], points: list[tuple[int, int]]
) -> None:
    naive = [min(float(np.hypot(x - to_x, y - to_y)) for to_x, to_y in points) for x, y in places]
    assert np.allclose(closest_distances(np.array(places, float), np.array(points, float)), naive)


def test_a_table_in_parts_is_the_same_table() -> None:
    rng = np.random.default_rng(0)
    places, points = rng.normal(size=(5000, 2)), rng.normal(size=(700, 2))
    one_by_one = [closest_distances(place[None], points)[0] for place in places[::50]]
    assert closest_distances(places, points)[::50].tolist() == one_by_one


def test_a_solution_lies_on_the_same_map_where_it_was() -> None:
    problem = draw_problem("....G\n.###.\n...#.\n...#.\nS....")
    (placed,) = Attractors((), solution_paths([problem])).points(problem)
    assert np.allclose(placed, problem.graph.coordinates(search(problem, OraclePolicy()).path))


def test_a_solution_goes_with_start_and_goal_to_other_maps() -> None:
    paths = solution_paths([EMPTY])
    larger = grid_problem(World(np.zeros((9, 9), np.bool_)))
    (placed,) = Attractors((), paths).points(larger)
    assert np.allclose(placed, [[0, 0], [2, 2], [4, 4], [6, 6], [8, 8]])


def test_tables_follow_the_problem() -> None:
    attractors = Attractors()
    other_way = Problem(EMPTY.graph, EMPTY.goal, EMPTY.start)
    tables = [attractors.keys(problem).table for problem in (EMPTY, other_way, EMPTY)]
    assert tables[0][0, EMPTY.goal] == tables[1][0, EMPTY.start] == 0.0
    assert np.array_equal(tables[0], tables[2])


def test_a_path_between_vertices_at_one_place_is_no_attractor() -> None:
    graph = ExplicitGraph.from_edges(2, [(0, 1, 1.0)], coordinates=[[1, 1], [1, 1]])
    with pytest.raises(EpisodeError, match="start and goal coincide"):
        solution_paths([Problem(graph, 0, 1)])
