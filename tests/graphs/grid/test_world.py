from __future__ import annotations

import math
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from numpy.typing import ArrayLike, NDArray

from sailplan.datasets import World
from sailplan.errors import WorldError


def test_the_bottom_row_of_an_image_is_row_zero() -> None:
    world = World.from_image([[1, 1, 0], [0, 1, 1]], name="two rows")
    assert world.blocked.tolist() == [[True, False, False], [False, False, True]]
    assert (world.width, world.height) == (3, 2)
    assert not world.is_free((0, 0))
    assert world.is_free((0, 1))
    assert not world.is_free((2, 1))


def test_cells_outside_are_neither_contained_nor_free() -> None:
    world = World(np.zeros((2, 3), dtype=np.bool_))
    assert world.contains((2, 1))
    for outside in ((-1, 0), (0, -1), (3, 0), (0, 2)):
        assert not world.contains(outside)
        assert not world.is_free(outside)


@given(arrays(np.bool_, array_shapes(min_dims=2, max_dims=2)))
def test_image_is_the_inverse_of_from_image(free: NDArray[np.bool_]) -> None:
    np.testing.assert_array_equal(World.from_image(free).image(), free)


def test_a_world_cannot_be_changed_from_outside() -> None:
    array = np.zeros((2, 2), dtype=bool)
    world = World(array)
    array[0, 0] = True
    assert world.is_free((0, 0))
    with pytest.raises(ValueError, match="read-only"):
        world.blocked[0, 0] = True


@pytest.mark.parametrize("shape", [(3,), (2, 2, 2), (0, 3), (3, 0)])
def test_other_shapes_are_refused(shape: tuple[int, ...]) -> None:
    with pytest.raises(WorldError, match=r"^odd: a world needs two dimensions and a cell, got shape \("):
        World(np.zeros(shape, dtype=np.bool_), name="odd")


@pytest.mark.parametrize(
    ("array", "advice"),
    [
        (np.zeros((2, 2)), "for terrain costs use costs="),
        (np.zeros((2, 2), np.int64), "use World.from_image for 0 and 1, where 1 is free"),
        (np.zeros((2, 2), np.uint8), "use World.from_gray for gray values"),
        (np.full((2, 2), None), "use a boolean array"),
        (np.full((2, 2), "x"), "use a boolean array"),
    ],
)
def test_only_boolean_arrays_are_worlds(array: NDArray[Any], advice: str) -> None:
    with pytest.raises(WorldError, match=rf"^odd: blocked must be a boolean array, got \S+; {advice}"):
        World(array, name="odd")


def test_ragged_rows_are_refused() -> None:
    with pytest.raises(WorldError, match=r"^odd: a world needs rows of equal length$"):
        World([[True, False], [True]], name="odd")  # type: ignore[arg-type]


@pytest.mark.parametrize("array", [np.full((2, 2), 2), np.full((2, 2), -1), np.full((2, 2), 0.5), [["a"]]])
def test_a_mask_is_boolean_or_made_of_0_and_1(array: ArrayLike) -> None:
    with pytest.raises(WorldError, match=r"^odd: a mask of free cells is boolean, or 0 and 1, got an array of "):
        World.from_image(array, name="odd")


def test_gray_values() -> None:
    pixels = np.array([[0, 127, 128], [205, 204, 255]], np.uint8)
    world = World.from_gray(pixels)
    assert world.image().tolist() == [[False, False, True], [False, True, True]]
    assert (world.unknown_cells, world.unknown) == (1, "blocked")
    world = World.from_gray(pixels, unknown="free")
    assert world.image().tolist() == [[False, False, True], [True, True, True]]
    assert (world.unknown_cells, world.unknown) == (1, "free")


