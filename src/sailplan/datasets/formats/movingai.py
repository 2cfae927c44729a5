"""MovingAI maps (.map), one character a cell, and scenarios (.scen), one planning task a row."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path, PureWindowsPath

import numpy as np

from sailplan.datasets.scenario import Scenario
from sailplan.errors import SizeError, WorldError
from sailplan.files import FilePath, exists, file_bytes, file_lines, text_lines, write_text
from sailplan.graphs.grid.checks import shown
from sailplan.graphs.grid.world import Cell, World

PASSABLE = ".GS"
"""Terrain that is free by default: ground ('.', 'G') and swamp ('S'), but not water ('W')."""

_TERRAIN = frozenset(".GSW@OT")
_TYPES = ("octile", "tile")


def read_map(path: FilePath, *, passable: str = PASSABLE) -> World:
    """Read a `.map` file.

    Parameters
    ----------
    path
        The file.
    passable
        The terrain letters that are free; all others are blocked. In MovingAI's rules swamp and water are terrains of
        their own: `passable=".GSW"` opens water too. Out of bounds ('@', 'O') and trees ('T') are usually blocked.

    Returns
    -------
    World
        Named after the file.

    Raises
    ------
    WorldError
        If the file cannot be read; the message names the line.
    """
    return map_world(file_bytes(path, error=WorldError), path, passable=passable)


def map_world(contents: bytes, place: FilePath, *, passable: str = PASSABLE, largest: int | None = None) -> World:
    """Return the world of a `.map` file that is in memory, as `read_map` does.

    Parameters
    ----------
    contents
        The contents of the file.
    place
        The name of the file, for messages and for the name of the world.
    passable
        As for `read_map`.
    largest
        Cells of the largest map that is read; None for any size.

    Raises
    ------
    SizeError
        If the header gives more cells.
    WorldError
        If the contents cannot be read; the message names the line.
    """
    if not set(passable) <= _TERRAIN:
        raise WorldError(f"passable={passable!r}: the terrain letters are {''.join(sorted(_TERRAIN))}")
    lines = text_lines(contents)
    width, height, first_row = _read_header(lines, place)
    if largest is not None and width * height > largest:
        raise SizeError(f"{place}: a map of {width * height} cells, and at most {largest} are read")
    rows = _read_rows(lines[first_row:], width, height, f"{place}", first_row + 1)
    letters = np.frombuffer("".join(rows).encode("ascii"), dtype=np.uint8).reshape(height, width)
    return World.from_image(np.isin(letters, list(passable.encode("ascii"))), name=Path(place).stem)


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
        raise WorldError(
            f"{place}: the header needs a type of {' or '.join(_TYPES)}, got {shown(header.get('type', ''))}"
        )
    return _read_size(header, "width", place), _read_size(header, "height", place)


def _read_size(header: dict[str, str], key: str, place: str) -> int:
    size = natural_number(header.get(key, ""))
    if not size:
        raise WorldError(f"{place}: the header needs a {key} above 0, got {shown(header.get(key, ''))}")
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
    """Return an integer of at most nine plain digits, or None if the text is anything else."""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= 9 else None


@dataclass(frozen=True)
class _Row:
    """A row as written in the file: y is counted from the upper edge."""

    place: str
    map_name: str
    width: int
    height: int
    start: Cell
    goal: Cell
    length: float


def read_scenarios(path: FilePath, *, passable: str = PASSABLE) -> list[Scenario]:
    """Read the scenarios of a `.scen` file.

    Parameters
    ----------
    path
        The file. Its maps are read from the same folder, whatever folder a row names, once each.
    passable
        As for `read_map`.

    Returns
    -------
    list of Scenario
        The listed lengths are valid with diagonals of √2 and without corner cutting.

    Raises
    ------
    WorldError
        If a file cannot be read, or a start or goal is not free; the message names the line.
    """
    worlds: dict[str, World] = {}
    scenarios = []
    for row in _read_scenario_rows(path):
        if row.map_name not in worlds:
            worlds[row.map_name] = _map_beside(path, row, passable)
        scenarios.append(_scenario(row, worlds[row.map_name]))
    return scenarios


def _read_scenario_rows(path: FilePath) -> list[_Row]:
    lines = file_lines(path, error=WorldError)
    if lines[0].split() not in (["version", "1"], ["version", "1.0"]):
        raise WorldError(f"{path}:1: expected 'version 1', got {lines[0][:60]!r}")
    rows = [_parse_scenario(line, f"{path}:{at}") for at, line in enumerate(lines[1:], start=2) if line.strip()]
    if not rows:
        raise WorldError(f"{path}: holds no scenario")
    return rows


def _parse_scenario(line: str, place: str) -> _Row:
    # A map name may contain blanks if tabs separate the fields.
    fields = line.split("\t") if line.count("\t") == 8 else line.split()
    if len(fields) != 9:
        raise WorldError(f"{place}: a row has 9 fields, from the bucket to the length; got {len(fields)}")
    map_name = PureWindowsPath(fields[1].strip()).name
    if map_name in ("", ".."):
        raise WorldError(f"{place}: {shown(fields[1])} names no map")
    width, height, start_x, start_y, goal_x, goal_y = (_count(field, place) for field in fields[2:8])
    length = _length(fields[8], place)
    return _Row(place, map_name, width, height, (start_x, start_y), (goal_x, goal_y), length)


def _count(field: str, place: str) -> int:
    number = natural_number(field.strip())
    if number is None:
        raise WorldError(f"{place}: expected a non-negative integer, got {shown(field)}")
    return number


def _length(field: str, place: str) -> float:
    try:
        length = float(field)
    except ValueError:
        length = math.nan
    if not 0 <= length < math.inf:
        raise WorldError(f"{place}: expected a finite length, got {shown(field)}")
    return length


def _map_beside(path: FilePath, row: _Row, passable: str) -> World:
    map_path = Path(path).parent / row.map_name
    if not exists(map_path):
        raise WorldError(f"{row.place}: there is no map {shown(row.map_name)} beside the scenarios")
    return read_map(map_path, passable=passable)


def _scenario(row: _Row, world: World) -> Scenario:
    if (row.width, row.height) != (world.width, world.height):
        raise WorldError(
            f"{row.place}: the row says {row.width} x {row.height}, "
            f"the map {shown(row.map_name)} is {world.width} x {world.height}"
        )
    start = _free_cell("start", row.start, row, world)
    goal = _free_cell("goal", row.goal, row, world)
    return Scenario(world, start, goal, listed_cost=row.length, corner_cutting=False)


def _free_cell(role: str, written: Cell, row: _Row, world: World) -> Cell:
    x, y = written[0], world.height - 1 - written[1]
    if not world.is_free((x, y)):
        fault = "blocked" if world.contains((x, y)) else "outside the map"
        raise WorldError(f"{row.place}: the {role} {written} (from the upper left) is {fault}")
    return x, y
