"""The clock of searches, which stands still while kernels are compiled, and time limits of what precedes a search."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from time import perf_counter

from sailplan.core.kernel.compile import compile_seconds

_DEADLINE: ContextVar[float] = ContextVar("deadline", default=math.inf)


class OutOfTime(Exception):
    """Raised by `check_time` when the time limit of a search is reached; the search catches it."""


def clock() -> float:
    """Return the time in seconds without that in which this thread has compiled or loaded kernels.

    Deadlines of searches are times of this clock: whether a process has its kernels changes no result.
    """
    return perf_counter() - compile_seconds()


@contextmanager
def time_limit(deadline: float) -> Iterator[None]:
    """Let `check_time` raise OutOfTime from the deadline on, in this thread and within the block."""
    token = _DEADLINE.set(deadline)
    try:
        yield
    finally:
        _DEADLINE.reset(token)


def current_deadline() -> float:
    """Return the deadline of the block; infinite if there is none."""
    return _DEADLINE.get()


def check_time() -> None:
    """Raise OutOfTime if the time limit of the search is reached; called where work can be abandoned or resumed."""
    deadline = current_deadline()
    if deadline < math.inf and clock() >= deadline:
        raise OutOfTime