def test_gray_values_that_look_like_a_mask_are_refused() -> None:
    for pixels in (np.zeros((2, 2), np.uint8), np.ones((2, 2), np.uint8), np.eye(2, dtype=np.uint8)):
        with pytest.raises(WorldError, match="the gray values are all 0 or 1, so this looks like a mask"):
            World.from_gray(pixels)
    with pytest.raises(WorldError, match="a gray image is an array of uint8, got an array of float64"):
        World.from_gray(np.full((2, 2), 255.0))
    with pytest.raises(WorldError, match=r'^unknown must be "free" or "blocked", got 3$'):
        World.from_gray(np.full((2, 2), 255, np.uint8), unknown=3)  # type: ignore[arg-type]


COSTS = r"costs must be at least 1 and at most 1e\+100, got "


@pytest.mark.parametrize(
    ("costs", "message"),
    [
        (np.ones((3, 2)), r"costs need the shape of the map \(2, 3\), got \(3, 2\)"),
        (np.full((2, 3), 0.5), COSTS + r"0.5 at cell \(0, 0\)"),
        (
            np.array([[1, 1, 1], [1, np.nan, 1]]),
            COSTS + r"nan at cell \(1, 1\)",
        ),
        (
            np.array([[1, 1, np.inf], [1, 1, 1]]),
            COSTS + r"inf at cell \(2, 0\)",
        ),
        (np.ones((2, 3), bool), "costs must be numbers, got bool"),
        (max, r"costs need the shape of the map \(2, 3\), got \(\)"),
    ],
)
def test_bad_costs_are_refused(costs: Any, message: str) -> None:
    with pytest.raises(WorldError, match=f"^w: {message}$"):
        World(np.zeros((2, 3), np.bool_), name="w", costs=costs)


def test_costs_are_kept_as_floats_that_cannot_be_changed() -> None:
    costs = np.full((2, 3), 7, np.uint8)
    world = pickle.loads(pickle.dumps(World(np.zeros((2, 3), np.bool_), costs=costs)))  # type: ignore[arg-type]
    costs[:] = 0
    assert world.costs.dtype == np.float64
    assert (world.costs == 7).all()
    assert not world.costs.flags.writeable


@given(
    st.tuples(st.integers(-100, 300), st.integers(-100, 300)),
    st.floats(1e-3, 1e3),
    st.tuples(st.floats(-1e3, 1e3), st.floats(-1e3, 1e3), st.floats(-10, 10)),
)
def test_cell_at_is_the_inverse_of_in_metres(
    cell: tuple[int, int], resolution: float, origin: tuple[float, float, float]
) -> None:
    world = World(np.zeros((2, 3), np.bool_), resolution=resolution, origin=origin)
    assert world.cell_at(*world.in_metres(cell)) == cell


def test_a_turned_map() -> None:
    world = World(np.zeros((4, 4), np.bool_), resolution=0.5, origin=(1.0, 2.0, math.pi / 2))
    assert world.in_metres((3, 0)) == pytest.approx((0.75, 3.75))
    assert world.cell_at(0.75, 3.75) == (3, 0)


def test_metres_need_a_resolution_and_finite_numbers() -> None:
    world = World(np.zeros((2, 3), np.bool_), name="w")
    message = r"^w: the world has no resolution, so it cannot convert metres; use cells$"
    with pytest.raises(WorldError, match=message):
        world.cell_at(0, 0)
    with pytest.raises(WorldError, match=message):
        world.in_metres((0, 0))
    points: list[Any] = [(math.nan, 0), (0, math.inf), ("a", 0), (None, 0)]
    for point in points:
        with pytest.raises(WorldError, match=r"^w: a point in metres is two finite numbers, got "):
            World(np.zeros((2, 3), np.bool_), name="w", resolution=1).cell_at(*point)


def test_repr_says_what_it_is() -> None:
    assert repr(World.from_image([[0, 1]], name="pair")) == "World('pair', 2 x 1, 50% blocked)"


def test_a_copy_from_a_pickle_is_as_immutable() -> None:
    copy = pickle.loads(pickle.dumps(World([[True, False]], name="w", resolution=0.5)))  # type: ignore[arg-type]
    assert (copy.name, copy.resolution, copy.blocked.tolist()) == ("w", 0.5, [[True, False]])
    assert not copy.blocked.flags.writeable
