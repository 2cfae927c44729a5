"""MovingAI maps (.map): a text header, then one character a cell, the upper row first."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from sailplan.errors import WorldError
from sailplan.files import FilePath, file_lines, write_text
from sailplan.graphs.grid.world import World

PASSABLE = ".GS"
"""Terrain that is free unless told otherwise: ground ('.', 'G') and swamp ('S'), but not water ('W')."""

_TERRAIN = frozenset(".GSW@OT")
_TYPES = ("octile", "tile")


def read_map(path: FilePath, *, passable: str = PASSABLE) -> World:
    """Read a map in which the terrain letters of `passable` are free and all others blocked.

    Swamp and water are terrains of their own in MovingAI's rules: `passable=".GSW"` opens water too.
    Out of bounds ('@', 'O') and trees ('T') are blocked.
    """
    if not set(passable) <= _TERRAIN:
        raise WorldError(f"passable={passable!r}: the terrain letters are {''.join(sorted(_TERRAIN))}")
    lines = file_lines(path, error=WorldError)
    width, height, first_row = _read_header(lines, path)
    rows = _read_rows(lines[first_row:], width, height, f"{path}", first_row + 1)
    letters = np.frombuffer("".join(rows).encode("ascii"), dtype=np.uint8).reshape(height, width)
    return World.from_image(np.isin(letters, list(passable.encode("ascii"))), name=Path(path).stem)


def write_map(world: World, path: FilePath) -> None:
    """Write the world as an octile map of '.' (free) and '@' (blocked)."""
    rows = ["".join(row) for row in np.where(world.image(), ".", "@")]
    header = ["type octile", f"height {world.height}", f"width {world.width}", "map"]
    write_text(path, "\n".join([*header, *rows, ""]))


def _read_header(lines: list[str], path: FilePath) -> tuple[int, int, int]:
    """Return the width, the height and the number of lines before the first row of cells."""
    header: dict[str, str] = {}
    for number, line in enumerate(lines, start=1):
        match line.split():
            case ["map"]:
                return *_read_sizes(header, f"{path}:{number}"), number
            case ["type" | "height" | "width" as key, value] if key not in header:
                header[key] = value
            case _:
                raise WorldError(
                    f"{path}:{number}: expected type, height, width once each, then map; got {line[:50]!r}"
                )
    raise WorldError(f"{path}: the header has no line 'map'")


def _read_sizes(header: dict[str, str], place: str) -> tuple[int, int]:
    if header.get("type") not in _TYPES:
        raise WorldError(f"{place}: the header needs a type of {' or '.join(_TYPES)}, got {header.get('type', '')!r}")
    return _read_size(header, "width", place), _read_size(header, "height", place)


def _read_size(header: dict[str, str], key: str, place: str) -> int:
    size = natural_number(header.get(key, ""))
    if not size:
        raise WorldError(f"{place}: the header needs a {key} above 0, got {header.get(key, '')!r}")
    return size


def _read_rows(lines: list[str], width: int, height: int, path: str, first_line: int) -> list[str]:
    rows = [line.rstrip() for line in lines]
    while rows and not rows[-1]:
        rows.pop()
    if len(rows) != height:
        raise WorldError(f"{path}: the header says {height} rows, the file has {len(rows)}")
    for number, row in enumerate(rows, start=first_line):
        if len(row) != width:
            raise WorldError(f"{path}:{number}: the header says {width} cells a row, this one has {len(row)}")
        if unknown := set(row) - _TERRAIN:
            raise WorldError(f"{path}:{number}: unknown terrain {min(unknown)!r}")
    return rows


def natural_number(text: str) -> int | None:
    """Read a whole number of at most nine plain digits, or return None where the text is anything else."""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= 9 else None
