from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sailplan.core import SearchState
from sailplan.datasets import World
from sailplan.graphs import ExplicitGraph, Problem, grid_problem
from sailplan.policies.features import FeatureSet
from sailplan.policies.features.absolute import OBSTACLES
from tests.compiled_rows import compiled_rows
from tests.naive.features import along_x, along_y, closest, straight

FEATURES = FeatureSet((OBSTACLES,))
SEEDS = st.integers(0, 2**32 - 1)


def _naive_row(problem: Problem, state: SearchState, vertex: int) -> list[float]:
    places = [tuple(place) for place in problem.graph.coordinates(state.invalid.tolist()).tolist()]
    (here,) = map(tuple, problem.graph.coordinates([vertex]).tolist())
    found = [closest(here, places, distance) for distance in (straight, along_x, along_y)]
    return [number for place, away in found for number in (*place, away)]


def _assert_like_naive(problem: Problem, state: SearchState, vertices: list[int]) -> None:
    expected = [_naive_row(problem, state, vertex) for vertex in vertices]
    assert compiled_rows(FEATURES, problem, state, vertices).tolist() == expected
    assert FEATURES(problem, state, vertices).tolist() == expected


def _open_grid(width: int, height: int) -> Problem:
    return grid_problem(World(np.zeros((height, width), np.bool_)))


# Buckets are sixteen cells wide: worlds of less than one, of several, and of one row or column.
@settings(max_examples=80)
@given(
    shape=st.sampled_from([(1, 1), (7, 5), (16, 16), (17, 33), (70, 50), (100, 1), (1, 100)]),
    count=st.sampled_from([0, 1, 2, 10, 60]),
    seed=SEEDS,
)
def test_on_a_grid_like_a_look_at_all_of_them(shape: tuple[int, int], count: int, seed: int) -> None:
    problem, rng = _open_grid(*shape), np.random.default_rng(seed)
    cells = shape[0] * shape[1]
    state = SearchState(cells)
    state.forbid(rng.permutation(cells)[:count].tolist(), [])
    _assert_like_naive(problem, state, rng.integers(0, cells, 20).tolist())


@settings(max_examples=40)
@given(count=st.integers(0, 12), seed=SEEDS, whole=st.booleans())
def test_on_a_graph_like_a_look_at_all_of_them(count: int, seed: int, whole: bool) -> None:
    rng = np.random.default_rng(seed)
    places = rng.integers(0, 4, (20, 2)) if whole else rng.normal(size=(20, 2))
    state = SearchState(20)
    state.forbid(rng.permutation(20)[:count].tolist(), [])
    problem = Problem(ExplicitGraph.from_edges(20, [], coordinates=places), 0, 1)
    _assert_like_naive(problem, state, list(range(20)))


@pytest.mark.parametrize("turn", [1, -1])
def test_of_equally_close_ones_the_first_discovered_counts(turn: int) -> None:
    problem, state = _open_grid(41, 41), SearchState(41 * 41)
    # At distance 5 around (20, 20), in four buckets; then a ring that is farther.
    around = [(25, 20), (20, 15), (15, 20), (23, 24), (16, 17), (20, 25), (20, 26)][::turn]
    state.forbid([y * 41 + x for x, y in around], [])
    first = next(place for place in around if place != (20, 26))
    (row,) = compiled_rows(FEATURES, problem, state, [20 * 41 + 20]).tolist()
    assert row[:3] == [*map(float, first), 5.0]
    assert row[3:6] == [*map(float, next(place for place in around if place[0] == 20)), 0.0]
    assert row[6:] == [*map(float, next(place for place in around if place[1] == 20)), 0.0]


def test_before_any_is_known_the_vertex_itself_counts() -> None:
    (row,) = compiled_rows(FEATURES, _open_grid(9, 9), SearchState(81), [3 * 9 + 7]).tolist()
    assert row == [7.0, 3.0, 0.0] * 3
