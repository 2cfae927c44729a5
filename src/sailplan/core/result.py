"""Stop rules, limits with the clock that they are measured by, outcomes, traces and results of searches."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from contextvars import ContextVar
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from sailplan.archives import file_arrays, write_arrays
from sailplan.core.graph import Problem, is_finite
from sailplan.core.kernel import arrays
from sailplan.core.kernel.compile import compilation
from sailplan.core.state import IntArray
from sailplan.errors import SailplanError
from sailplan.files import fault_line


class StopRule(StrEnum):
    """The event at which a search with a path to the goal stops."""

    GOAL_GENERATED = "goal_generated"
    """The goal enters the open list: the measure of the paper."""
    GOAL_EXPANDED = "goal_expanded"
    """The goal is selected for expansion, which A* needs to be optimal. The goal itself is not expanded. A policy that
    requests edges accepts the path instead (`Outcome.PATH_CONFIRMED`)."""


class Outcome(StrEnum):
    """Why a search stopped."""

    GOAL_GENERATED = "goal_generated"
    """The goal entered the open list."""
    GOAL_EXPANDED = "goal_expanded"
    """The goal was selected for expansion."""
    PATH_CONFIRMED = "path_confirmed"
    """All edges of the path were evaluated, and the policy accepts it."""
    FRONTIER_EMPTY = "frontier_empty"
    """There is no path."""
    EXPANSIONS_SPENT = "expansions_spent"
    """The limit of expansions was reached."""
    EVALUATIONS_SPENT = "evaluations_spent"
    """The limit of edge evaluations was reached."""
    TIME_SPENT = "time_spent"
    """The time limit was reached."""

    @property
    def found(self) -> bool:
        """Whether a path was found."""
        return self in _FOUND

    @property
    def final(self) -> bool:
        """Whether the search is complete, so that larger limits would not change the outcome."""
        return self.found or self is Outcome.FRONTIER_EMPTY


_FOUND = Outcome.GOAL_GENERATED, Outcome.GOAL_EXPANDED, Outcome.PATH_CONFIRMED
OUTCOME_OF_CODE = {
    arrays.GOAL_GENERATED: Outcome.GOAL_GENERATED,
    arrays.GOAL_EXPANDED: Outcome.GOAL_EXPANDED,
    arrays.PATH_CONFIRMED: Outcome.PATH_CONFIRMED,
    arrays.FRONTIER_EMPTY: Outcome.FRONTIER_EMPTY,
    arrays.EVALUATIONS_SPENT: Outcome.EVALUATIONS_SPENT,
}


@dataclass(frozen=True)
class Limits:
    """The limits of a search, counted from its start, however often it is resumed.

    Raises
    ------
    SailplanError
        If a limit is negative, infinite or not a number, or the bound is below 1.

    Examples
    --------
    >>> Limits(evaluations=1000, seconds=0.5)
    Limits(expansions=None, seconds=0.5, evaluations=1000, bound=None)
    """

    expansions: int | None = None
    """Largest number of expansions (T), a hard limit; None for no limit."""
    seconds: float | None = None
    """Time limit in seconds; None for no limit. It includes the set-up of the policy, not the time to compile kernels.
    It is exceeded by at most 5 % or 10 ms, unless one call takes longer that cannot be interrupted: the evaluation of
    an edge, or a function of a policy in Python. A batch of edges is cut: with a time limit it is evaluated in slices,
    which become shorter towards the end, and the rest waits until the search is resumed. On graphs of millions of
    vertices a twenty-fifth of the time is kept back, because the system needs it to release the memory."""
    evaluations: int | None = None
    """Largest number of edge evaluations, a hard limit; None for no limit."""
    bound: float | None = None
    """Search until the cost of the path is at most this many times the optimum, with a policy that can prove it, such
    as `LazyPolicy`; None for the bound of the policy."""

    def __post_init__(self) -> None:
        # NumPy's numbers would wrap or become floats in sums, and kernels would be compiled again for their types.
        for name in ("expansions", "seconds", "evaluations", "bound"):
            if isinstance(getattr(self, name), np.generic):
                object.__setattr__(self, name, getattr(self, name).item())
        for what in ("expansions", "evaluations"):
            most = getattr(self, what)
            if most is not None and (not _is(most, int, np.integer) or most < 0):
                raise SailplanError(f"a limit of {what} must be an integer, not negative, got {most!r}")
            if most is not None and most > _LARGEST_LIMIT:
                raise SailplanError(f"a limit of {what} must be at most {_LARGEST_LIMIT}; None is no limit")
        numbers = int, float, np.integer, np.floating
        if self.bound not in (None, math.inf) and not (_is(self.bound, *numbers) and 1 <= self.bound <= _LARGEST_FLOAT):
            raise SailplanError(f"a bound must be a number, at least 1, got {self.bound!r}")
        if self.seconds is not None and not (_is(self.seconds, *numbers) and 0 <= self.seconds <= _LARGEST_FLOAT):
            raise SailplanError(f"a limit of seconds must be a finite number, not negative, got {self.seconds!r}")


_LARGEST_LIMIT = 2**62
"""Counters and their sums with a limit fit into 64 bits."""
_LARGEST_FLOAT = sys.float_info.max
"""An integer may be larger."""


def _is(value: object, *kinds: type) -> bool:
    return isinstance(value, kinds) and not isinstance(value, bool)


class OutOfTime(Exception):
    """Raised by `check_time` when the time limit of a search is reached; the search catches it."""


_DEADLINE: ContextVar[float] = ContextVar("deadline", default=math.inf)


def clock() -> float:
    """Return the time in seconds without that in which this thread has compiled or loaded kernels.

    Deadlines of searches are times of this clock: whether a process has its kernels changes no result.
    """
    return perf_counter() - compilation.seconds


class TimeLimit:
    """Let `check_time` raise OutOfTime from the deadline on, in this thread and within a `with` block."""

    # A class, because a generator with `contextmanager` takes several times as long, twice in each search.
    def __init__(self, deadline: float) -> None:
        self._deadline = deadline

    def __enter__(self) -> None:
        self._token = _DEADLINE.set(self._deadline)

    def __exit__(self, *_: object) -> None:
        _DEADLINE.reset(self._token)


def current_deadline() -> float:
    """Return the deadline of the block; infinite if there is none."""
    return _DEADLINE.get()


def check_time() -> None:
    """Raise OutOfTime if the time limit of the search is reached; called where work can be abandoned or resumed."""
    deadline = current_deadline()
    if deadline < math.inf and clock() >= deadline:
        raise OutOfTime


def parts_of(count: int, *, timed: bool) -> Iterator[slice]:
    """Return slices of large arrays; if `timed`, raise OutOfTime before one if the time limit is reached."""
    for first in range(0, count, _ENTRIES_AT_ONCE):
        if timed:
            check_time()
        yield slice(first, min(first + _ENTRIES_AT_ONCE, count))


_ENTRIES_AT_ONCE = 1 << 16
"""Writing as many entries takes half a millisecond where the memory is new."""


@dataclass(frozen=True, eq=False)
class Trace:
    """What a search requested; with the problem, it suffices to replay the search.

    Raises
    ------
    SailplanError
        If the vertices are not a list of integers, or the edges not a list of pairs of them.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "trace.npz"
    >>> Trace(start=0, goal=3, expanded=np.array([0, 1, 2], np.int32)).save(path)
    >>> Trace.load(path).expanded
    array([0, 1, 2], dtype=int32)
    """

    start: int
    """The start of the problem."""
    goal: int
    """The goal of the problem."""
    expanded: IntArray
    """The vertices in the order of their expansion."""
    evaluated: IntArray = field(default_factory=lambda: np.empty((0, 2), np.int32))
    """The edges (source, target) that the policy requested, in the order of evaluation."""

    def __post_init__(self) -> None:
        for name, shape in (("expanded", ()), ("evaluated", (2,))):
            object.__setattr__(self, name, _vertices(getattr(self, name), name, shape))

    def save(self, path: Path | str) -> None:
        """Write the trace to an npz file with the arrays `start`, `goal`, `expanded` and `evaluated`, atomically."""
        arrays = {"start": self.start, "goal": self.goal, "expanded": self.expanded, "evaluated": self.evaluated}
        write_arrays(path, arrays)

    def check(self, problem: Problem) -> None:
        """Raise SailplanError if the problem has another start or goal, or lacks vertices of the trace."""
        if (problem.start, problem.goal) != (self.start, self.goal):
            raise SailplanError(f"{problem.name}: the trace was recorded between other vertices")
        count = problem.graph.vertex_count if is_finite(problem.graph) else math.inf
        for vertices in (self.expanded, self.evaluated):
            if vertices.size and not 0 <= vertices.min() <= vertices.max() < count:
                raise SailplanError(f"{problem.name}: the trace has vertices that the graph does not have")

    @classmethod
    def load(cls, path: Path | str) -> Trace:
        """Read a trace that `save` wrote.

        Parameters
        ----------
        path
            The npz file.

        Returns
        -------
        Trace
            The trace.

        Raises
        ------
        SailplanError
            If the file cannot be read or does not contain a trace.
        """
        arrays = file_arrays(path, ("start", "goal", "expanded", "evaluated"), error=SailplanError, kind="a trace")
        try:
            start, goal, expanded = int(arrays["start"]), int(arrays["goal"]), arrays["expanded"]
            # Traces of earlier versions have no edges.
            return cls(start, goal, expanded, arrays.get("evaluated", np.empty((0, 2), np.int32)))
        except (KeyError, TypeError, ValueError, OverflowError, SailplanError) as error:
            raise SailplanError(f"{path}: not a trace, or a damaged one ({fault_line(error)})") from error


def _vertices(given: Any, name: str, shape: tuple[int, ...]) -> IntArray:
    """Return vertices as an array of int32; raises SailplanError if they are anything else."""
    try:
        array = np.asarray(given)
    except ValueError:
        array = np.empty((), object)
    # An empty list has no type.
    if array.ndim != 1 + len(shape) or array.shape[1:] != shape or (array.size and array.dtype.kind not in "iu"):
        raise SailplanError(f"{name} has shape {array.shape} and type {array.dtype}")
    if array.dtype == np.int32 and array.flags.c_contiguous:
        # Those of a search; whether the graph has them is checked by a replay.
        return array
    if array.size and not 0 <= array.min() <= array.max() <= np.iinfo(np.int32).max:
        raise SailplanError(f"{name} has numbers that are no vertices")
    return np.ascontiguousarray(array, np.int32)


@dataclass(frozen=True)
class Note:
    """A note on a search, for example that a belief does not support the problem."""

    subject: str
    """The subject of the note, for example the name of a belief."""
    message: str
    """The text of the note."""

    def __str__(self) -> str:
        # Without line breaks: a belief of the user's own may give any reason.
        return " ".join(f"{self.subject}: {self.message}".split())


@dataclass(frozen=True)
class Timing:
    """The time of a search by phase, in seconds."""

    total: float
    """All phases: what a time limit counts."""
    select: float
    """Selecting vertices."""
    expand: float
    """Computing successors, updating the state, scoring vertices that enter the open list."""
    evaluate: float
    """Evaluating edges; in the compiled engine, computing successors too."""
    set_up: float = 0.0
    """What the policy needs before the first selection, for example the table of the oracle."""
    compile: float = 0.0
    """Compiling kernels or loading them, in the first search of a kind in a process; not a part of the total."""


@dataclass(frozen=True)
class SearchResult:
    """The outcome of a search, the path if one was found, and counters.

    Examples
    --------
    >>> from sailplan import load_policy, search
    >>> from sailplan.testing import draw_problem
    >>> result = search(draw_problem("S#G"), load_policy("dijkstra"))
    >>> result.found, result.outcome.value, result.expansions, result.edge_evaluations
    (False, 'frontier_empty', 1, 1)
    """

    outcome: Outcome
    """Why the search stopped."""
    path: tuple[int, ...]
    """The vertices from start to goal; empty if no path was found."""
    cost: float
    """Cost of the path; infinite if no path was found."""
    expansions: int
    """Number of vertices expanded."""
    edge_evaluations: int
    """Number of edges evaluated."""
    policy_evaluations: int
    """Number of keys or scores computed."""
    non_finite_scores: int
    """Number of scores that were not finite; such a vertex is expanded last."""
    timing: Timing
    """The time by phase."""
    engine: str
    """The engine that ran: `reference` or `compiled`."""
    trace: Trace
    """The vertices in the order of their expansion, and the edges that were requested."""
    partial_path: tuple[int, ...] = ()
    """If a limit ended the search: the path to the expanded vertex that is closest to the goal."""
    notes: tuple[Note, ...] = ()
    """Notes of the policy, for example that its belief does not support this problem."""
    bound: float = math.inf
    """The cost is proven to be at most this many times the optimum; infinite if nothing is proven."""

    @property
    def found(self) -> bool:
        """Whether a path was found; a limit may have ended the search before its bound was proven."""
        return bool(self.path)

    def describe(self) -> dict[str, Any]:
        """Return the outcome and the counters for JSON; infinite numbers are None."""
        return {
            "outcome": self.outcome.value,
            "cost": finite_or_none(self.cost),
            "bound": finite_or_none(self.bound),
            "expansions": self.expansions,
            "edge_evaluations": self.edge_evaluations,
            "policy_evaluations": self.policy_evaluations,
            "seconds": self.timing.total,
            "compile_seconds": self.timing.compile,
            "seconds_by_phase": {
                "set_up": self.timing.set_up,
                "select": self.timing.select,
                "expand": self.timing.expand,
                "evaluate": self.timing.evaluate,
            },
            "engine": self.engine,
        }


def finite_or_none(number: float) -> float | None:
    """Return a number that JSON can hold, or None."""
    return number if math.isfinite(number) else None
