"""MovingAI scenarios (.scen): one planning task a row, on maps that lie beside the file."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path, PureWindowsPath

from sailplan.datasets.formats.movingai import PASSABLE, natural_number, read_map
from sailplan.datasets.scenario import Scenario
from sailplan.errors import WorldError
from sailplan.files import FilePath, file_lines
from sailplan.graphs.grid.world import Cell, World


@dataclass(frozen=True)
class _Row:
    """A row as it is written: y is counted from the upper edge."""

    place: str
    map_name: str
    width: int
    height: int
    start: Cell
    goal: Cell
    length: float


def read_scenarios(path: FilePath, *, passable: str = PASSABLE) -> list[Scenario]:
    """Read every row; maps are looked for beside the file, whatever folder a row names, and read once each.

    The listed lengths hold with diagonals of √2 and without corner cutting.
    """
    worlds: dict[str, World] = {}
    scenarios = []
    for row in _read_rows(path):
        if row.map_name not in worlds:
            worlds[row.map_name] = _map_beside(path, row, passable)
        scenarios.append(_scenario(row, worlds[row.map_name]))
    return scenarios


def _read_rows(path: FilePath) -> list[_Row]:
    lines = file_lines(path, error=WorldError)
    if lines[0].split() not in (["version", "1"], ["version", "1.0"]):
        raise WorldError(f"{path}:1: expected 'version 1', got {lines[0][:60]!r}")
    rows = [_parse(line, f"{path}:{at}") for at, line in enumerate(lines[1:], start=2) if line.strip()]
    if not rows:
        raise WorldError(f"{path}: holds no scenario")
    return rows


def _parse(line: str, place: str) -> _Row:
    # A map name may hold blanks where tabs part the fields.
    fields = line.split("\t") if line.count("\t") == 8 else line.split()
    if len(fields) != 9:
        raise WorldError(f"{place}: a row has 9 fields, from the bucket to the length; got {len(fields)}")
    map_name = PureWindowsPath(fields[1].strip()).name
    if map_name in ("", ".."):
        raise WorldError(f"{place}: {fields[1]!r} names no map")
    width, height, start_x, start_y, goal_x, goal_y = (_count(field, place) for field in fields[2:8])
    length = _length(fields[8], place)
    return _Row(place, map_name, width, height, (start_x, start_y), (goal_x, goal_y), length)


def _count(field: str, place: str) -> int:
    number = natural_number(field.strip())
    if number is None:
        raise WorldError(f"{place}: expected a whole number, got {field!r}")
    return number


def _length(field: str, place: str) -> float:
    try:
        length = float(field)
    except ValueError:
        length = math.nan
    if not 0 <= length < math.inf:
        raise WorldError(f"{place}: expected a finite length, got {field!r}")
    return length


def _map_beside(path: FilePath, row: _Row, passable: str) -> World:
    map_path = Path(path).parent / row.map_name
    if not map_path.exists():
        raise WorldError(f"{row.place}: there is no map {row.map_name!r} beside the scenarios")
    return read_map(map_path, passable=passable)


def _scenario(row: _Row, world: World) -> Scenario:
    if (row.width, row.height) != (world.width, world.height):
        raise WorldError(
            f"{row.place}: the row says {row.width} x {row.height}, "
            f"the map {row.map_name!r} is {world.width} x {world.height}"
        )
    start = _cell("start", row.start, row, world)
    goal = _cell("goal", row.goal, row, world)
    return Scenario(world, start, goal, listed_cost=row.length, corner_cutting=False)


def _cell(role: str, written: Cell, row: _Row, world: World) -> Cell:
    x, y = written[0], world.height - 1 - written[1]
    if not world.is_free((x, y)):
        fault = "blocked" if world.contains((x, y)) else "outside the map"
        raise WorldError(f"{row.place}: the {role} {written} (from the upper left) is {fault}")
    return x, y
