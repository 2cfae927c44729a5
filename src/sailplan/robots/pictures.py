"""Pictures and short films of an arm in its scene, drawn with matplotlib; no display is needed."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias

import numpy as np
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from mpl_toolkits.mplot3d.art3d import Line3DCollection, Poly3DCollection
from mpl_toolkits.mplot3d.axes3d import Axes3D
from numpy.typing import ArrayLike
from PIL import Image

from sailplan.core.graph import FloatArray
from sailplan.errors import RobotError
from sailplan.files import FilePath, atomic_write
from sailplan.graphs.grid.pictures import write_animation
from sailplan.robots.robot import as_configurations, joint_space
from sailplan.robots.shapes import obstacle_faces, shaded, sphere_faces
from sailplan.robots.spheres import SphereRobot

_Colour: TypeAlias = tuple[float, ...]
_Body: TypeAlias = tuple[FloatArray, _Colour]
_START, _GOAL, _BETWEEN = (0.93, 0.60, 0.20, 1.0), (0.25, 0.62, 0.60, 1.0), (0.70, 0.62, 0.40, 0.08)
_OBSTACLE, _PATH = (0.62, 0.68, 0.76, 0.35), (0.10, 0.30, 0.80, 1.0)
_VALID, _INVALID = (0.15, 0.55, 0.25, 0.6), (0.80, 0.15, 0.15, 0.4)
_STEP = 0.1
"""Joint-space distance between the positions of the gripper that make up a drawn line."""


@dataclass(frozen=True)
class View:
    """What a picture shows."""

    link: str
    """The link whose origin is followed, for example that of the gripper."""
    elevation: float = 25.0
    """Degrees above the horizon."""
    azimuth: float = -60.0
    """Degrees around the vertical axis."""
    title: str = ""


def draw_plan(
    robot: SphereRobot,
    configurations: ArrayLike,
    path: FilePath,
    view: View,
    *,
    evaluated: tuple[ArrayLike, ArrayLike] | None = None,
) -> None:
    """Draw an arm along a plan and write a PNG file.

    The arm is drawn at the start (orange) and the goal (green), and lightly between them. The way of a link, for
    example the gripper, is a blue line. Edges that were evaluated are thin lines, where this link would have moved:
    green if valid, otherwise red.

    Parameters
    ----------
    robot
        The robot in its scene.
    configurations
        The configurations of the plan, one row each.
    path
        The file to write.
    view
        The link that is followed, and the direction of view.
    evaluated
        Configurations at both ends of evaluated edges, one row for each edge.

    Raises
    ------
    RobotError
        If the configurations are not rows of joint values, or there is no such link.
    """
    rows = as_configurations(robot, configurations)
    between = _along(robot, rows)
    ghosts = between[:: max(len(between) // 6, 1)]
    shapes = [*_bodies(robot, ghosts, _BETWEEN), *_bodies(robot, rows[:1], _START), *_bodies(robot, rows[-1:], _GOAL)]
    figure = _figure(robot, rows, shapes, view, evaluated)
    with atomic_write(path) as file:
        figure.savefig(file, format="png")


def animate_plan(
    robot: SphereRobot,
    configurations: ArrayLike,
    path: FilePath,
    view: View,
    *,
    evaluated: tuple[ArrayLike, ArrayLike] | None = None,
    frames: int = 30,
    milliseconds: int = 120,
) -> None:
    """Draw an arm that moves along a plan and write a GIF file.

    Parameters
    ----------
    robot
        The robot in its scene.
    configurations
        The configurations of the plan, one row each.
    path
        The file to write.
    view
        The link that is followed, and the direction of view.
    evaluated
        Configurations at both ends of evaluated edges, one row for each edge.
    frames
        Number of pictures.
    milliseconds
        Duration of each picture.

    Raises
    ------
    RobotError
        If the configurations are not rows of joint values, there is no such link, or there are no frames.
    """
    if frames < 1:
        raise RobotError(f"an animation needs at least one frame, got {frames}")
    rows = as_configurations(robot, configurations)
    between = _along(robot, rows)
    shown = between[np.linspace(0, len(between) - 1, frames).round().astype(int)]
    images = [_image(_figure(robot, rows, [body], view, evaluated)) for body in _bodies(robot, shown, _START)]
    write_animation(images, path, milliseconds=milliseconds)


def _bodies(robot: SphereRobot, rows: FloatArray, colour: _Colour) -> list[_Body]:
    """Return the faces of the robot at each configuration, with their colour."""
    return [(sphere_faces(robot.sphere_positions(row)), colour) for row in rows]


def _figure(
    robot: SphereRobot,
    rows: FloatArray,
    shapes: Sequence[_Body],
    view: View,
    evaluated: tuple[ArrayLike, ArrayLike] | None,
) -> Figure:
    figure = Figure(figsize=(7.2, 6.0), dpi=110, layout="constrained")
    axes = figure.add_subplot(projection="3d", computed_zorder=False)
    obstacles = [(obstacle_faces(obstacle), _OBSTACLE) for obstacle in robot.scene.obstacles]
    # One collection, because matplotlib sorts faces by depth only within a collection.
    faces = np.concatenate([one for one, _ in (*obstacles, *shapes)])
    colours = np.concatenate([shaded(one, colour) for one, colour in (*obstacles, *shapes)])
    axes.add_collection3d(Poly3DCollection(faces, facecolors=colours, edgecolors="none", zorder=1))
    names = {f"way of {view.link}": _PATH}
    if evaluated is not None:
        _draw_evaluated(axes, robot, evaluated, view.link)
        names |= {"evaluated edge, valid": _VALID, "evaluated edge, not valid": _INVALID}
    axes.legend([Line2D([], [], color=colour) for colour in names.values()], names, fontsize="small", loc="upper left")
    way = _way(robot, _along(robot, rows), view.link)
    axes.plot(*way.T, color=_PATH, linewidth=2.2, zorder=3)
    axes.scatter(*way[[0, -1]].T, color=_PATH, s=24, zorder=3)
    corners = np.concatenate([one.reshape(-1, 3) for one, _ in shapes])
    centre, reach = corners.mean(axis=0), 0.62 * np.ptp(corners, axis=0).max()
    axes.set(
        xlim=centre[0] + np.array([-reach, reach]),
        ylim=centre[1] + np.array([-reach, reach]),
        zlim=centre[2] + np.array([-reach, reach]),
        xlabel="x, m",
        ylabel="y, m",
        zlabel="z, m",
    )
    axes.set_box_aspect((1, 1, 1), zoom=1.1)
    axes.view_init(view.elevation, view.azimuth)
    axes.set_title(view.title.replace("$", r"\$"), fontsize=11)
    return figure


def _draw_evaluated(axes: Axes3D, robot: SphereRobot, evaluated: tuple[ArrayLike, ArrayLike], link: str) -> None:
    """Draw where evaluated edges move a link; they are checked again, without being counted."""
    starts, ends = (as_configurations(robot, side) for side in evaluated)
    if not len(starts):
        return
    verdicts = robot.in_scene(robot.scene).edge_valid(starts, ends)
    lines = [_way(robot, _along(robot, np.array(pair)), link) for pair in zip(starts, ends, strict=True)]
    colours = [_VALID if good else _INVALID for good in verdicts]
    axes.add_collection3d(Line3DCollection(lines, colors=colours, linewidths=0.9, zorder=2))


def _along(robot: SphereRobot, rows: FloatArray) -> FloatArray:
    """Return configurations along a plan, at most `_STEP` apart."""
    space = joint_space(robot)
    parts = [rows[:1]]
    for start, end in pairwise(rows):
        difference = space.difference(start, end)
        count = max(int(np.ceil(np.linalg.norm(difference) / _STEP)), 1)
        parts.append(start + np.arange(1, count + 1)[:, None] / count * difference)
    return np.concatenate(parts)


def _way(robot: SphereRobot, rows: FloatArray, link: str) -> FloatArray:
    return np.array([robot.link_position(row, link) for row in rows])


def _image(figure: Figure) -> Image.Image:
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png")
    return Image.open(buffer).convert("RGB")
