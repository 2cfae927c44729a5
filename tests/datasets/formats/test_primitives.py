"""Readers of motion primitives: facts of real files, and bad input."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sailplan.datasets import read_mprim, read_nav2_lattice, read_primitives, read_sbpl_environment
from sailplan.errors import GraphError, SailplanError, WorldError
from sailplan.graphs import MotionPrimitives

NAV2: dict[str, Any] = {
    "lattice_metadata": {"grid_resolution": 0.5, "turning_radius": 2.0, "heading_angles": [0.0, math.pi / 2.0]},
    "primitives": [
        {"start_angle_index": 0, "end_angle_index": 0, "trajectory_length": 0.5, "poses": [[0.25, 0, 0], [0.5, 0, 0]]},
        {"start_angle_index": 0, "end_angle_index": 1, "trajectory_length": 0.0, "poses": [[0, 0, math.pi / 2.0]]},
    ],
}
MPRIM = """resolution_m: 0.5
numberofangles: 4
totalnumberofprimitives: 2
primID: 0
startangle_c: 0
endpose_c: 2 0 0
additionalactioncostmult: 3
intermediateposes: 3
0.0 0.0 0.0
0.5 0.1 0.0
1.0 0.0 0.0
primID: 0
startangle_c: 1
endpose_c: 0 0 -1
additionalactioncostmult: 1
intermediateposes: 2
0.0 0.0 1.5708
0.0 0.0 -1.5708
"""
CFG = """discretization(cells): 3 2
obsthresh: 2
cost_inscribed_thresh: 1
cost_possibly_circumscribed_thresh: 0
cellsize(meters): 0.5
nominalvel(mpersecs): 2.0
timetoturn45degsinplace(secs): 0.5
start(meters,rads): 0.1 0.2 0
end(meters,rads): 1.1 0.3 1.5
environment:
0 1 2
0 0 0
"""


def _nav2(tmp_path: Path, data: object) -> Path:
    path = tmp_path / "robot.json"
    path.write_text(json.dumps(data))
    return path


def _text(tmp_path: Path, text: str, name: str = "robot.mprim") -> Path:
    path = tmp_path / name
    path.write_text(text)
    return path


def _changed(data: Any, keys: list[str | int], value: object) -> Any:
    """A copy with one entry replaced; removed if the value is `...`."""
    copy = json.loads(json.dumps(data))
    at = copy
    for key in keys[:-1]:
        at = at[key]
    if value is ...:
        del at[keys[-1]]
    else:
        at[keys[-1]] = value
    return copy


def test_a_nav2_file_by_hand(tmp_path: Path) -> None:
    primitives = read_primitives(_nav2(tmp_path, NAV2))
    ahead, turn = primitives.primitives
    assert (ahead.offset, ahead.cost, ahead.poses.tolist()) == ((1, 0), 0.5, [[0, 0, 0], [0.25, 0, 0], [0.5, 0, 0]])
    assert (turn.start, turn.end, turn.offset) == (0, 1, (0, 0))
    assert turn.cost == pytest.approx(math.pi)  # a quarter turn at the turning radius of 2 m
    cheap = read_primitives(tmp_path / "robot.json", turn_cost=0.1)
    assert [one.cost for one in cheap.primitives] == [0.5, pytest.approx(0.05 * math.pi)]


def test_an_mprim_file_by_hand(tmp_path: Path) -> None:
    primitives = read_primitives(_text(tmp_path, MPRIM))
    ahead, turn = primitives.primitives
    assert primitives.headings == pytest.approx((0.0, math.pi / 2.0, math.pi, 3.0 * math.pi / 2.0))
    assert (ahead.offset, ahead.start, ahead.end) == ((2, 0), 0, 0)
    assert ahead.cost == pytest.approx(3.0 * 2.0 * math.hypot(0.5, 0.1))
    assert (turn.offset, turn.start, turn.end) == ((0, 0), 1, 3)
    assert turn.cost == pytest.approx(0.5 * math.pi)  # by default 0.5 m for a radian
    assert read_mprim(tmp_path / "robot.mprim", turn_cost=1.0).primitives[1].cost == pytest.approx(math.pi)


def test_an_sbpl_environment_by_hand(tmp_path: Path) -> None:
    found = read_sbpl_environment(_text(tmp_path, CFG, "tiny.cfg"))
    assert found.world.blocked.tolist() == [[False, False, True], [False, False, False]]
    assert (found.world.name, found.world.resolution) == ("tiny", 0.5)
    assert (found.start, found.goal) == ((0.1, 0.2, 0.0), (1.1, 0.3, 1.5))
    assert found.turn_cost == pytest.approx(2.0 * 0.5 / (math.pi / 4.0))


@pytest.mark.parametrize(
    ("kind", "count", "reversed_count", "turns_in_place"),
    [("ackermann", 72, 0, 0), ("diff", 104, 0, 32), ("omni", 136, 0, 32)],
)
def test_the_lattices_of_nav2(
    shared_data: Path, kind: str, count: int, reversed_count: int, turns_in_place: int
) -> None:
    primitives = read_primitives(shared_data / "lattice" / f"lattice_5cm_0.5m_{kind}.json")
    assert (len(primitives.headings), len(primitives.primitives), primitives.resolution) == (16, count, 0.05)
    assert sum(one.offset == (0, 0) for one in primitives.primitives) == turns_in_place
    assert sum(len(group) for group in primitives.by_heading) == count
    assert primitives.headings[1] == pytest.approx(math.atan2(1.0, 2.0))
    assert sum(_goes_back(primitives, number) for number in range(count)) == reversed_count
    curve = primitives.primitives[0]
    assert (curve.start, curve.end, curve.offset, curve.cost) == (0, 13, (10, -7), 0.64852)
    assert primitives.cost_per_metre >= 1.0 - 1e-12


def _goes_back(primitives: MotionPrimitives, number: int) -> bool:
    one = primitives.primitives[number]
    heading = primitives.headings[one.start]
    along = math.cos(heading) * one.poses[1, 0] + math.sin(heading) * one.poses[1, 1]
    return bool(along < -1e-3)


@pytest.mark.parametrize(
    ("name", "count", "resolution", "back"), [("pr2_10cm", 256, 0.1, 16), ("unicycle_noturninplace", 80, 0.025, 16)]
)
def test_the_primitives_of_sbpl(shared_data: Path, name: str, count: int, resolution: float, back: int) -> None:
    primitives = read_primitives(shared_data / "lattice" / f"{name}.mprim")
    assert (len(primitives.headings), len(primitives.primitives), primitives.resolution) == (16, count, resolution)
    assert sum(_goes_back(primitives, number) for number in range(count)) == back
    first = primitives.primitives[0]
    assert (first.start, first.end, first.offset) == (0, 0, (1, 0))
    assert first.cost == pytest.approx(resolution)


def test_the_environment_of_sbpl(shared_data: Path) -> None:
    found = read_sbpl_environment(shared_data / "lattice" / "env1.cfg")
    assert (found.world.width, found.world.height, int(found.world.blocked.sum())) == (15, 15, 27)
    assert found.world.blocked[0, 6]
    assert not found.world.blocked[14, 6]
    assert found.turn_cost == pytest.approx(8.0 / math.pi)


@pytest.mark.parametrize(
    ("keys", "value", "message"),
    [
        (["primitives"], [], "^robot.json: there are no motion primitives$"),
        (["primitives"], ..., "there is no field 'primitives'$"),
        (["primitives"], 3, "primitives has the wrong type: 3$"),
        (["primitives", 1, "poses"], [], "primitive 1: there are no poses$"),
        (["primitives", 1, "poses", 0], [0, 0], r"primitive 1: a pose is three numbers \[x, y, heading\]"),
        (
            ["primitives", 0, "poses", 1, 0],
            0.7,
            r"primitive 0: the last pose \(0.7, 0\) is not in the centre of a cell$",
        ),
        (["primitives", 0, "poses", 1, 0], "far", "primitive 0: poses must be a finite number"),
        (["primitives", 0, "end_angle_index"], 2, r"primitive 0: end_angle_index is 2, and the headings are 0 \.\."),
        (["primitives", 0, "start_angle_index"], True, "start_angle_index has the wrong type"),
        (["primitives", 0, "trajectory_length"], ..., "primitive 0: there is no field 'trajectory_length'$"),
        (["primitives", 0, "trajectory_length"], 1e400, "trajectory_length must be a finite number"),
        (["lattice_metadata"], ..., "there is no field 'lattice_metadata'$"),
        (["lattice_metadata", "grid_resolution"], 0, "grid_resolution must be above 0"),
        (["lattice_metadata", "grid_resolution"], 1e-320, r"the last pose \(0.5, 0\) is too far for cells of 9.99"),
        (
            ["lattice_metadata", "heading_angles"],
            [1.0, 0.0],
            "primitive 0: the last pose has the angle 0, and not that of heading 0$",
        ),
        (["lattice_metadata", "turning_radius"], None, "turning_radius must be a finite number"),
    ],
)
def test_bad_nav2_files_are_refused(tmp_path: Path, keys: list[str | int], value: object, message: str) -> None:
    path = _nav2(tmp_path, _changed(NAV2, keys, value))
    with pytest.raises(GraphError, match=message.replace("^robot.json", r"robot\.json")) as caught:
        read_nav2_lattice(path)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("text", ["", "{", "[]", "3", "null", "[" * 100_000])
def test_other_json_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(GraphError, match=r"not a JSON file|there is no field 'lattice_metadata'"):
        read_nav2_lattice(_text(tmp_path, text, "robot.json"))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("resolution_m", "resolution", r"robot\.mprim:1: expected 'resolution_m', got 'resolution'$"),
        ("resolution_m: 0.5", "resolution_m: 0", "must be above 0"),
        ("numberofangles: 4", "numberofangles: 4.5", r":2: numberofangles must be an integer"),
        ("totalnumberofprimitives: 2", "totalnumberofprimitives: 0", r":4: totalnumberofprimitives is 0, but there is"),
        ("totalnumberofprimitives: 2", "totalnumberofprimitives: 3", "the file ends where 'primID:' is expected$"),
        ("startangle_c: 0", "startangle_c: 7", r"startangle_c is 7, and the headings are 0 \.\. 3$"),
        ("endpose_c: 2 0 0", "endpose_c: 2 0", r":6: expected 3 numbers after 'endpose_c', got '2 0'$"),
        ("endpose_c: 2 0 0", "endpose_c: 4 0 0", r"the last pose is not in the cell \(4, 0\)"),
        ("0.5 0.1 0.0", "0.5 nan 0.0", r":10: expected 3 numbers, got '0.5 nan 0.0'$"),
        ("mult: 3", "mult: 0", "primitive 0 must have a finite cost above 0"),
        ("0.0 0.0 -1.5708", "", "the file ends where '3 numbers' is expected$"),
    ],
)
def test_bad_mprim_files_are_refused(tmp_path: Path, old: str, new: str, message: str) -> None:
    assert old in MPRIM
    with pytest.raises(GraphError, match=message) as caught:
        read_mprim(_text(tmp_path, MPRIM.replace(old, new, 1)))
    assert "\n" not in str(caught.value)


def test_an_mprim_file_without_primitives_is_refused(tmp_path: Path) -> None:
    header = "resolution_m: 0.5\nnumberofangles: 4\ntotalnumberofprimitives: 0\n"
    with pytest.raises(GraphError, match=r"there are no motion primitives$"):
        read_mprim(_text(tmp_path, header))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("0 1 2\n", "0 1\n", r"tiny\.cfg:11: expected 3 numbers"),
        ("0 0 0\n", "", "the file ends"),
        ("cells): 3 2", "cells): 3 1", "gives 1 rows, but there is more"),
        ("cells): 3 2", "cells): 0 2", "must be above 0"),
        ("cellsize(meters)", "cellsize", "expected 'cellsize"),
    ],
)
def test_bad_environments_are_refused(tmp_path: Path, old: str, new: str, message: str) -> None:
    with pytest.raises(WorldError, match=message):
        read_sbpl_environment(_text(tmp_path, CFG.replace(old, new, 1), "tiny.cfg"))


@pytest.mark.parametrize("turn_cost", [-1.0, math.inf, math.nan, "much"])
def test_bad_turn_costs_are_refused(tmp_path: Path, turn_cost: float) -> None:
    with pytest.raises(GraphError, match="turn_cost must be"):
        read_primitives(_text(tmp_path, MPRIM), turn_cost=turn_cost)


def test_files_that_are_not_there(tmp_path: Path) -> None:
    for name in ("none.json", "none.mprim"):
        with pytest.raises(GraphError, match="no such file"):
            read_primitives(tmp_path / name)
    with pytest.raises(GraphError, match="named by a path"):
        read_primitives(3)  # type: ignore[arg-type]


def _complaint(reader: Callable[[Path], object], path: Path) -> str:
    """The message with which a reader refuses a file; empty if it reads it. Other errors are not caught."""
    try:
        reader(path)
    except SailplanError as error:
        return str(error)
    return ""


@settings(max_examples=150)
@given(
    lines=st.lists(st.one_of(st.sampled_from(MPRIM.splitlines()), st.text(max_size=20)), max_size=12),
    cut=st.integers(0, len(MPRIM)),
)
def test_any_text_is_read_or_refused_in_one_line(
    tmp_path_factory: pytest.TempPathFactory, lines: list[str], cut: int
) -> None:
    path = tmp_path_factory.mktemp("any") / "robot.mprim"
    path.write_text(MPRIM[:cut] + "\n".join(lines), encoding="utf-8", errors="replace")
    for reader in (read_mprim, read_nav2_lattice, read_sbpl_environment):
        assert "\n" not in _complaint(reader, path)


VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=5), inner, max_size=3)),
    max_leaves=5,
)


@settings(max_examples=150)
@given(
    keys=st.sampled_from(
        [
            ["lattice_metadata"],
            ["lattice_metadata", "grid_resolution"],
            ["lattice_metadata", "heading_angles"],
            ["lattice_metadata", "heading_angles", 1],
            ["primitives"],
            ["primitives", 0],
            ["primitives", 0, "poses"],
            ["primitives", 0, "poses", 1],
            ["primitives", 0, "end_angle_index"],
            ["primitives", 1, "trajectory_length"],
        ]
    ),
    value=VALUES,
)
def test_any_json_is_read_or_refused_in_one_line(
    tmp_path_factory: pytest.TempPathFactory, keys: list[str | int], value: object
) -> None:
    path = _nav2(tmp_path_factory.mktemp("any"), _changed(NAV2, keys, value))
    assert "\n" not in _complaint(read_nav2_lattice, path)
