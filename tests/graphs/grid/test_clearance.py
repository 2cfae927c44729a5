from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from numpy.typing import NDArray
from scipy import ndimage

from sailplan.core import search
from sailplan.datasets import World
from sailplan.graphs import Moves, grid_problem
from sailplan.graphs.grid.clearance import inflate, widest_passage
from sailplan.policies import dijkstra
from sailplan.testing import draw_world

grids = arrays(np.bool_, array_shapes(min_dims=2, max_dims=2, max_side=25))


@given(grids)
def test_clearance_is_the_distance_transform_of_scipy(blocked: NDArray[np.bool_]) -> None:
    if blocked.any():
        np.testing.assert_array_equal(World(blocked).clearance(), ndimage.distance_transform_edt(~blocked))
    else:
        assert np.isinf(World(blocked).clearance()).all()


@pytest.mark.parametrize("share", [0.0005, 0.01, 0.3])
@pytest.mark.parametrize("shape", [(301, 200), (1, 400), (400, 1)])
def test_clearance_of_large_maps(share: float, shape: tuple[int, int]) -> None:
    blocked = np.random.default_rng(1).random(shape) < share
    blocked[0, 0] = True
    np.testing.assert_array_equal(World(blocked).clearance(), ndimage.distance_transform_edt(~blocked))


@given(grids, st.floats(0.0, 10.0))
def test_inflation_blocks_what_is_at_most_a_radius_away(blocked: NDArray[np.bool_], radius: float) -> None:
    far = ndimage.distance_transform_edt(~blocked) if blocked.any() else np.full(blocked.shape, np.inf)
    clear_cut = np.abs(far - radius) > 1e-6
    inflated = World(blocked).inflated(radius).blocked
    np.testing.assert_array_equal(inflated[clear_cut], (blocked | (far <= radius))[clear_cut])
    assert inflated[blocked].all()


def test_a_radius_of_whole_cells_is_exact_whatever_the_resolution() -> None:
    blocked = np.zeros((1, 12), np.bool_)
    blocked[0, 0] = True
    for cells in range(1, 11):
        for resolution in (0.05, 0.1, 0.3, 1 / 3):
            assert inflate(blocked, cells * resolution / resolution).sum() == cells + 1
            assert inflate(blocked, 0.05 * cells / 0.05).sum() == cells + 1


def test_inflation_keeps_the_rest_of_a_world() -> None:
    world = World(np.eye(3, dtype=bool), name="w", resolution=0.5, unknown_cells=2, costs=np.full((3, 3), 2.0))
    inflated = world.inflated(1.0)
    assert (inflated.name, inflated.resolution, inflated.unknown_cells) == ("w", 0.5, 2)
    assert inflated.costs is not None
    assert world.inflated(0.0) is world


@pytest.mark.parametrize(("corner_cutting", "widest"), [(True, 1.0), (False, 0.0)])
def test_the_widest_passage_obeys_the_corner_rule(corner_cutting: bool, widest: float) -> None:
    world = draw_world(
        """
        ..#.
        ..#.
        ##..
        ....
        """
    )
    found = widest_passage(world.blocked, (0, 3), (3, 0), diagonal=True, corner_cutting=corner_cutting)
    assert found == widest


def test_a_door_of_three_cells_lets_a_radius_below_two_pass() -> None:
    world = draw_world(
        """
        ....#....
        .........
        .........
        .........
        ....#....
        """
    )
    assert widest_passage(world.blocked, (0, 2), (8, 2), diagonal=True, corner_cutting=False) == 2.0


@given(grids, st.booleans(), st.booleans(), st.integers(0, 2**32 - 1))
def test_a_path_exists_below_the_widest_passage_and_not_above(
    blocked: NDArray[np.bool_], diagonal: bool, corner_cutting: bool, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    height, width = blocked.shape
    (x, to_x), (y, to_y) = rng.integers(width, size=2).tolist(), rng.integers(height, size=2).tolist()
    moves = Moves(diagonal=diagonal, corner_cutting=corner_cutting)
    found = widest_passage(blocked, (x, y), (to_x, to_y), diagonal=diagonal, corner_cutting=corner_cutting)
    assert_tight(World(blocked), (x, y), (to_x, to_y), moves, found)


def assert_tight(world: World, start: tuple[int, int], goal: tuple[int, int], moves: Moves, widest: float) -> None:
    def has_path(radius: float) -> bool:
        inflated = world.inflated(radius)
        if not (inflated.is_free(start) and inflated.is_free(goal)):
            return False
        return search(grid_problem(inflated, start, goal, moves), dijkstra()).found

    if widest == math.inf:
        assert not world.blocked.any()
    elif widest == 0.0:
        assert not has_path(0.0)
    else:
        assert has_path(widest - 1e-3)
        assert not has_path(widest)
