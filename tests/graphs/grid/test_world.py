from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis.extra.numpy import array_shapes, arrays
from numpy.typing import NDArray

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


def test_repr_says_what_it_is() -> None:
    assert repr(World.from_image([[0, 1]], name="pair")) == "World('pair', 2 x 1, 50% blocked)"


def test_a_copy_from_a_pickle_is_as_immutable() -> None:
    copy = pickle.loads(pickle.dumps(World([[True, False]], name="w", resolution=0.5)))  # type: ignore[arg-type]
    assert (copy.name, copy.resolution, copy.blocked.tolist()) == ("w", 0.5, [[True, False]])
    assert not copy.blocked.flags.writeable
