"""Grid graphs over a world: 4- or 8-connected, of any shape, with or without corner cutting."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sailplan.core.graph import LARGEST_NUMBER, EdgeStatus, FloatArray, Problem, range_for
from sailplan.core.kernel.arrays import NONE
from sailplan.core.state import sparse_empty
from sailplan.errors import GraphError, ProblemError
from sailplan.graphs.grid.checks import shown
from sailplan.graphs.grid.kernel.edges import STEPS_X, STEPS_Y, GridArrays, TerrainArrays
from sailplan.graphs.grid.kernel.obstacles import BUCKET_SIDE, GridObstacles
from sailplan.graphs.grid.kernel.walls import DIRECTIONS
from sailplan.graphs.grid.world import Cell, World, as_cell, corner_cells


@dataclass(frozen=True)
class Moves:
    """The moves of a grid and their costs; straight moves cost 1.

    Raises
    ------
    GraphError
        If a field has the wrong type, or the cost is negative, infinite or above `LARGEST_NUMBER`.

    Examples
    --------
    >>> Moves(diagonal=False)
    Moves(diagonal=False, corner_cutting=True, diagonal_cost=1.4142135623730951)
    """

    diagonal: bool = True
    """Whether diagonal moves are allowed (8-connected) or not (4-connected)."""
    corner_cutting: bool = True
    """Whether a diagonal move needs a free target only (the rule of the paper); if false, both cells beside it must be
    free as well."""
    diagonal_cost: float = math.sqrt(2.0)
    """Cost of a diagonal move; a straight move costs 1."""

    def __post_init__(self) -> None:
        for flag in ("diagonal", "corner_cutting"):
            if not isinstance(getattr(self, flag), bool | np.bool_):
                raise GraphError(f"{flag} must be True or False, got {shown(getattr(self, flag))}")
        if not isinstance(self.diagonal_cost, int | float | np.number):
            raise GraphError(f"the cost of a diagonal move must be a number, got {shown(self.diagonal_cost)}")
        # Not compared as a float32, in which the largest number is infinite.
        cost = self.diagonal_cost if isinstance(self.diagonal_cost, int) else float(self.diagonal_cost)
        if not 0.0 <= cost <= LARGEST_NUMBER:
            raise GraphError(f"the cost of a diagonal move must be {range_for(cost)}")


PAPER_MOVES = Moves()
"""8-connected with corner cutting: the rule of the paper."""
MOVINGAI_MOVES = Moves(corner_cutting=False)
"""8-connected without corner cutting: the rule of the MovingAI benchmarks."""


@dataclass(frozen=True, eq=False)
class GridGraph:
    """A grid over the cells of a world: vertex = y * width + x.

    Examples
    --------
    >>> from sailplan.testing import draw_world
    >>> graph = GridGraph(draw_world("..#"), Moves(diagonal=False))
    >>> graph.vertex((1, 0)), graph.successors(1), graph.evaluate(1, [2, 0])
    (1, ([2, 0], [1.0, 1.0]), [<EdgeStatus.INVALID_TARGET: 2>, <EdgeStatus.VALID_TARGET: 3>])
    """

    world: World
    moves: Moves = PAPER_MOVES

    def __post_init__(self) -> None:
        for given, kind in ((self.world, World), (self.moves, Moves)):
            if not isinstance(given, kind):
                raise GraphError(f"a grid needs a World and Moves, got {type(given).__name__} for {kind.__name__}")

    def __getstate__(self) -> dict[str, object]:
        # A copy makes its arrays from its world. Copied arrays could be written to, which is another type to Numba:
        # all kernels would be compiled again for them.
        return {"world": self.world, "moves": self.moves}

    @property
    def vertex_count(self) -> int:
        """Number of cells, including blocked ones."""
        return self.world.width * self.world.height

    @property
    def max_degree(self) -> int:
        """Number of moves: 4 or 8."""
        return 8 if self.moves.diagonal else 4

    @property
    def max_in_degree(self) -> int:
        """Equal to `max_degree`: every move has a reverse."""
        return self.max_degree

    def vertex(self, cell: Cell) -> int:
        """Return the vertex of a cell (x, y); raises ProblemError if the cell is outside."""
        x, y = as_cell(cell)
        if not self.world.contains((x, y)):
            raise ProblemError(f"{self.world.name}: cell {(x, y)} is outside {self.world.width} x {self.world.height}")
        return y * self.world.width + x

    def cell(self, vertex: int) -> Cell:
        """Return the cell (x, y) of a vertex."""
        return int(vertex) % self.world.width, int(vertex) // self.world.width

    def state(self, vertex: int) -> Cell:
        """Return the cell (x, y) of a vertex."""
        return self.cell(vertex)

    def successors(self, vertex: int) -> tuple[list[int], list[float]]:
        """Return neighbouring cells and the costs of the moves: straight ones first, each group counter-clockwise."""
        width, height, terrain = self.world.width, self.world.height, self.world.costs
        x, y = self.cell(vertex)
        targets, costs = [], []
        for slot in range(self.max_degree):
            to_x, to_y = x + STEPS_X[slot], y + STEPS_Y[slot]
            if 0 <= to_x < width and 0 <= to_y < height:
                targets.append(to_y * width + to_x)
                length = 1.0 if slot < 4 else self.moves.diagonal_cost
                costs.append(length if terrain is None else length * (0.5 * float(terrain[y, x] + terrain[to_y, to_x])))
        return targets, costs

    def evaluate(self, vertex: int, targets: Sequence[int]) -> list[EdgeStatus]:
        """Evaluate moves: a blocked cell is an invalid target, a corner that must not be cut an invalid edge."""
        return [self._evaluate_move(self.cell(vertex), self.cell(target)) for target in targets]

    def _evaluate_move(self, source: Cell, target: Cell) -> EdgeStatus:
        (x, y), (to_x, to_y) = source, target
        blocked = self.world.blocked
        if blocked[to_y, to_x]:
            return EdgeStatus.INVALID_TARGET
        if self.moves.corner_cutting:
            return EdgeStatus.VALID_TARGET
        if x == to_x or y == to_y:
            return EdgeStatus.VALID
        return EdgeStatus.INVALID_EDGE if blocked[y, to_x] or blocked[to_y, x] else EdgeStatus.VALID

    def coordinates(self, vertices: Sequence[int]) -> FloatArray:
        """Return the cells (x, y) of vertices, shape (vertices, 2)."""
        cells = np.empty((len(vertices), 2))
        np.divmod(vertices, self.world.width, out=(cells[:, 1], cells[:, 0]))
        return cells

    @cached_property
    def _arrays(self) -> GridArrays | TerrainArrays:
        grid = GridArrays(
            blocked=self.world.blocked.reshape(-1),
            width=self.world.width,
            height=self.world.height,
            directions=self.max_degree,
            corner_cutting=self.moves.corner_cutting,
            diagonal_cost=float(self.moves.diagonal_cost) if self.moves.diagonal else 2.0,
        )
        return grid if self.world.costs is None else TerrainArrays(*grid, terrain=self.world.costs.reshape(-1))

    def arrays(self) -> GridArrays | TerrainArrays:
        """Return the grid for the compiled engine, which computes the edges from the cells."""
        return self._arrays

    def backward_arrays(self) -> GridArrays | TerrainArrays:
        """Return the same arrays: an edge between free cells has the same status and cost in both directions."""
        return self._arrays

    def obstacle_arrays(self, *, walls: bool) -> GridObstacles:
        """Allocate the spatial index of the invalid cells that a compiled search discovers."""
        width, height = self.world.width, self.world.height
        vertices = self.vertex_count
        in_walls = vertices if walls else 0
        return GridObstacles(
            cells=sparse_empty((vertices, 2), np.int32),
            heads=np.full((-(-height // BUCKET_SIDE), -(-width // BUCKET_SIDE)), NONE, np.int32),
            links=sparse_empty(vertices, np.int32),
            columns=np.full(width, NONE, np.int32),
            rows=np.full(height, NONE, np.int32),
            roots=np.full(in_walls, NONE, np.int32),
            sizes=np.empty(in_walls, np.int32),
            extremes=np.empty((in_walls, DIRECTIONS), np.int32),
        )


def grid_problem(
    world: World, start: Cell | None = None, goal: Cell | None = None, moves: Moves = PAPER_MOVES
) -> Problem:
    """Pose the problem of finding a path between two free cells of a world.

    Parameters
    ----------
    world
        The world to plan in.
    start, goal
        Cells (x, y), in any integer type; by default the bottom-left and the top-right cell.
    moves
        Which moves are allowed. The default is the rule of the paper, which allows corner cutting.

    Returns
    -------
    Problem
        A problem whose graph is a `GridGraph`.

    Raises
    ------
    ProblemError
        If start or goal is not a pair of integers, lies outside the world or is blocked.

    Examples
    --------
    >>> problem = grid_problem(World(np.zeros((2, 3), bool)), goal=(2, 0))
    >>> problem.start, problem.goal
    (0, 2)
    """
    if not isinstance(world, World):
        raise ProblemError(f"a grid problem needs a World, got {shown(world)}")
    if not isinstance(moves, Moves):
        raise ProblemError(f"{world.name}: moves must be given as Moves(...), got {shown(moves)}")
    graph = GridGraph(world, moves)
    first, last = corner_cells(world)
    ends = [
        _free_vertex(world, role, default if cell is None else cell)
        for role, cell, default in (("start", start, first), ("goal", goal, last))
    ]
    return Problem(graph, ends[0], ends[1], name=world.name)


def _free_vertex(world: World, role: str, given: Cell) -> int:
    """Return the vertex of a cell; raises ProblemError if it is not a free cell of the world."""
    try:
        x, y = cell = as_cell(given, role)
    except ProblemError as error:
        raise ProblemError(f"{world.name}: {error}") from error
    if not world.contains(cell):
        raise ProblemError(f"{world.name}: the {role} {cell} is outside {world.width} x {world.height}")
    if world.blocked[y, x]:
        raise ProblemError(f"{world.name}: the {role} {cell} is blocked; {_closest_free(world, cell)}")
    return y * world.width + x


def _closest_free(world: World, cell: Cell) -> str:
    rows, columns = np.nonzero(~world.blocked)
    if len(rows) == 0:
        return "there is no free cell at all"
    closest = np.argmin((columns - cell[0]) ** 2 + (rows - cell[1]) ** 2)
    found = int(columns[closest]), int(rows[closest])
    if world.resolution is None:
        return f"the closest free cell is {found}"
    x, y = world.in_metres(found)
    return f"the closest free cell is {found}, at ({x:.6g}, {y:.6g}) metres"
