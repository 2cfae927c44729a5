"""Files of SBPL: motion primitives (.mprim) and environments of x-y-theta lattices (.cfg)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np

from sailplan.errors import GraphError, WorldError
from sailplan.files import FilePath, file_lines
from sailplan.graphs.grid.world import World
from sailplan.graphs.lattice.primitives import FULL_TURN, MotionPrimitive, MotionPrimitives, Pose, build_primitive

DEFAULT_TURN_COST = 0.5
"""Cost of turning by one radian, in metres, for files that do not state it."""
_MOST = 1_000_000


def read_mprim(path: FilePath, *, turn_cost: float = DEFAULT_TURN_COST) -> MotionPrimitives:
    """Read motion primitives from a file of SBPL (`.mprim`).

    Parameters
    ----------
    path
        The file. Its headings are equally spaced, as in the version of SBPL that writes `numberofangles`.
    turn_cost
        Cost of turning by one radian, in metres: the nominal speed times the time of a turn by one radian. The
        environment files of SBPL state both; see `read_sbpl_environment`.

    Returns
    -------
    MotionPrimitives
        Named after the file. As in SBPL, the cost of a primitive is `additionalactioncostmult` times the larger of its
        length and `turn_cost` times the angle between its headings. SBPL divides by the nominal speed and rounds up to
        milliseconds; here costs are metres.

    Raises
    ------
    GraphError
        If the file cannot be read; the message names the line.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "train.mprim"
    >>> lines = ["resolution_m: 0.5", "numberofangles: 1", "totalnumberofprimitives: 1", "primID: 0",
    ...          "startangle_c: 0", "endpose_c: 1 0 0", "additionalactioncostmult: 1", "intermediateposes: 2",
    ...          "0.0 0.0 0.0", "0.5 0.0 0.0"]
    >>> _ = path.write_text("\\n".join(lines))
    >>> read_mprim(path)
    MotionPrimitives('train.mprim', 1 headings, 1 primitives, cells of 0.5 m)
    """
    rows = _Rows(path)
    resolution = rows.numbers("resolution_m", 1)[0]
    count = rows.whole("numberofangles")
    total = rows.whole("totalnumberofprimitives")
    if resolution <= 0.0 or not 0 < count <= _MOST:
        raise GraphError(f"{path}: resolution and number of angles must be above 0, got {resolution} and {count}")
    headings = [FULL_TURN * number / count for number in range(count)]
    primitives = [_primitive(rows, headings, resolution, turn_cost) for _ in range(total)]
    rows.expect_end(f"totalnumberofprimitives is {total}")
    return MotionPrimitives(resolution, tuple(headings), tuple(primitives), name=Path(path).name)


def _primitive(rows: _Rows, headings: list[float], resolution: float, turn_cost: float) -> MotionPrimitive:
    rows.numbers("primID", 1)
    start = rows.whole("startangle_c")
    x, y, end = (round(number) for number in rows.numbers("endpose_c", 3))
    (multiplier,) = rows.numbers("additionalactioncostmult", 1)
    if not 0 <= start < len(headings):
        raise GraphError(f"{rows.place}: startangle_c is {start}, and the headings are 0 .. {len(headings) - 1}")
    poses = [rows.row(3) for _ in range(rows.whole("intermediateposes"))]
    if poses and math.hypot(poses[-1][0] - x * resolution, poses[-1][1] - y * resolution) > 0.5 * resolution:
        raise GraphError(f"{rows.place}: the last pose is not in the cell ({x}, {y}) that endpose_c gives")
    length = sum(math.dist(one[:2], other[:2]) for one, other in pairwise(poses))
    return build_primitive(
        headings,
        resolution,
        start=start,
        end=end % len(headings),
        offset=(x, y),
        poses=poses,
        length=length,
        turn_cost=turn_cost,
        multiplier=multiplier,
    )


@dataclass(frozen=True, eq=False)
class SbplEnvironment:
    """What an environment file of SBPL holds."""

    world: World
    """The map; row 0 of the file is the bottom row."""
    start: Pose
    """The start in metres and radians."""
    goal: Pose
    """The goal in metres and radians."""
    turn_cost: float
    """Cost of turning by one radian, in metres: the nominal speed times the time of this turn."""


def read_sbpl_environment(path: FilePath) -> SbplEnvironment:
    """Read an environment of an x-y-theta lattice of SBPL (`.cfg`).

    Parameters
    ----------
    path
        The file.

    Returns
    -------
    SbplEnvironment
        Its map, start, goal and cost of turning. Cells of at least `obsthresh` are blocked.

    Raises
    ------
    WorldError
        If the file cannot be read; the message names the line.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "tiny.cfg"
    >>> lines = ["discretization(cells): 2 1", "obsthresh: 1", "cost_inscribed_thresh: 1",
    ...          "cost_possibly_circumscribed_thresh: 0", "cellsize(meters): 0.5", "nominalvel(mpersecs): 1.0",
    ...          "timetoturn45degsinplace(secs): 2.0", "start(meters,rads): 0.2 0.2 0", "end(meters,rads): 0.7 0.2 0",
    ...          "environment:", "0 1"]
    >>> _ = path.write_text("\\n".join(lines))
    >>> read_sbpl_environment(path).world
    World('tiny', 2 x 1, 50% blocked)
    """
    rows = _Rows(path, error=WorldError)
    width, height = (round(size) for size in rows.numbers("discretization(cells)", 2))
    (threshold,) = rows.numbers("obsthresh", 1)
    for name in ("cost_inscribed_thresh", "cost_possibly_circumscribed_thresh"):
        rows.numbers(name, 1)
    (resolution,) = rows.numbers("cellsize(meters)", 1)
    (speed,) = rows.numbers("nominalvel(mpersecs)", 1)
    (seconds,) = rows.numbers("timetoturn45degsinplace(secs)", 1)
    start, goal = rows.numbers("start(meters,rads)", 3), rows.numbers("end(meters,rads)", 3)
    rows.numbers("environment", 0)
    if not (0 < width <= _MOST and 0 < height <= _MOST and resolution > 0.0 and speed > 0.0 and seconds > 0.0):
        raise WorldError(f"{path}: sizes, speeds and times must be above 0")
    cells = np.array([rows.row(width) for _ in range(height)])
    rows.expect_end(f"discretization(cells) gives {height} rows")
    world = World(cells >= threshold, name=Path(path).stem, resolution=resolution)
    return SbplEnvironment(world, _pose(start), _pose(goal), speed * seconds / (math.pi / 4.0))


def _pose(numbers: list[float]) -> Pose:
    return numbers[0], numbers[1], numbers[2]


class _Rows:
    """The lines of a file, read one after another; empty lines are skipped."""

    def __init__(self, path: FilePath, error: type[GraphError] | type[WorldError] = GraphError) -> None:
        self._path, self._error, self._number = path, error, 0
        self._lines: Iterator[tuple[int | None, str]] = (
            (number, line) for number, line in enumerate(file_lines(path, error=error), start=1) if line.strip()
        )

    @property
    def place(self) -> str:
        """File and line of what was read last."""
        return f"{self._path}:{self._number}"

    def numbers(self, name: str, count: int) -> list[float]:
        """Read a line `name: numbers`."""
        key, _, rest = self._next(f"{name}:").partition(":")
        if key.strip() != name:
            raise self._error(f"{self.place}: expected {name!r}, got {key[:50].strip()!r}")
        return self._parse(rest, count, f"{count} numbers after {name!r}")

    def whole(self, name: str) -> int:
        """Read a line with one integer that is not negative."""
        (number,) = self.numbers(name, 1)
        if number != int(number) or not 0 <= number <= _MOST:
            raise self._error(f"{self.place}: {name} must be an integer in 0 .. {_MOST}, got {number:g}")
        return int(number)

    def row(self, count: int) -> list[float]:
        """Read a line of numbers."""
        return self._parse(self._next(f"{count} numbers"), count, f"{count} numbers")

    def expect_end(self, why: str) -> None:
        """Raise an error if there are more lines."""
        number, line = next(self._lines, (None, ""))
        if number:
            raise self._error(f"{self._path}:{number}: {why}, but there is more: {line[:50].strip()!r}")

    def _next(self, expected: str) -> str:
        number, line = next(self._lines, (None, ""))
        if number is None:
            raise self._error(f"{self._path}: the file ends where {expected!r} is expected")
        self._number = number
        return line

    def _parse(self, text: str, count: int, expected: str) -> list[float]:
        try:
            numbers = [float(word) for word in text.split()]
        except ValueError:
            numbers = [math.nan]
        if len(numbers) != count or not all(abs(number) < 1e9 for number in numbers):
            raise self._error(f"{self.place}: expected {expected}, got {text[:50].strip()!r}")
        return numbers
