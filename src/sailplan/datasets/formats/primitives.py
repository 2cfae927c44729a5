"""Motion primitives in any format, by the suffix of the file."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

from sailplan.datasets.formats.nav2_lattice import read_nav2_lattice
from sailplan.datasets.formats.sbpl import read_mprim
from sailplan.errors import GraphError
from sailplan.files import FilePath
from sailplan.graphs.grid.checks import shown
from sailplan.graphs.lattice.primitives import MotionPrimitives

READERS: dict[str, Callable[..., MotionPrimitives]] = {".json": read_nav2_lattice, ".mprim": read_mprim}
"""The reader of each suffix."""


def read_primitives(path: FilePath, *, turn_cost: float | None = None) -> MotionPrimitives:
    """Read motion primitives: a lattice file of Nav2 (`.json`) or a file of SBPL (`.mprim`).

    Parameters
    ----------
    path
        The file; its suffix gives the format.
    turn_cost
        Cost of turning by one radian, in metres. The cost of a primitive is at least this times its angle. By default
        the turning radius of a Nav2 file, and 0.5 for SBPL.

    Returns
    -------
    MotionPrimitives
        Named after the file; costs are metres.

    Raises
    ------
    GraphError
        If the file cannot be read or holds no primitives; the message says what is wrong and where.

    Examples
    --------
    >>> read_primitives("robot.txt")
    Traceback (most recent call last):
    ...
    sailplan.errors.GraphError: robot.txt: motion primitives are read from files that end in .json, .mprim
    """
    try:
        suffix = Path(path).suffix.lower()
    except TypeError as error:
        raise GraphError(f"a file of motion primitives is named by a path, got {shown(path)}") from error
    if suffix not in READERS:
        raise GraphError(f"{path}: motion primitives are read from files that end in {', '.join(READERS)}")
    if turn_cost is None:
        return READERS[suffix](path)
    if not isinstance(turn_cost, int | float) or not 0.0 <= turn_cost < math.inf:
        raise GraphError(f"turn_cost must be a finite number that is not negative, got {shown(turn_cost)}")
    return READERS[suffix](path, turn_cost=turn_cost)
