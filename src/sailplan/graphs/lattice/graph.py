"""Lattices: poses (x, y, heading) on a map, connected by motion primitives."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from sailplan.core.graph import EdgeStatus, FloatArray, Problem
from sailplan.core.kernel.heap import VERTEX_BITS
from sailplan.errors import GraphError, ProblemError, SailplanError
from sailplan.graphs.grid.checks import shown
from sailplan.graphs.grid.world import World
from sailplan.graphs.lattice.footprint import Cells, Footprint, FootprintLike, as_footprint
from sailplan.graphs.lattice.kernel import LatticeArrays
from sailplan.graphs.lattice.primitives import FULL_TURN, MotionPrimitives, Pose
from sailplan.graphs.lattice.tables import Motion, build_motions, forward_arrays, reversed_arrays, standing_cells

_SAME_RESOLUTION = 1e-6


@dataclass(frozen=True, eq=False)
class LatticeGraph:
    """Poses of a robot on a map, one for each cell and heading: vertex = (y * width + x) * headings + heading.

    The graph is implicit: edges are computed from the motion primitives. To evaluate an edge is to test every cell that
    the footprint of the robot overlaps along the motion; see `Footprint.sweep`. The outside of the map is blocked.

    Parameters
    ----------
    world
        The map. If it has no resolution, its cells are as large as those of the primitives. It must not have terrain
        costs.
    primitives
        The motions of the robot. Of two motions between the same poses, only the cheaper one is used.
    footprint
        A radius in metres, or the corners (x, y) of a polygon in metres: x points ahead, y to the left.
    conservative
        Whether the cells are enlarged by an eighth on each side along motions, so that every overlap is found.

    Raises
    ------
    GraphError
        If the resolutions differ, the footprint is not valid, the map has terrain costs, or there are too many poses.

    Examples
    --------
    >>> from sailplan.graphs.lattice.primitives import four_ways
    >>> from sailplan.testing import draw_world
    >>> graph = LatticeGraph(draw_world("..#"), four_ways([(1, 0, 0)], resolution=0.5), footprint=0.1)
    >>> graph.vertex_count, graph.successors(0)
    (12, ([4], [0.5]))
    >>> graph.evaluate(0, [4]), graph.evaluate(4, [8])
    ([<EdgeStatus.VALID: 0>], [<EdgeStatus.INVALID_TARGET: 2>])
    """

    world: World
    primitives: MotionPrimitives
    footprint: FootprintLike
    conservative: bool = True

    def __post_init__(self) -> None:
        world, primitives = self.world, self.primitives
        if not isinstance(world, World) or not isinstance(primitives, MotionPrimitives):
            raise GraphError(
                f"a lattice needs a World and MotionPrimitives, got {shown(world)} and {shown(primitives)}"
            )
        if world.costs is not None:
            raise GraphError(f"{world.name}: terrain costs are not supported on a lattice")
        if world.resolution is None:
            object.__setattr__(self, "world", replace(world, resolution=primitives.resolution))
        elif not math.isclose(world.resolution, primitives.resolution, rel_tol=_SAME_RESOLUTION):
            raise GraphError(
                f"{world.name}: the map has cells of {world.resolution:.9g} m, and {primitives.name} is for cells of "
                f"{primitives.resolution:.9g} m"
            )
        if self.vertex_count >= 1 << VERTEX_BITS:
            raise GraphError(f"{world.name}: {self.vertex_count} poses, and at most {1 << VERTEX_BITS} are supported")
        as_footprint(self.footprint)

    def __getstate__(self) -> dict[str, object]:
        # A copy makes its tables from its world and its motions: smaller, and with the flags that kernels are for.
        return {one.name: getattr(self, one.name) for one in fields(self)}

    @cached_property
    def robot(self) -> Footprint:
        """The footprint of the robot."""
        return as_footprint(self.footprint)

    @property
    def vertex_count(self) -> int:
        """Number of poses: cells times headings."""
        return self.world.width * self.world.height * len(self.primitives.headings)

    @property
    def max_degree(self) -> int:
        """Largest number of motions that start at a heading."""
        return int(np.diff(self.arrays().first).max())

    @property
    def max_edge_cost(self) -> float:
        """Largest cost of a motion."""
        return max(one.cost for one in self.primitives.primitives)

    @property
    def max_in_degree(self) -> int:
        """Largest number of motions that end at a heading."""
        return int(np.diff(self.backward_arrays().first).max())

    def vertex(self, pose: Sequence[float], *, metres: bool = True) -> int:
        """Return the vertex of a pose.

        Parameters
        ----------
        pose
            Metres and radians (x, y, heading) in the frame of the map, as in ROS; they are rounded to the closest
            cell and heading. Or, if `metres` is false, a cell and the number of a heading.
        metres
            How the pose is given.

        Returns
        -------
        int
            The vertex; `state` returns its exact pose.

        Raises
        ------
        ProblemError
            If the pose is not three numbers, or outside of the map.

        Examples
        --------
        >>> from sailplan.graphs.lattice.primitives import four_ways
        >>> graph = LatticeGraph(World(np.zeros((2, 2), bool)), four_ways([(1, 0, 0)], resolution=0.5), footprint=0.1)
        >>> graph.vertex((0.8, 0.1, 1.5)), graph.vertex((1, 0, 1), metres=False)
        (5, 5)
        >>> graph.state(5)
        (0.75, 0.25, 1.5707963267948966)
        """
        x, y, heading = _three_numbers(pose)
        world, count = self.world, len(self.primitives.headings)
        if metres:
            cell = world.cell_at(x, y)
            number = self.primitives.nearest_heading(heading - self._yaw)
        else:
            cell, number = (int(x), int(y)), int(heading)
            if (*cell, number) != (x, y, heading) or not 0 <= number < count:
                raise ProblemError(f"a pose in cells is a cell and a heading 0 .. {count - 1}, got {shown(pose)}")
        if not world.contains(cell):
            raise ProblemError(f"the pose {shown(pose)} is in cell {cell}, outside {world.width} x {world.height}")
        return (cell[1] * world.width + cell[0]) * count + number

    def cell_and_heading(self, vertex: int) -> tuple[int, int, int]:
        """Return the cell (x, y) and the number of the heading of a vertex."""
        cell, heading = divmod(int(vertex), len(self.primitives.headings))
        return cell % self.world.width, cell // self.world.width, heading

    def state(self, vertex: int) -> Pose:
        """Return the pose (x, y, heading) of a vertex in metres and radians, in the frame of the map."""
        x, y, heading = self.cell_and_heading(vertex)
        angle = (self.primitives.headings[heading] + self._yaw) % FULL_TURN
        return *self.world.in_metres((x, y)), angle

    def problem(self, start: Sequence[float], goal: Sequence[float], *, metres: bool = True) -> Problem:
        """Pose the problem of driving from one pose to another.

        Parameters
        ----------
        start, goal
            Poses (x, y, heading) in metres and radians, in the frame of the map; they are rounded to the closest cell
            and heading of the lattice. `problem.states([problem.start])` returns the pose that is used.
        metres
            If false, poses are cells and numbers of headings.

        Returns
        -------
        Problem
            The problem. `problem.states(path)` returns the poses of a path, `poses(path)` also those between them.

        Raises
        ------
        ProblemError
            If a pose is not three numbers, outside of the map, or if the robot collides there.

        Examples
        --------
        >>> from sailplan import load_policy, search
        >>> from sailplan.graphs.lattice.primitives import four_ways
        >>> from sailplan.testing import draw_world
        >>> graph = LatticeGraph(draw_world("...."), four_ways([(1, 0, 0)], resolution=0.5), footprint=0.1)
        >>> problem = graph.problem(start=(0.25, 0.25, 0.0), goal=(1.75, 0.25, 0.0))
        >>> problem.states(search(problem, load_policy("a_star")).path)
        [(0.25, 0.25, 0.0), (0.75, 0.25, 0.0), (1.25, 0.25, 0.0), (1.75, 0.25, 0.0)]
        """
        ends = []
        for role, pose in (("start", start), ("goal", goal)):
            try:
                ends.append(self.vertex(pose, metres=metres))
            except SailplanError as error:
                raise ProblemError(f"{self.world.name}: the {role}: {error}") from error
            reason = self.collision(ends[-1])
            if reason:
                x, y, angle = self.state(ends[-1])
                at = f"the {role} ({x:.6g}, {y:.6g}, {angle:.6g})"
                raise ProblemError(f"{self.world.name}: the robot collides at {at}: its footprint {reason}")
        return Problem(self, ends[0], ends[1], name=self.world.name)

    def collision(self, vertex: int) -> str | None:
        """Return where the robot collides at a vertex, in words; None if it does not."""
        x, y, heading = self.cell_and_heading(vertex)
        for cell_x, cell_y in (self._standing[heading] + np.array([x, y])).tolist():
            if not self.world.contains((cell_x, cell_y)):
                return f"leaves the map at cell ({cell_x}, {cell_y})"
            if not self.world.is_free((cell_x, cell_y)):
                right, up = self.world.in_metres((cell_x, cell_y))
                return f"covers the blocked cell ({cell_x}, {cell_y}) at ({right:.6g}, {up:.6g}) metres"
        return None

    def successors(self, vertex: int) -> tuple[list[int], list[float]]:
        """Return the poses at the ends of the motions of a vertex, in the order of the primitives, and the costs."""
        x, y, heading = self.cell_and_heading(vertex)
        width, height, count = self.world.width, self.world.height, len(self.primitives.headings)
        targets, costs = [], []
        for one in self.primitives.by_heading[heading]:
            to_x, to_y = x + one.offset[0], y + one.offset[1]
            if 0 <= to_x < width and 0 <= to_y < height:
                targets.append((to_y * width + to_x) * count + one.end)
                costs.append(one.cost)
        return targets, costs

    def evaluate(self, vertex: int, targets: Sequence[int]) -> list[EdgeStatus]:
        """Evaluate motions: an invalid target if the robot collides at the end, an invalid edge if on the way."""
        x, y, _ = self.cell_and_heading(vertex)
        statuses = []
        for target in targets:
            motion = self._motion(vertex, target)
            if not self._are_free(motion.end_cells + np.array([x, y])):
                statuses.append(EdgeStatus.INVALID_TARGET)
            elif not self._are_free(motion.other_cells + np.array([x, y])):
                statuses.append(EdgeStatus.INVALID_EDGE)
            else:
                statuses.append(EdgeStatus.VALID)
        return statuses

    def coordinates(self, vertices: Sequence[int]) -> FloatArray:
        """Return the places (x, y) of vertices in metres from the bottom-left cell, shape (vertices, 2)."""
        cells = np.asarray(vertices, np.int64) // len(self.primitives.headings)
        y, x = np.divmod(cells, self.world.width)
        return np.stack([x * self.primitives.resolution, y * self.primitives.resolution], axis=1)

    def poses(self, path: Sequence[int]) -> FloatArray:
        """Return all poses along a path, those between the vertices among them, for a controller.

        Parameters
        ----------
        path
            Vertices, for example the path of a result.

        Returns
        -------
        numpy.ndarray
            Rows (x, y, heading) in metres and radians, in the frame of the map, shape (poses, 3).

        Raises
        ------
        GraphError
            If no motion leads from one vertex to the next.

        Examples
        --------
        >>> from sailplan.graphs.lattice.primitives import four_ways
        >>> graph = LatticeGraph(World(np.zeros((1, 3), bool)), four_ways([(1, 0, 0)], resolution=0.5), footprint=0.1)
        >>> graph.poses([0, 4, 8]).tolist()
        [[0.25, 0.25, 0.0], [0.75, 0.25, 0.0], [1.25, 0.25, 0.0]]
        """
        rows = [np.array([self.state(vertex)]) for vertex in path[:1]]
        cosine, sine = math.cos(self._yaw), math.sin(self._yaw)
        for source, target in pairwise(path):
            x, y, _ = self.state(source)
            shifts = self._motion(source, target).primitive.poses[1:]
            along, across = shifts[:, 0], shifts[:, 1]
            right, up = x + cosine * along - sine * across, y + sine * along + cosine * across
            rows.append(np.stack([right, up, (shifts[:, 2] + self._yaw) % FULL_TURN], axis=1))
        return np.concatenate(rows) if rows else np.empty((0, 3))

    def arrays(self) -> LatticeArrays:
        """Return the lattice for the compiled engine, which computes the edges from the motions."""
        return self._arrays

    def backward_arrays(self) -> LatticeArrays:
        """Return the lattice with all edges reversed, each with its own verdict."""
        return self._backward

    @property
    def _yaw(self) -> float:
        return self.world.origin[2] if self.world.origin else 0.0

    @cached_property
    def _standing(self) -> list[Cells]:
        return standing_cells(self.primitives, self.robot)

    @cached_property
    def _motions(self) -> list[list[Motion]]:
        return build_motions(self.primitives, self.robot, self.conservative)

    @cached_property
    def _arrays(self) -> LatticeArrays:
        return forward_arrays(self.world, self.primitives, self._motions)

    @cached_property
    def _backward(self) -> LatticeArrays:
        return reversed_arrays(self._arrays, self._motions)

    def _motion(self, source: int, target: int) -> Motion:
        x, y, heading = self.cell_and_heading(source)
        to_x, to_y, end = self.cell_and_heading(target)
        for motion in self._motions[heading]:
            if (motion.primitive.offset, motion.primitive.end) == ((to_x - x, to_y - y), end):
                return motion
        raise GraphError(f"{self.world.name}: no motion leads from vertex {source} to vertex {target}")

    def _are_free(self, cells: Cells) -> bool:
        inside = ((cells >= 0) & (cells < [self.world.width, self.world.height])).all()
        return bool(inside) and not self.world.blocked[cells[:, 1], cells[:, 0]].any()


def _three_numbers(pose: Any) -> tuple[float, float, float]:
    try:
        x, y, heading = (float(number) for number in pose)
    except (TypeError, ValueError) as error:
        raise ProblemError(f"a pose is three numbers (x, y, heading), got {shown(pose)}") from error
    if not math.isfinite(x + y + heading):
        raise ProblemError(f"a pose is three finite numbers (x, y, heading), got {shown(pose)}")
    return x, y, heading
