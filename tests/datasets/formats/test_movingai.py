from __future__ import annotations

import heapq
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis.extra.numpy import array_shapes, arrays
from numpy.typing import NDArray

from sailplan.datasets import Cell, World, read_map, read_scenarios, write_map
from sailplan.datasets.formats import movingai
from sailplan.errors import WorldError

MAP = """\
type octile
height 3
width 4
map
.G@O
TSW.
...@
"""
ROW = "0\tmaps/tiny.map\t4\t3\t0\t0\t3\t1\t4.5\n"


@pytest.fixture
def tiny(tmp_path: Path) -> Path:
    """A folder with tiny.map, for scenarios to lie beside."""
    (tmp_path / "tiny.map").write_text(MAP)
    return tmp_path


def _write(folder: Path, text: str) -> Path:
    path = folder / "bad.scen"
    path.write_text(text)
    return path


def test_terrain_and_which_way_is_up(tiny: Path) -> None:
    world = read_map(tiny / "tiny.map")
    assert world.name == "tiny"
    assert world.image().astype(int).tolist() == [[1, 1, 0, 0], [0, 1, 0, 1], [1, 1, 1, 0]]
    assert world.is_free((0, 2))
    assert not world.is_free((3, 0))


def test_the_caller_says_what_is_passable(tiny: Path) -> None:
    assert read_map(tiny / "tiny.map", passable=".GSW").is_free((2, 1))
    assert not read_map(tiny / "tiny.map", passable=".").is_free((1, 1))
    with pytest.raises(WorldError, match=r"^passable='\.X': the terrain letters are \.@GOSTW$"):
        read_map(tiny / "tiny.map", passable=".X")


@pytest.mark.parametrize(
    "text",
    [
        MAP.replace("\n", "\r\n"),
        MAP + "\n\n  \n",
        MAP.rstrip("\n"),
        "\ufeff" + MAP,
        MAP.replace("height 3\nwidth 4\n", "width 4\nheight 3\n"),
        MAP.replace("type octile\nheight 3\n", "height 3\ntype\ttile\n"),
    ],
)
def test_harmless_differences(tmp_path: Path, tiny: Path, text: str) -> None:
    (tmp_path / "other.map").write_bytes(text.encode())
    expected = read_map(tiny / "tiny.map").image()
    np.testing.assert_array_equal(read_map(tmp_path / "other.map").image(), expected)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", r":1: expected type, height, width once each, then map; got ''"),
        ("\0\1\2", r":1: expected type, height, width once each, then map; got '\\x00\\x01\\x02'"),
        (MAP.replace("width 4", "width 4\nwidth 4"), r":4: expected type, .*; got 'width 4'"),
        (MAP.replace("width 4", "width"), r":3: expected type, .*; got 'width'"),
        (MAP[: MAP.index("map")], r":4: expected type, .*; got ''"),
        ("type octile\nheight 3\nwidth 4", ": the header has no line 'map'"),
        (MAP.replace("width 4\n", ""), ":3: the header needs a width above 0, got ''"),
        (MAP.replace("height 3", "height 0"), ":4: the header needs a height above 0, got '0'"),
        (MAP.replace("height 3", "height -3"), ":4: the header needs a height above 0, got '-3'"),
        (MAP.replace("height 3", "height 3.0"), r":4: the header needs a height above 0, got '3\.0'"),
        (
            MAP.replace("height 3", "height 9999999999"),
            ":4: the header needs a height above 0, got '9999999999'",
        ),
        (MAP.replace("octile", "hex"), ":4: the header needs a type of octile or tile, got 'hex'"),
        (MAP.replace("height 3", "height 4"), ": the header says 4 rows, the file has 3"),
        (MAP.replace("height 3", "height 999999999"), ": the header says 999999999 rows, the file has 3"),
        (MAP + "....\n", ": the header says 3 rows, the file has 4"),
        (MAP.replace("TSW.", "TSW"), ":6: the header says 4 cells a row, this one has 3"),
        (MAP.replace("TSW.", "TSW.."), ":6: the header says 4 cells a row, this one has 5"),
        (MAP.replace("TSW.", "T?W."), r":6: unknown terrain '\?'"),
        (MAP.replace("TSW.", "Té.."), ":6: unknown terrain 'é'"),
    ],
)
def test_bad_maps_are_refused_in_one_line(tmp_path: Path, text: str, fault: str) -> None:
    (tmp_path / "bad.map").write_text(text, encoding="utf-8")
    with pytest.raises(WorldError, match=rf"^\S+/bad\.map{fault}$"):
        read_map(tmp_path / "bad.map")


