from __future__ import annotations

import numpy as np
import pytest
from numba import njit

from sailplan.core.kernel.arrays import NO_VERTEX
from sailplan.core.kernel.edges import locate, successor
from sailplan.graphs.grid.kernel.edges import GridArrays


def _grid(width: int, height: int) -> GridArrays:
    return GridArrays(np.zeros(0, np.bool_), width, height, 8, True, 1.5)


@njit
def _cell(grid, vertex):  # type: ignore[no-untyped-def]
    return locate(grid, vertex)


@njit
def _step(grid, x, y, slot):  # type: ignore[no-untyped-def]
    return successor(grid, (x, y), slot)


@pytest.mark.parametrize(("width", "height"), [(1, 1), (7, 3), (1, 2**28), (2**28, 1), (70_000, 3000), (2**14, 2**14)])
def test_cells_of_wide_and_tall_grids(width: int, height: int) -> None:
    grid = _grid(width, height)
    for vertex in {0, 1, width - 1, width, width * height // 2, width * height - 1}:
        if vertex < width * height:
            assert _cell(grid, vertex) == (vertex % width, vertex // width)


def test_steps_off_the_grid_lead_nowhere() -> None:
    assert [_step(_grid(1, 1), 0, 0, slot) for slot in range(8)] == [NO_VERTEX] * 8
    around = [_step(_grid(3, 3), 1, 1, slot) for slot in range(8)]
    assert around == [5, 7, 3, 1, 8, 6, 0, 2]
    assert [_step(_grid(3, 3), 2, 2, slot) for slot in range(8)] == [-1, -1, 7, 5, -1, -1, 4, -1]
