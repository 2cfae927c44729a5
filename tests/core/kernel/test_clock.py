from __future__ import annotations

import platform
from typing import Any

import numba

from sailplan.core.kernel import clock

cycles: Any = clock.cycles
njit: Any = numba.njit


def test_the_counter_grows_where_there_is_one() -> None:
    read = njit(lambda: cycles())
    readings = [read() for _ in range(100)]
    assert readings == sorted(readings)
    has_counter = platform.machine().lower() in ("x86_64", "amd64", "i386", "i686")
    assert (readings[0] < readings[-1]) == has_counter
