"""Pictures of a search on a grid: expanded cells, known invalid cells, the path."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from sailplan.core import SearchState
from sailplan.core.graph import FloatArray, Problem
from sailplan.core.kernel import arrays
from sailplan.errors import SailplanError
from sailplan.files import FilePath, atomic_write
from sailplan.graphs.grid.graph import GridGraph
from sailplan.graphs.grid.world import World

Colour = tuple[int, int, int]

FREE: Colour = (255, 255, 255)
HIDDEN_OBSTACLE: Colour = (222, 222, 222)
COSTLY: Colour = (196, 176, 140)
PENALISED: Colour = (247, 206, 104)
PENALISED_OBSTACLE: Colour = (172, 122, 40)
KNOWN_INVALID: Colour = (0, 0, 0)
FRONTIER: Colour = (176, 208, 250)
EXPANDED: Colour = (66, 126, 214)
PATH: Colour = (240, 120, 20)
START: Colour = (20, 160, 70)
GOAL: Colour = (205, 20, 60)
INK: Colour = (40, 40, 40)

_LEGEND = [
    ("expanded", EXPANDED),
    ("frontier", FRONTIER),
    ("known invalid", KNOWN_INVALID),
    ("not yet seen", HIDDEN_OBSTACLE),
    ("path", PATH),
    ("start", START),
    ("goal", GOAL),
]
_TERRAIN_LEGEND = [("costly terrain", COSTLY)]
_PENALISED_LEGEND = [("penalised, free", PENALISED), ("penalised, blocked", PENALISED_OBSTACLE)]
_SHADES = 16
"""Number of shades; few enough for the 256 colours of an animation frame."""
_SMALLEST_SIDE = 400
_MARGIN = 8
_LINE = 20


def draw_world(world: World) -> Image.Image:
    """Draw a world: free cells are white, blocked cells black."""
    colours = np.where(world.blocked[..., None], KNOWN_INVALID, _free_colours(world))
    return _enlarge(colours[::-1].astype(np.uint8))


def draw_search(
    problem: Problem,
    state: SearchState,
    path: Sequence[int] = (),
    caption: str = "",
    multipliers: FloatArray | None = None,
) -> Image.Image:
    """Draw the state of a search on a grid, with a caption above and a legend below.

    Parameters
    ----------
    problem
        A problem on a grid.
    state
        The state of a search on the problem.
    path
        Vertices of a path to draw.
    caption
        Text above the picture.
    multipliers
        Cost multipliers of a belief, one per vertex; unseen cells are darker the larger their multiplier.

    Returns
    -------
    PIL.Image.Image
        An RGB image.

    Raises
    ------
    SailplanError
        If the problem is not on a grid.
    """
    panel = draw_panel(problem, state, path, multipliers)
    width = max(panel.width, _SMALLEST_SIDE + 2 * _MARGIN)
    has_terrain = _grid(problem).world.costs is not None
    legend = draw_legend(width, penalised=multipliers is not None, terrain=has_terrain)
    frame = Image.new("RGB", (width, _LINE + panel.height + legend.height), FREE)
    frame.paste(panel, ((width - panel.width) // 2, _LINE))
    frame.paste(legend, (0, _LINE + panel.height))
    ImageDraw.Draw(frame).text((_MARGIN, _MARGIN - 2), caption, fill=INK, font=ImageFont.load_default(13))
    return frame


def draw_panel(
    problem: Problem, state: SearchState, path: Sequence[int] = (), multipliers: FloatArray | None = None
) -> Image.Image:
    """Draw the state of a search on a grid with a margin, without caption and legend."""
    graph = _grid(problem)
    picture = _enlarge(_colours(graph.world, state, multipliers))
    scale = picture.width // graph.world.width
    panel = Image.new("RGB", (picture.width + 2 * _MARGIN, picture.height + 2 * _MARGIN), FREE)
    panel.paste(picture, (_MARGIN, _MARGIN))
    draw = ImageDraw.Draw(panel)
    draw.rectangle((_MARGIN - 1, _MARGIN - 1, _MARGIN + picture.width, _MARGIN + picture.height), outline=INK)

    def centre(vertex: int) -> tuple[float, float]:
        x, y = graph.cell(vertex)
        return _MARGIN + (x + 0.5) * scale, _MARGIN + (graph.world.height - y - 0.5) * scale

    if len(path) > 1:
        draw.line([centre(vertex) for vertex in path], fill=PATH, width=max(2, scale), joint="curve")
    for vertex, colour in ((problem.start, START), (problem.goal, GOAL)):
        draw.circle(centre(vertex), max(5, 2 * scale), fill=colour, outline=FREE)
    return panel


def draw_legend(width: int, size: int = 13, *, penalised: bool = False, terrain: bool = False) -> Image.Image:
    """Draw the legend of the colours in the given font size, on as many lines as the width needs."""
    font = ImageFont.load_default(size)
    box, line = size - 2, size + 7
    entries = [*_LEGEND, *(_TERRAIN_LEGEND if terrain else []), *(_PENALISED_LEGEND if penalised else [])]
    places, x, y = [], _MARGIN, 0
    for label, _ in entries:
        needed = size + 3 + int(font.getlength(label))
        if x + needed > width - _MARGIN and x > _MARGIN:
            x, y = _MARGIN, y + line
        places.append((x, y))
        x += needed + size + 1
    legend = Image.new("RGB", (width, y + line), FREE)
    draw = ImageDraw.Draw(legend)
    for (label, colour), (x, y) in zip(entries, places, strict=True):
        draw.rectangle((x, y, x + box, y + box), fill=colour, outline=INK)
        draw.text((x + size + 3, y + box / 2), label, fill=INK, font=font, anchor="lm")
    return legend


def side_by_side(pictures: Sequence[Image.Image]) -> Image.Image:
    """Join pictures in a row."""
    width = sum(picture.width for picture in pictures)
    row = Image.new("RGB", (width, max(picture.height for picture in pictures)), FREE)
    left = 0
    for picture in pictures:
        row.paste(picture, (left, 0))
        left += picture.width
    return row


def write_picture(picture: Image.Image, path: FilePath) -> None:
    """Write a PNG file atomically."""
    with atomic_write(path) as file:
        picture.save(file, format="PNG", optimize=True)


def write_animation(frames: Sequence[Image.Image], path: FilePath, *, milliseconds: int = 60) -> None:
    """Write a GIF file atomically; the last frame is shown for two seconds."""
    flat = [frame.convert("P", palette=Image.Palette.ADAPTIVE, colors=256) for frame in frames]
    durations = [milliseconds] * (len(flat) - 1) + [2000]
    with atomic_write(path) as file:
        flat[0].save(file, format="GIF", save_all=True, append_images=flat[1:], duration=durations, loop=0)


def _grid(problem: Problem) -> GridGraph:
    if not isinstance(problem.graph, GridGraph):
        raise SailplanError(f"{problem.name}: only searches on grids can be drawn")
    return problem.graph


def _colours(
    world: World, state: SearchState, multipliers: FloatArray | None = None
) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    """Return the colour of each cell, top row first."""
    status = state.status.reshape(world.blocked.shape)
    blocked = world.blocked[..., None]
    colours = np.where(blocked, HIDDEN_OBSTACLE, _free_colours(world))
    if multipliers is not None:
        shade = _shade(multipliers).reshape(blocked.shape)
        penalised = np.where(blocked, PENALISED_OBSTACLE, PENALISED)
        colours = np.rint((1.0 - shade) * colours + shade * penalised).astype(np.int64)
    for code, colour in ((arrays.OPEN, FRONTIER), (arrays.CLOSED, EXPANDED), (arrays.INVALID, KNOWN_INVALID)):
        colours[status == code] = colour
    return colours[::-1].astype(np.uint8)


def _free_colours(world: World) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
    """Return the colour of each cell if it is free, bottom row first: darker for higher terrain costs."""
    shade = 0.0 if world.costs is None else _shade(world.costs)[..., None]
    return np.rint((1.0 - shade) * np.array(FREE) + shade * np.array(COSTLY)).astype(np.int64)


def _shade(multipliers: FloatArray) -> FloatArray:
    """Map multipliers to shades: 0 for a multiplier of 1 or NaN, approaching 1 as it grows."""
    share = 1.0 - 1.0 / np.maximum(np.nan_to_num(multipliers, nan=1.0), 1.0)
    return np.rint(share * _SHADES) / _SHADES


def _enlarge(colours: np.ndarray[tuple[int, ...], np.dtype[np.uint8]]) -> Image.Image:
    picture = Image.fromarray(np.ascontiguousarray(colours), "RGB")
    scale = max(1, -(-_SMALLEST_SIDE // max(picture.size)))
    return picture.resize((picture.width * scale, picture.height * scale), Image.Resampling.NEAREST)
