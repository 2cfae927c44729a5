"""Motion primitives of Nav2: the JSON files of its lattice primitive generator."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

from sailplan.errors import GraphError
from sailplan.files import FilePath, fault_line, file_bytes
from sailplan.graphs.grid.checks import shown
from sailplan.graphs.lattice.primitives import (
    OFF_GRID,
    MotionPrimitive,
    MotionPrimitives,
    build_primitive,
    turn_between,
)

OFF_HEADING = 0.01
"""How far the last angle of a primitive may be from its heading, in radians."""


def read_nav2_lattice(path: FilePath, *, turn_cost: float | None = None) -> MotionPrimitives:
    """Read motion primitives from a lattice file of Nav2 (`.json`).

    Parameters
    ----------
    path
        The file.
    turn_cost
        Cost of turning in place by one radian, in metres; by default the turning radius of the file: as long as the
        arc that a car would drive.

    Returns
    -------
    MotionPrimitives
        Named after the file. The cost of a primitive is its `trajectory_length`, or `turn_cost` times its angle if
        that is larger. Files for omnidirectional robots give three times the distance as the length of motions to the
        right.

    Raises
    ------
    GraphError
        If the file cannot be read, or a field is missing or has a wrong value; the message names it.

    Examples
    --------
    >>> import json, tempfile
    >>> ahead = {"start_angle_index": 0, "end_angle_index": 0, "trajectory_length": 0.5, "poses": [[0.5, 0, 0]]}
    >>> data = {"lattice_metadata": {"grid_resolution": 0.5, "turning_radius": 1.0, "heading_angles": [0.0]}}
    >>> path = Path(tempfile.mkdtemp()) / "train.json"
    >>> _ = path.write_text(json.dumps({**data, "primitives": [ahead]}))
    >>> read_nav2_lattice(path)
    MotionPrimitives('train.json', 1 headings, 1 primitives, cells of 0.5 m)
    """
    try:
        data = json.loads(file_bytes(path, error=GraphError))
    except (ValueError, RecursionError) as error:
        if isinstance(error, GraphError):
            raise
        raise GraphError(f"{path}: not a JSON file: {fault_line(error)}") from error
    facts = _field(data, "lattice_metadata", dict, f"{path}")
    where = f"{path}: lattice_metadata"
    resolution = _number(facts, "grid_resolution", where)
    headings = [_as_number(angle, "heading_angles", where) for angle in _field(facts, "heading_angles", list, where)]
    if turn_cost is None:
        turn_cost = _number(facts, "turning_radius", where)
    rows = _field(data, "primitives", list, f"{path}")
    if resolution <= 0.0:
        raise GraphError(f"{where}: grid_resolution must be above 0, got {resolution}")
    primitives = [
        _primitive(row, headings, resolution, turn_cost, f"{path}: primitive {number}")
        for number, row in enumerate(rows)
    ]
    return MotionPrimitives(resolution, tuple(headings), tuple(primitives), name=Path(path).name)


def _primitive(row: Any, headings: list[float], resolution: float, turn_cost: float, where: str) -> MotionPrimitive:
    start, end = (_heading(row, name, len(headings), where) for name in ("start_angle_index", "end_angle_index"))
    poses = [_pose(pose, where) for pose in _field(row, "poses", list, where)]
    if not poses:
        raise GraphError(f"{where}: there are no poses")
    across, up = poses[-1][0] / resolution, poses[-1][1] / resolution
    at = f"({poses[-1][0]:g}, {poses[-1][1]:g})"
    if not (math.isfinite(across) and math.isfinite(up)):
        raise GraphError(f"{where}: the last pose {at} is too far for cells of {resolution:g}")
    offset = round(across), round(up)
    if math.dist(poses[-1][:2], [number * resolution for number in offset]) > OFF_GRID * resolution:
        raise GraphError(f"{where}: the last pose {at} is not in the centre of a cell")
    if abs(turn_between(poses[-1][2], headings[end])) > OFF_HEADING:
        raise GraphError(f"{where}: the last pose has the angle {poses[-1][2]:g}, and not that of heading {end}")
    return build_primitive(
        headings,
        resolution,
        start=start,
        end=end,
        offset=offset,
        poses=poses,
        length=_number(row, "trajectory_length", where),
        turn_cost=turn_cost,
    )


def _heading(row: Any, name: str, count: int, where: str) -> int:
    number = _field(row, name, int, where)
    if not 0 <= number < count:
        raise GraphError(f"{where}: {name} is {number}, and the headings are 0 .. {count - 1}")
    return int(number)


def _pose(pose: Any, where: str) -> tuple[float, ...]:
    if not isinstance(pose, list) or len(pose) != 3:
        raise GraphError(f"{where}: a pose is three numbers [x, y, heading], got {shown(pose)}")
    return tuple(_as_number(number, "poses", where) for number in pose)


def _number(row: Any, name: str, where: str) -> float:
    return _as_number(_field(row, name, object, where), name, where)


def _as_number(value: Any, name: str, where: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < 1e9:
        raise GraphError(f"{where}: {name} must be a finite number, got {shown(value)}")
    return float(value)


def _field(row: Any, name: str, kind: type, where: str) -> Any:
    if not isinstance(row, dict) or name not in row:
        raise GraphError(f"{where}: there is no field {name!r}")
    value = row[name]
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise GraphError(f"{where}: {name} has the wrong type: {shown(value)}")
    return value
