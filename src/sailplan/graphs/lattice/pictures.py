"""Pictures of paths on a lattice: the map, the motions, and the robot along the way."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from PIL import Image, ImageDraw

from sailplan.core.graph import FloatArray, Problem
from sailplan.core.state import IntArray
from sailplan.errors import SailplanError
from sailplan.files import FilePath
from sailplan.graphs.grid.pictures import (
    EXPANDED,
    GOAL,
    INVALID_EDGE,
    KNOWN_INVALID,
    PATH,
    START,
    VALID_EDGE,
    Colour,
    draw_world,
    write_picture,
)
from sailplan.graphs.lattice.graph import LatticeGraph

Edges: TypeAlias = Sequence[tuple[int, int]] | IntArray
"""Rows (source, target)."""

_SMALLEST_SIDE = 900
_SPACING = 0.6
"""Distance between two drawn footprints, in diameters of the robot."""


def draw_lattice(
    problem: Problem, path: Sequence[int] = (), evaluated: Edges = (), *, side: int = _SMALLEST_SIDE
) -> Image.Image:
    """Draw a path on a lattice, with the footprint of the robot along it.

    Parameters
    ----------
    problem
        A problem on a lattice.
    path
        Vertices of a path, for example that of a result.
    evaluated
        Edges (source, target) to draw, for example `result.trace.evaluated` of a lazy search: blue if they are valid,
        purple if they are not.
    side
        Smallest length of the longer side, in pixels.

    Returns
    -------
    PIL.Image.Image
        An RGB image: obstacles black, the path orange, the robot at the start green and at the goal red.

    Raises
    ------
    SailplanError
        If the problem is not on a lattice.

    Examples
    --------
    >>> from sailplan.datasets import World
    >>> from sailplan.graphs.lattice.primitives import four_ways
    >>> graph = LatticeGraph(World(np.zeros((3, 6), bool)), four_ways([(1, 0, 0)], resolution=0.5), footprint=0.2)
    >>> problem = graph.problem((0, 1, 0), (5, 1, 0), metres=False)
    >>> draw_lattice(problem, side=600).size
    (804, 402)
    """
    graph = problem.graph
    if not isinstance(graph, LatticeGraph):
        raise SailplanError(f"{problem.name}: only paths on lattices can be drawn")
    picture = draw_world(graph.world)
    picture = picture.resize(_times(picture.size, -(-side // max(picture.size))), Image.Resampling.NEAREST)
    canvas = _Canvas(graph, picture)
    for source, target in np.asarray(evaluated, np.int64).reshape(-1, 2).tolist():
        (status,) = graph.evaluate(source, [target])
        canvas.line(graph.poses([source, target]), EXPANDED if status.valid else INVALID_EDGE, 2)
    poses = graph.poses(path)
    for pose in _spaced(poses, 2.0 * _SPACING * graph.robot.radius):
        canvas.robot(pose, VALID_EDGE, None)
    canvas.line(poses, PATH, 3)
    for vertex, colour in ((problem.start, START), (problem.goal, GOAL)):
        canvas.robot(np.array(graph.state(vertex)), KNOWN_INVALID, colour)
    return picture


def save_lattice(problem: Problem, path: Sequence[int], file: FilePath, evaluated: Edges = ()) -> None:
    """Draw a path on a lattice as `draw_lattice` does, and write it as a PNG file; the write is atomic.

    Parameters
    ----------
    problem, path
        A problem on a lattice, and vertices of a path.
    file
        The file to write.
    evaluated
        Edges (source, target) to draw.

    Raises
    ------
    SailplanError
        If the problem is not on a lattice.
    OSError
        If the file cannot be written.
    """
    write_picture(draw_lattice(problem, path, evaluated), file)


class _Canvas:
    """Draws poses of the frame of the map onto its picture."""

    def __init__(self, graph: LatticeGraph, picture: Image.Image) -> None:
        self._graph, self._draw = graph, ImageDraw.Draw(picture)
        self._scale = picture.width / (graph.world.width * graph.primitives.resolution)
        self._height = picture.height

    def line(self, poses: FloatArray, colour: Colour, width: int) -> None:
        """Draw the way of the centre of the robot."""
        if len(poses) > 1:
            self._draw.line(self._pixels(poses[:, :2]), fill=colour, width=width, joint="curve")

    def robot(self, pose: FloatArray, outline: Colour, fill: Colour | None) -> None:
        """Draw the footprint at a pose, and a line ahead from its centre if it is filled."""
        x, y, heading = pose.tolist()
        corners = self._graph.robot.outline((x, y, heading))
        self._draw.polygon(self._pixels(corners), fill=fill, outline=outline)
        if fill:
            ahead = self._graph.robot.radius
            tip = (x + ahead * math.cos(heading), y + ahead * math.sin(heading))
            self._draw.line(self._pixels(np.array([(x, y), tip])), fill=KNOWN_INVALID, width=2)

    def _pixels(self, points: FloatArray) -> list[tuple[float, float]]:
        left, bottom, yaw = self._graph.world.origin or (0.0, 0.0, 0.0)
        right, up = points[:, 0] - left, points[:, 1] - bottom
        along, across = math.cos(yaw) * right + math.sin(yaw) * up, math.cos(yaw) * up - math.sin(yaw) * right
        places = zip((along * self._scale).tolist(), (self._height - across * self._scale).tolist(), strict=True)
        return list(places)


def _spaced(poses: FloatArray, spacing: float) -> FloatArray:
    """Return poses that are about this many metres apart."""
    if len(poses) == 0:
        return poses
    travelled = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(poses[:, :2], axis=0).T))])
    numbers = np.floor(travelled / spacing) if spacing > 0.0 else np.zeros(len(poses))
    _, first = np.unique(numbers, return_index=True)
    return poses[first]


def _times(size: tuple[int, int], factor: int) -> tuple[int, int]:
    return size[0] * factor, size[1] * factor
