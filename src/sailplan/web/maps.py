"""Maps in requests and answers."""

from __future__ import annotations

import base64
import binascii
import zlib
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sailplan.datasets.formats.read import decode_world
from sailplan.errors import SizeError, WorldError
from sailplan.evaluation.player.recording import describe_map
from sailplan.graphs.grid.world import Cell, World
from sailplan.web.requests import checked
from sailplan.web.schema import MAP, UPLOAD


def read_map_object(given: Any, largest: int) -> World:
    """Return the world of a map in a request, the inverse of `describe_map`.

    Parameters
    ----------
    given
        A parsed value of JSON that follows the schema `MAP`.
    largest
        Cells of the largest map; a larger one is refused before it is decompressed.

    Raises
    ------
    Refusal
        If a field is missing or has the wrong type.
    SizeError
        If the map has more cells.
    WorldError
        If the cells cannot be decoded.

    Examples
    --------
    >>> world = World(np.array([[False, True, False]]), name="tiny")
    >>> read_map_object(describe_map(world), largest=100)
    World('tiny', 3 x 1, 33% blocked)
    """
    fields = checked(given, MAP, "map")
    name, width, height, unknown_cells = (fields[key] for key in ("name", "width", "height", "unknown_cells"))
    check_cells(width, height, largest)
    if unknown_cells > width * height:
        raise WorldError(f"{name}: {unknown_cells} unknown cells, and the map has {width * height} cells")
    return World(
        _unpacked(fields["blocked"], width, height),
        name=name,
        resolution=fields["resolution"],
        origin=None if fields["origin"] is None else tuple(fields["origin"]),
        unknown_cells=unknown_cells,
    )


def check_cells(width: int, height: int, largest: int) -> None:
    """Raise SizeError if a map of this size has too many cells."""
    if width * height > largest:
        raise SizeError(f"a map of {width} x {height} cells, and at most {largest} cells are allowed")


def _unpacked(text: str, width: int, height: int) -> NDArray[np.bool_]:
    """Return the cells of a map; not a byte more is decompressed than they need."""
    size = (width * height + 7) // 8
    packed = _decompressed(_decoded(text, "map.blocked"), size)
    bits = np.unpackbits(np.frombuffer(packed, np.uint8), count=width * height)
    return bits.reshape(height, width).astype(np.bool_)


def _decompressed(data: bytes, size: int) -> bytes:
    unpacker = zlib.decompressobj()
    try:
        packed = unpacker.decompress(data, size) if data else b""
        # The end of the stream may need one more call, which must not find another byte.
        more = unpacker.decompress(unpacker.unconsumed_tail, 1)
    except zlib.error as error:
        raise WorldError("map.blocked is not compressed by zlib, or damaged") from error
    if len(packed) != size or more or not unpacker.eof or unpacker.unused_data:
        raise WorldError(f"map.blocked must hold exactly {size} bytes, one bit for each cell")
    return packed


def _decoded(text: str, place: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    # Letters beyond ASCII are a plain ValueError.
    except (binascii.Error, ValueError) as error:
        raise WorldError(f"{place} is not base64") from error


def read_upload(given: Any, largest: int) -> World:
    """Return the world of the map files in a request that follows the schema `UPLOAD`.

    Raises
    ------
    Refusal
        If a field is missing or has the wrong type.
    SizeError
        If the map has more cells.
    WorldError
        If the files cannot be read.
    """
    files = checked(given, UPLOAD)["files"]
    contents = {one["name"]: _decoded(one["data"], one["name"]) for one in files}
    if len(contents) != len(files):
        raise WorldError(f"{files[0]['name']}: two files of the same name")
    world = decode_world(contents, largest=largest)
    # A map must come back in a search: its frame has to be within the schema.
    checked(describe_map_without_cells(world), MAP, "map")
    return world


def describe_map_without_cells(world: World) -> dict[str, Any]:
    """Return what `describe_map` returns, without the cells."""
    origin = None if world.origin is None else list(world.origin)
    size = {"width": world.width, "height": world.height, "blocked": ""}
    return {**size, "name": world.name, "resolution": world.resolution, "origin": origin}


def describe_task(world: World, start: Cell, goal: Cell) -> Mapping[str, Any]:
    """Return a map for JSON, with a start and a goal."""
    return {**describe_map(world), "start": start, "goal": goal}
