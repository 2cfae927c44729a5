"""Voxel graphs over a volume: 6-, 18- or 26-connected, with or without corner cutting, in voxels and in metres."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np

from sailplan.core.graph import EdgeStatus, Problem
from sailplan.errors import GraphError, ProblemError
from sailplan.graphs.grid.checks import shown
from sailplan.graphs.voxels.kernel.edges import CORNERS, FACES, PLANES, VoxelArrays
from sailplan.graphs.voxels.volume import Volume, Voxel, as_point, as_voxel

_CONNECTIVITIES = (FACES, PLANES, CORNERS)


def _moves() -> tuple[Voxel, ...]:
    """Return the 26 moves: straight ones, then those with two and with three components; opposite ones are paired."""
    halves = [move for move in product((1, 0, -1), repeat=3) if move > (0, 0, 0)]
    halves.sort(key=lambda move: sum(map(abs, move)))
    return tuple(signed for x, y, z in halves for signed in ((x, y, z), (-x, -y, -z)))


MOVES = _moves()
"""The moves by slot; the order of successors is part of the contract."""


def _squeezed(move: Voxel) -> tuple[Voxel, ...]:
    """Return the voxels of the box between source and target of a move, without these two."""
    along_x, along_y, along_z = ((0, component) if component else (0,) for component in move)
    return tuple(part for part in product(along_x, along_y, along_z) if part not in ((0, 0, 0), move))


BESIDE = tuple(_squeezed(move) for move in MOVES)
"""The voxels that the move in each slot squeezes past, relative to its source: none, 2 or 6."""


@dataclass(frozen=True, eq=False)
class VoxelGraph(Volume):
    """A three-dimensional grid over a boolean volume; moves cost their length in voxels: 1, √2 or √3.

    A move into a blocked voxel is invalid. Without corner cutting, a diagonal move is also invalid if one of the voxels
    that it squeezes past is blocked: all other voxels of the box that its source and its target span, which are 2 for
    a move with two components and 6 for one with three. Edges are computed when they are needed; nothing is stored
    for them.

    Parameters
    ----------
    blocked
        A boolean array of shape (size_x, size_y, size_z), indexed [x, y, z].

    Raises
    ------
    GraphError
        If the array is not boolean or not three-dimensional, or another field is out of its range.

    Examples
    --------
    >>> graph = VoxelGraph(np.zeros((3, 3, 3), bool), resolution=0.5)
    >>> problem = graph.problem((0, 0, 0), (2, 2, 2))
    >>> from sailplan import load_policy, search
    >>> result = search(problem, load_policy("a_star_octile"))
    >>> problem.states(result.path)
    [(0, 0, 0), (1, 1, 1), (2, 2, 2)]
    >>> graph.points(result.path).tolist()
    [[0.25, 0.25, 0.25], [0.75, 0.75, 0.75], [1.25, 1.25, 1.25]]
    """

    connectivity: int = CORNERS
    """6 (faces), 18 (and moves with two components) or 26 (and moves with three). For A* the heuristic `octile` is the
    exact distance in an empty volume with 26 moves and a lower bound with fewer; `manhattan` is exact with 6."""
    corner_cutting: bool = False
    """Whether a diagonal move needs a free target only."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.connectivity, int | np.integer) or self.connectivity not in _CONNECTIVITIES:
            raise GraphError(f"{self.name}: connectivity must be 6, 18 or 26, got {shown(self.connectivity)}")
        # A small integer of NumPy would overflow in sums.
        object.__setattr__(self, "connectivity", int(self.connectivity))
        if not isinstance(self.corner_cutting, bool | np.bool_):
            raise GraphError(f"{self.name}: corner_cutting must be True or False, got {shown(self.corner_cutting)}")

    @property
    def vertex_count(self) -> int:
        """Number of voxels, including blocked ones."""
        return self.blocked.size

    @property
    def max_degree(self) -> int:
        """Number of moves: 6, 18 or 26."""
        return self.connectivity

    @property
    def max_in_degree(self) -> int:
        """Equal to `max_degree`: every move has a reverse."""
        return self.connectivity

    def vertex(self, voxel: Voxel) -> int:
        """Return the vertex of a voxel (x, y, z); raises ProblemError if the voxel is outside."""
        x, y, z = as_voxel(voxel)
        size_x, size_y, size_z = self.shape
        if not (0 <= x < size_x and 0 <= y < size_y and 0 <= z < size_z):
            raise ProblemError(f"{self.name}: voxel {(x, y, z)} is outside {size_x} x {size_y} x {size_z}")
        return (x * size_y + y) * size_z + z

    def state(self, vertex: int) -> Voxel:
        """Return the voxel (x, y, z) of a vertex."""
        return self.voxel(vertex)

    def successors(self, vertex: int) -> tuple[list[int], list[float]]:
        """Return neighbouring voxels and the costs of the moves: straight ones first, those in space last."""
        voxel, shape, (steps, costs) = self.voxel(vertex), self.shape, self._steps
        targets, lengths = [], []
        for slot in range(self.connectivity):
            moved = (at + by for at, by in zip(voxel, MOVES[slot], strict=True))
            if all(0 <= at < size for at, size in zip(moved, shape, strict=True)):
                targets.append(vertex + steps[slot])
                lengths.append(costs[slot])
        return targets, lengths

    def evaluate(self, vertex: int, targets: Sequence[int]) -> list[EdgeStatus]:
        """Evaluate moves: a blocked voxel is an invalid target, a corner that must not be cut an invalid edge."""
        return [self._evaluate_move(self.voxel(vertex), self.voxel(target)) for target in targets]

    def _evaluate_move(self, source: Voxel, target: Voxel) -> EdgeStatus:
        if self.blocked[target]:
            return EdgeStatus.INVALID_TARGET
        if self._arrays.any_target:
            return EdgeStatus.VALID_TARGET
        x, y, z = source
        move = target[0] - x, target[1] - y, target[2] - z
        squeezed = (self.blocked[x + dx, y + dy, z + dz] for dx, dy, dz in BESIDE[MOVES.index(move)])
        return EdgeStatus.INVALID_EDGE if any(squeezed) else EdgeStatus.VALID

    @cached_property
    def _steps(self) -> tuple[list[int], list[float]]:
        arrays = self._arrays
        return arrays.steps[:, 3].tolist(), arrays.costs.tolist()

    @cached_property
    def _arrays(self) -> VoxelArrays:
        size_x, size_y, size_z = self.shape
        strides = np.array([size_y * size_z, size_z, 1])
        moves = np.array(MOVES, np.int64)
        beside = np.zeros((len(MOVES), 6), np.int64)
        for slot, voxels in enumerate(BESIDE):
            if voxels:
                beside[slot, : len(voxels)] = np.array(voxels) @ strides
        return VoxelArrays(
            blocked=self.blocked.reshape(-1),
            size_x=size_x,
            size_y=size_y,
            size_z=size_z,
            connectivity=int(self.connectivity),
            any_target=bool(self.corner_cutting) or self.connectivity == FACES,
            steps=np.column_stack([moves, moves @ strides]),
            costs=np.sqrt(np.abs(moves).sum(axis=1).astype(np.float64)),
            beside=beside,
        )

    def arrays(self) -> VoxelArrays:
        """Return the volume for the compiled engine, which computes the edges from the voxels."""
        return self._arrays

    def backward_arrays(self) -> VoxelArrays:
        """Return the same arrays: a move between free voxels has the same status and cost in both directions."""
        return self._arrays

    def problem(self, start: Sequence[float], goal: Sequence[float], *, metres: bool = False) -> Problem:
        """Pose the problem of finding a path between two free voxels.

        Parameters
        ----------
        start, goal
            Voxels (x, y, z), or points if `metres` is set.
        metres
            Whether start and goal are points in metres.

        Returns
        -------
        Problem
            A problem on this graph.

        Raises
        ------
        ProblemError
            If start or goal is not three integers, or numbers in metres, lies outside the volume or is blocked.
        GraphError
            If `metres` is set and the graph has no resolution.
        """
        ends = [self._free_vertex(role, given, metres) for role, given in (("start", start), ("goal", goal))]
        return Problem(self, ends[0], ends[1], name=self.name)

    def _free_vertex(self, role: str, given: Sequence[float], metres: bool) -> int:
        if metres:
            self.side()
            voxel = self.voxel_at(*as_point(given, f"{self.name}: the {role}", ProblemError))
        else:
            voxel = as_voxel(given, f"{self.name}: the {role}")
        if not all(0 <= at < size for at, size in zip(voxel, self.shape, strict=True)):
            sizes = " x ".join(map(str, self.shape))
            raise ProblemError(f"{self.name}: the {role} {shown(given)} is outside {sizes} voxels")
        if self.blocked[voxel]:
            raise ProblemError(f"{self.name}: the {role} {shown(given)} is blocked; {self._closest_free(voxel)}")
        return self.vertex(voxel)

    def _closest_free(self, voxel: Voxel) -> str:
        free = np.argwhere(~self.blocked)
        if len(free) == 0:
            return "there is no free voxel at all"
        x, y, z = free[np.argmin(((free - voxel) ** 2).sum(axis=1))].tolist()
        if self.resolution is None:
            return f"the closest free voxel is {(x, y, z)}"
        metres = ", ".join(f"{at:.6g}" for at in self.in_metres((x, y, z)))
        return f"the closest free voxel is {(x, y, z)}, at ({metres}) metres"

    def __repr__(self) -> str:
        sizes = " x ".join(map(str, self.shape))
        return f"VoxelGraph({self.name!r}, {sizes}, {self.connectivity} moves, {self.blocked.mean():.0%} blocked)"
