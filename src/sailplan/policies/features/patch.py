"""What the search knows of the cells around a vertex."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from sailplan.core.graph import FloatArray, Problem
from sailplan.core.kernel.arrays import INVALID, UNSEEN
from sailplan.core.state import SearchState
from sailplan.errors import FeatureError
from sailplan.graphs.grid.graph import GridGraph
from sailplan.policies.features.kernel import KNOWN_FREE, KNOWN_INVALID, LARGEST_RADIUS, UNKNOWN, patch_code
from sailplan.policies.features.relative import direction


@dataclass(frozen=True)
class Patch:
    """A square of cells around the vertex: known to be invalid or outside (1), known to be free (-1) or unknown (0).

    The square is mirrored so that the goal lies to the upper right of the start. Rows are listed from the bottom up,
    cells of a row from left to right.

    Raises
    ------
    FeatureError
        If the radius is not positive or is too large.

    Examples
    --------
    >>> Patch(radius=1).columns
    ('cell_-1_-1', 'cell_0_-1', 'cell_1_-1', 'cell_-1_0', 'cell_0_0', 'cell_1_0', 'cell_-1_1', 'cell_0_1', 'cell_1_1')
    """

    radius: int = 5
    """Number of cells on each side of the vertex."""
    needs_grid: ClassVar[bool] = True
    is_patch: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if not 0 < self.radius <= LARGEST_RADIUS:
            raise FeatureError(f"the radius of a patch must be 1 .. {LARGEST_RADIUS}, got {self.radius}")

    @property
    def offsets(self) -> list[tuple[int, int]]:
        """The offset (dx, dy) of each cell."""
        reach = range(-self.radius, self.radius + 1)
        return [(dx, dy) for dy in reach for dx in reach]

    @property
    def columns(self) -> tuple[str, ...]:
        """The name of each cell."""
        return tuple(f"cell_{dx}_{dy}" for dx, dy in self.offsets)

    @property
    def kernel_columns(self) -> tuple[int, ...]:
        """The code of each cell in the kernel."""
        return tuple(patch_code(dx, dy) for dx, dy in self.offsets)

    def __call__(self, problem: Problem, state: SearchState, vertices: Sequence[int]) -> FloatArray:
        """Return what is known of the cells around each vertex, shape (vertices, cells)."""
        graph = problem.graph
        if not isinstance(graph, GridGraph):
            raise FeatureError(f"{problem.name}: a patch needs a grid")
        width, height = graph.world.width, graph.world.height
        steps = (np.array(self.offsets) * direction(problem)).astype(np.int64)
        cells = graph.coordinates(vertices).astype(np.int64)[:, None, :] + steps[None, :, :]
        x, y = cells[:, :, 0], cells[:, :, 1]
        inside = (x >= 0) & (x < width) & (y >= 0) & (y < height)
        status = state.status[np.where(inside, y * width + x, 0)]
        known = np.select([~inside | (status == INVALID), status == UNSEEN], [KNOWN_INVALID, UNKNOWN], KNOWN_FREE)
        return np.asarray(known, np.float64)