def test_a_missing_map_is_refused(tmp_path: Path) -> None:
    with pytest.raises(WorldError, match=r"^\S+absent\.map: no such file or directory$"):
        read_map(tmp_path / "absent.map")


@given(free=arrays(np.bool_, array_shapes(min_dims=2, max_dims=2)))
def test_a_world_survives_writing_and_reading(
    free: NDArray[np.bool_], tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.getbasetemp() / "world.map"
    write_map(World.from_image(free), path)
    np.testing.assert_array_equal(read_map(path).image(), free)


@pytest.mark.parametrize("row", [ROW, ROW.replace("\t", " "), ROW.replace("\n", "\r\n\r\n"), ROW.rstrip()])
def test_scenarios_are_turned_the_right_way_up(tiny: Path, row: str) -> None:
    (scenario,) = read_scenarios(_write(tiny, "version 1\n" + row))
    assert scenario.start == (0, 2)
    assert scenario.goal == (3, 1)
    assert scenario.listed_cost == 4.5
    assert not scenario.corner_cutting
    assert scenario.diagonal_cost == math.sqrt(2)


def test_passable_terrain_reaches_the_maps(tiny: Path) -> None:
    on_water = _write(tiny, "version 1.0\n" + ROW.replace("\t3\t1\t", "\t2\t1\t"))
    assert read_scenarios(on_water, passable=".GSW")[0].goal == (2, 1)
    with pytest.raises(WorldError, match=r":2: the goal \(2, 1\) \(from the upper left\) is blocked$"):
        read_scenarios(on_water)


def test_each_map_is_read_once(tiny: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reads = []

    def counted(path: Path, *, passable: str) -> World:
        reads.append(path.name)
        return read_map(path, passable=passable)

    (tiny / "second.map").write_text(MAP)
    monkeypatch.setattr(movingai, "read_map", counted)
    scenarios = read_scenarios(_write(tiny, "version 1\n" + 3 * (ROW + ROW.replace("tiny", "second"))))
    assert len(scenarios) == 6
    assert scenarios[0].world is scenarios[4].world
    assert reads == ["tiny.map", "second.map"]


@pytest.mark.parametrize("folder", ["../..", "/etc", "C:\\maps", "..\\..", "\\\\server\\share", "maps/dao"])
def test_a_row_never_leads_out_of_the_folder(tiny: Path, folder: str) -> None:
    (tiny / "inner").mkdir()
    path = _write(tiny / "inner", "version 1\n" + ROW.replace("maps", folder))
    with pytest.raises(WorldError, match=r"bad\.scen:2: there is no map 'tiny\.map' beside the scenarios$"):
        read_scenarios(path)
    (tiny / "inner" / "tiny.map").write_text(MAP)
    assert len(read_scenarios(path)) == 1


def test_a_map_name_may_hold_blanks_between_tabs(tiny: Path) -> None:
    (tiny / "my map.map").write_text(MAP)
    assert len(read_scenarios(_write(tiny, "version 1\n" + ROW.replace("tiny", "my map")))) == 1


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", ":1: expected 'version 1', got ''"),
        (ROW, r":1: expected 'version 1', got '0\\tmaps/tiny\.map\\t.*'"),
        ("version 2\n" + ROW, ":1: expected 'version 1', got 'version 2'"),
        ("version 1\n\n", ": holds no scenario"),
        (
            "version 1\n" + ROW + "0\ttiny.map\t4\n",
            ":3: a row has 9 fields, from the bucket to the length; got 3",
        ),
        ("version 1\n" + ROW.replace("4.5", "4.5 1"), ":2: expected a finite length, got '4.5 1'"),
        ("version 1\n" + ROW.replace("maps/tiny.map", "maps/.."), r":2: 'maps/\.\.' names no map"),
        ("version 1\n" + ROW.replace("maps/tiny.map", " "), ":2: ' ' names no map"),
        (
            "version 1\n" + ROW.replace("maps/tiny.map", "a" * 300),
            r":2: there is no map 'a{56}\.\.\. beside the scenarios",
        ),
        ("version 1\n" + ROW.replace("\t3\t1\t", "\t3\tone\t"), ":2: expected a non-negative integer, got 'one'"),
        ("version 1\n" + ROW.replace("\t3\t1\t", "\t-3\t1\t"), ":2: expected a non-negative integer, got '-3'"),
        ("version 1\n" + ROW.replace("\t3\t1\t", "\t3.0\t1\t"), r":2: expected a non-negative integer, got '3\.0'"),
        ("version 1\n" + ROW.replace("4.5", "long"), ":2: expected a finite length, got 'long'"),
        ("version 1\n" + ROW.replace("4.5", "nan"), ":2: expected a finite length, got 'nan'"),
        ("version 1\n" + ROW.replace("4.5", "inf"), ":2: expected a finite length, got 'inf'"),
        ("version 1\n" + ROW.replace("4.5", "-1"), ":2: expected a finite length, got '-1'"),
        (
            "version 1\n" + ROW.replace("tiny", "absent"),
            r":2: there is no map 'absent\.map' beside the scenarios",
        ),
        (
            "version 1\n" + ROW.replace("\t4\t3", "\t3\t4"),
            r":2: the row says 3 x 4, the map 'tiny\.map' is 4 x 3",
        ),
        (
            "version 1\n" + ROW.replace("\t0\t0", "\t2\t0"),
            r":2: the start \(2, 0\) \(from the upper left\) is blocked",
        ),
        ("version 1\n" + ROW.replace("\t3\t1\t", "\t3\t3\t"), r":2: the goal \(3, 3\) .* is outside the map"),
        ("version 1\n" + ROW.replace("\t3\t1\t", "\t4\t1\t"), r":2: the goal \(4, 1\) .* is outside the map"),
    ],
)
def test_bad_scenarios_are_refused_in_one_line(tiny: Path, text: str, fault: str) -> None:
    with pytest.raises(WorldError, match=rf"^\S+/bad\.scen{fault}$"):
        read_scenarios(_write(tiny, text))


