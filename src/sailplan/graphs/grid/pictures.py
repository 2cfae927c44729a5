"""Pictures of a search on a grid: expanded cells or evaluated edges, known invalid cells, the path."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from sailplan.core import SearchState
from sailplan.core.graph import FloatArray, Problem
from sailplan.core.kernel import arrays
from sailplan.core.state import IntArray
from sailplan.errors import SailplanError
from sailplan.files import FilePath, atomic_write
from sailplan.graphs.grid.graph import GridGraph
from sailplan.graphs.grid.world import World

Colour = tuple[int, int, int]

# Told apart by readers with any of the common kinds of colour blindness; tests/graphs/grid/test_pictures.py checks it.
# The web page uses the same colours (evaluation/player/static/colours.js).
FREE: Colour = (255, 255, 255)
HIDDEN_OBSTACLE: Colour = (210, 210, 210)
COSTLY: Colour = (206, 186, 150)
PENALISED: Colour = (240, 228, 66)
PENALISED_OBSTACLE: Colour = (122, 104, 8)
KNOWN_INVALID: Colour = (0, 0, 0)
FRONTIER: Colour = (158, 208, 240)
EXPANDED: Colour = (0, 114, 178)
VALID_EDGE: Colour = (0, 60, 104)
INVALID_EDGE: Colour = (224, 96, 170)
PATH: Colour = (230, 140, 0)
START: Colour = (0, 140, 96)
GOAL: Colour = (140, 20, 90)
INK: Colour = (40, 40, 40)

_VERTEX_LEGEND = [("expanded", EXPANDED), ("frontier", FRONTIER)]
_EDGE_LEGEND = [("found free", EXPANDED)]
_INVALID_EDGE_LEGEND = [("invalid edge", INVALID_EDGE)]
_LEGEND = [
    ("known invalid", KNOWN_INVALID),
    ("not yet seen", HIDDEN_OBSTACLE),
    ("path", PATH),
    ("start", START),
    ("goal", GOAL),
]
_TERRAIN_LEGEND = [("costly terrain", COSTLY)]
_PENALISED_LEGEND = [("penalised, free", PENALISED), ("penalised, blocked", PENALISED_OBSTACLE)]
SHADES = 16
"""Number of shades; few enough for the 256 colours of an animation frame."""
_SMALLEST_SIDE = 400
_SMALLEST_SIDE_BY_EDGES = 800
"""Larger, because a search by edges leaves traces that are one cell wide."""
_EDGE_SCALE = 8
"""Smallest width of a cell in pixels for which valid edges are drawn, and shown under the path."""
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
    side: int | None = None,
) -> Image.Image:
    """Draw the state of a search on a grid, with a caption above and a legend below.

    If the policy requests edges, the cells that evaluated edges found to be free have the colour of expanded cells.

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
    side
        Smallest length of the longer side of the grid, in pixels; by default larger if the policy requests edges.

    Returns
    -------
    PIL.Image.Image
        An RGB image.

    Raises
    ------
    SailplanError
        If the problem is not on a grid.
    """
    panel = draw_panel(problem, state, path, multipliers, side)
    width = max(panel.width, _SMALLEST_SIDE + 2 * _MARGIN)
    graph = drawn_grid(problem)
    legend = draw_legend(
        width,
        penalised=multipliers is not None,
        terrain=graph.world.costs is not None,
        edges=requests_edges(state),
        invalid_edges=requests_edges(state) and graph.moves.diagonal and not graph.moves.corner_cutting,
    )
    frame = Image.new("RGB", (width, _LINE + panel.height + legend.height), FREE)
    frame.paste(panel, ((width - panel.width) // 2, _LINE))
    frame.paste(legend, (0, _LINE + panel.height))
    ImageDraw.Draw(frame).text((_MARGIN, _MARGIN - 2), caption, fill=INK, font=ImageFont.load_default(13))
    return frame


def draw_panel(
    problem: Problem,
    state: SearchState,
    path: Sequence[int] = (),
    multipliers: FloatArray | None = None,
    side: int | None = _SMALLEST_SIDE,
) -> Image.Image:
    """Draw the state of a search on a grid with a margin, without caption and legend."""
    graph = drawn_grid(problem)
    by_edges = requests_edges(state)
    side = side or (_SMALLEST_SIDE_BY_EDGES if by_edges else _SMALLEST_SIDE)
    picture = _enlarge(_colours(graph.world, state, multipliers), side)
    scale = picture.width // graph.world.width
    panel = Image.new("RGB", (picture.width + 2 * _MARGIN, picture.height + 2 * _MARGIN), FREE)
    panel.paste(picture, (_MARGIN, _MARGIN))
    draw = ImageDraw.Draw(panel)
    draw.rectangle((_MARGIN - 1, _MARGIN - 1, _MARGIN + picture.width, _MARGIN + picture.height), outline=INK)

    def centre(vertex: int) -> tuple[float, float]:
        x, y = graph.cell(vertex)
        return _MARGIN + (x + 0.5) * scale, _MARGIN + (graph.world.height - y - 0.5) * scale

    if scale >= _EDGE_SCALE:
        _draw_edges(draw, state.valid_edges, centre, VALID_EDGE, max(1, scale // 8))
    if by_edges:
        _draw_edges(draw, state.invalid_edges, centre, INVALID_EDGE, max(2, scale // 4))
    if len(path) > 1:
        width = scale // 2 if by_edges and scale >= _EDGE_SCALE else scale
        draw.line([centre(vertex) for vertex in path], fill=PATH, width=max(2, width), joint="curve")
    radius = max(5, min(2 * scale, max(side // 40, scale * 2 // 5)))
    draw.circle(centre(problem.start), radius, fill=START, outline=FREE)
    draw.regular_polygon((*centre(problem.goal), radius * 1.3), 4, fill=GOAL, outline=FREE)
    return panel


def _draw_edges(
    draw: ImageDraw.ImageDraw, edges: IntArray, centre: Callable[[int], tuple[float, float]], colour: Colour, width: int
) -> None:
    for source, target in edges.tolist():
        draw.line([centre(source), centre(target)], fill=colour, width=width)


def requests_edges(state: SearchState) -> bool:
    """Return whether the policy of a search requests edges: then the state has room for their results."""
    return len(state.arrays.evaluated) > 0


def counted(state: SearchState) -> str:
    """Return the counters of a search in words, for captions: expansions if there may be any, and evaluations."""
    evaluations = f"{state.arrays.counts.item(arrays.EDGE_EVALUATIONS)} evaluations"
    return evaluations if requests_edges(state) else f"{state.expansions} expansions, {evaluations}"


def draw_legend(
    width: int,
    size: int = 13,
    *,
    penalised: bool = False,
    terrain: bool = False,
    edges: bool = False,
    invalid_edges: bool = False,
) -> Image.Image:
    """Draw the legend of the colours in the given font size, on as many lines as the width needs.

    Parameters
    ----------
    width, size
        Width in pixels, and size of the font.
    penalised, terrain, invalid_edges
        Whether cells are shaded by a belief or by terrain costs, and whether invalid edges may be drawn.
    edges
        Whether the policy requests edges.

    Returns
    -------
    PIL.Image.Image
        An RGB image.
    """
    font = ImageFont.load_default(size)
    box, line = size - 2, size + 7
    entries = [*(_EDGE_LEGEND if edges else _VERTEX_LEGEND), *_LEGEND]
    for shown, more in (
        (invalid_edges, _INVALID_EDGE_LEGEND),
        (terrain, _TERRAIN_LEGEND),
        (penalised, _PENALISED_LEGEND),
    ):
        entries += more if shown else []
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


def drawn_grid(problem: Problem) -> GridGraph:
    """Return the graph of a problem; raises SailplanError if it is not a grid."""
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
    # In a search by edges, every vertex to which valid edges lead from the start is open.
    in_frontier = EXPANDED if requests_edges(state) else FRONTIER
    for code, colour in ((arrays.OPEN, in_frontier), (arrays.CLOSED, EXPANDED), (arrays.INVALID, KNOWN_INVALID)):
        colours[status == code] = colour
    colours.reshape(-1, 3)[state.valid_edges.reshape(-1)] = EXPANDED
    return colours[::-1].astype(np.uint8)


def _free_colours(world: World) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
    """Return the colour of each cell if it is free, bottom row first: darker for higher terrain costs."""
    shade = 0.0 if world.costs is None else _shade(world.costs)[..., None]
    return np.rint((1.0 - shade) * np.array(FREE) + shade * np.array(COSTLY)).astype(np.int64)


def shades(multipliers: FloatArray) -> NDArray[np.uint8]:
    """Map multipliers to shades: 0 for a multiplier of 1 or NaN, approaching `SHADES` as it grows."""
    share = 1.0 - 1.0 / np.maximum(np.nan_to_num(multipliers, nan=1.0), 1.0)
    return np.rint(share * SHADES).astype(np.uint8)


def _shade(multipliers: FloatArray) -> FloatArray:
    """Map multipliers to shares of the darkest shade, from 0 to 1."""
    return shades(multipliers) / SHADES


def _enlarge(colours: np.ndarray[tuple[int, ...], np.dtype[np.uint8]], side: int = _SMALLEST_SIDE) -> Image.Image:
    picture = Image.fromarray(np.ascontiguousarray(colours), "RGB")
    scale = max(1, -(-side // max(picture.size)))
    return picture.resize((picture.width * scale, picture.height * scale), Image.Resampling.NEAREST)
