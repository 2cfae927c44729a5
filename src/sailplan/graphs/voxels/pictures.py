"""Pictures of a search on voxels: the path and what was evaluated, from above and from the side."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from sailplan.core.graph import FloatArray
from sailplan.core.result import SearchResult
from sailplan.files import FilePath
from sailplan.graphs.grid.pictures import EXPANDED, FREE, GOAL, INK, PATH, START, Colour, write_picture
from sailplan.graphs.voxels.graph import VoxelGraph

_WIDTH = 1000
"""Width of a picture in pixels, as nearly as whole pixels per voxel allow."""
_MARGIN, _LINE = 8, 24
_DARKEST = 60


def draw_views(graph: VoxelGraph, result: SearchResult) -> Image.Image:
    """Draw what a search did: the volume from above (x and y), and below it from the side (x and z).

    The darker a pixel, the more voxels behind it are blocked, counted between the lowest and the highest voxel of the
    path. Voxels into which edges were evaluated are blue, the path is orange, from the green start to the red goal.

    Parameters
    ----------
    graph
        The volume that was searched.
    result
        The result of a search on it.

    Returns
    -------
    PIL.Image.Image
        The picture; `save_views` writes it to a file.

    Examples
    --------
    >>> from sailplan import load_policy, search
    >>> graph = VoxelGraph(np.zeros((20, 10, 5), bool))
    >>> result = search(graph.problem((0, 0, 0), (19, 9, 4)), load_policy("lazy"))
    >>> draw_views(graph, result).size
    (1016, 814)
    """
    scale = max(1, round(_WIDTH / graph.shape[0]))
    evaluated = _evaluated(graph, result)
    path = graph.coordinates(result.path) if result.found else np.empty((0, 3))
    views = [_draw_view(graph.blocked, evaluated, path, axis, scale) for axis in (2, 1)]
    width, height = views[0].width + 2 * _MARGIN, sum(view.height + _LINE + _MARGIN for view in views)
    picture = Image.new("RGB", (width, height), FREE)
    draw, top = ImageDraw.Draw(picture), 0
    for view, caption in zip(views, ("from above", "from the side"), strict=True):
        draw.text((_MARGIN, top + 4), caption, fill=INK, font=ImageFont.load_default(14))
        picture.paste(view, (_MARGIN, top + _LINE))
        top += view.height + _LINE + _MARGIN
    return picture


def save_views(graph: VoxelGraph, result: SearchResult, path: FilePath) -> None:
    """Draw what a search did and write the picture as a PNG file, atomically; see `draw_views`."""
    write_picture(draw_views(graph, result), path)


def _evaluated(graph: VoxelGraph, result: SearchResult) -> NDArray[np.bool_]:
    """Return whether an edge into each voxel was evaluated."""
    targets = result.trace.evaluated[:, 1].tolist()
    for vertex in result.trace.expanded.tolist():
        targets += graph.successors(vertex)[0]
    marks = np.zeros(graph.vertex_count, np.bool_)
    marks[targets] = True
    return marks.reshape(graph.shape)


def _draw_view(
    blocked: NDArray[np.bool_], evaluated: NDArray[np.bool_], path: FloatArray, axis: int, scale: int
) -> Image.Image:
    """Draw the volume along one axis, y or z; the other one points up."""
    along = path[:, axis].astype(int) if len(path) else np.array([0, blocked.shape[axis] - 1])
    shares = np.take(blocked, range(along.min(), along.max() + 1), axis).mean(axis)
    colours = np.repeat((255 - (255 - _DARKEST) * shares)[..., None], 3, axis=2).astype(np.uint8)
    seen = np.take(evaluated, range(along.min(), along.max() + 1), axis).any(axis)
    colours[seen] = (colours[seen] * 0.4 + 0.6 * np.array(EXPANDED)).astype(np.uint8)
    # The first index of an array is the row of an image, from the top.
    pixels = np.swapaxes(colours, 0, 1)[::-1].repeat(scale, axis=0).repeat(scale, axis=1)
    view = Image.fromarray(np.ascontiguousarray(pixels))
    _draw_path(view, np.delete(path, axis, axis=1), scale)
    return view


def _draw_path(view: Image.Image, path: FloatArray, scale: int) -> None:
    points = [((x + 0.5) * scale, view.height - (y + 0.5) * scale) for x, y in path.tolist()]
    draw = ImageDraw.Draw(view)
    if len(points) > 1:
        draw.line(points, fill=PATH, width=max(2, scale // 2), joint="curve")
    ends: Sequence[tuple[tuple[float, float], Colour]] = [(points[0], START), (points[-1], GOAL)] if points else []
    for (x, y), colour in ends:
        radius = max(4, scale)
        draw.ellipse((x - radius, y - radius, x + radius, y + radius), fill=colour)