def test_a_bad_map_under_a_scenario_says_where(tiny: Path) -> None:
    (tiny / "tiny.map").write_text(MAP.replace("T", "?"))
    with pytest.raises(WorldError, match=r"^\S+/tiny\.map:6: unknown terrain '\?'$"):
        read_scenarios(_write(tiny, "version 1\n" + ROW))


def test_missing_scenarios_are_refused(tmp_path: Path) -> None:
    with pytest.raises(WorldError, match=r"^\S+absent\.scen: no such file or directory$"):
        read_scenarios(tmp_path / "absent.scen")


@pytest.mark.parametrize(
    ("name", "rows", "every"), [("arena", 160, 16), ("den312d", 320, 32), ("Berlin_0_256", 930, 465)]
)
def test_listed_lengths_of_real_maps_hold(shared_data: Path, name: str, rows: int, every: int) -> None:
    scenarios = read_scenarios(shared_data / "movingai" / f"{name}.map.scen")
    assert len(scenarios) == rows
    for scenario in scenarios[::every]:
        length = _shortest_length(scenario.world, scenario.start, scenario.goal)
        assert length == pytest.approx(scenario.listed_cost, abs=1e-3)


def _shortest_length(world: World, start: Cell, goal: Cell) -> float:
    """Dijkstra with √2 diagonals that may not cut corners."""
    free = {(int(x), int(y)) for y, x in np.argwhere(~world.blocked)}
    lengths, queue = {start: 0.0}, [(0.0, start)]
    while queue:
        length, (x, y) = heapq.heappop(queue)
        if (x, y) == goal:
            return length
        if length > lengths[x, y]:
            continue
        for dx, dy in ((dx, dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1) if dx or dy):
            if not free.issuperset(((x + dx, y), (x, y + dy), (x + dx, y + dy))):
                continue
            longer = length + math.hypot(dx, dy)
            if longer < lengths.get((x + dx, y + dy), math.inf):
                lengths[x + dx, y + dy] = longer
                heapq.heappush(queue, (longer, (x + dx, y + dy)))
    return math.inf
