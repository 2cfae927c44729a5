"""When a search stops, and what it returns."""

from __future__ import annotations

import io
import math
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

import numpy as np

from sailplan.core.kernel import arrays
from sailplan.core.state import IntArray
from sailplan.errors import SailplanError
from sailplan.files import atomic_write, fault_line, file_bytes


class StopRule(StrEnum):
    """At which moment the goal counts as found."""

    GOAL_GENERATED = "goal_generated"
    """The goal enters the open list: the paper's measure."""
    GOAL_EXPANDED = "goal_expanded"
    """The goal is selected for expansion: what makes A* optimal. The goal itself is not expanded."""


class Outcome(StrEnum):
    """Why a search stopped."""

    GOAL_GENERATED = "goal_generated"
    GOAL_EXPANDED = "goal_expanded"
    FRONTIER_EMPTY = "frontier_empty"
    """There is no path."""
    EXPANSIONS_SPENT = "expansions_spent"
    TIME_SPENT = "time_spent"

    @property
    def found(self) -> bool:
        """Whether there is a path."""
        return self in (Outcome.GOAL_GENERATED, Outcome.GOAL_EXPANDED)

    @property
    def final(self) -> bool:
        """Whether a larger budget would change nothing."""
        return self.found or self is Outcome.FRONTIER_EMPTY


OUTCOME_OF_CODE = {
    arrays.GOAL_GENERATED: Outcome.GOAL_GENERATED,
    arrays.GOAL_EXPANDED: Outcome.GOAL_EXPANDED,
    arrays.FRONTIER_EMPTY: Outcome.FRONTIER_EMPTY,
}


@dataclass(frozen=True)
class Limits:
    """The limits of a search, counted from its very start however often it is resumed."""

    expansions: int | None = None
    """Most expansions (T), a hard limit; None for no limit."""
    seconds: float | None = None
    """Most seconds, kept within 5 % or 10 ms if no single expansion takes longer; None for no limit."""

    def __post_init__(self) -> None:
        if self.expansions is not None and (not _is(self.expansions, int, np.integer) or self.expansions < 0):
            raise SailplanError(f"a limit of expansions is a whole number, not negative, got {self.expansions!r}")
        numbers = int, float, np.integer, np.floating
        if self.seconds is not None and not (_is(self.seconds, *numbers) and 0 <= self.seconds < math.inf):
            raise SailplanError(f"a limit of seconds must be a finite number, not negative, got {self.seconds!r}")


def _is(value: object, *kinds: type) -> bool:
    return isinstance(value, kinds) and not isinstance(value, bool)


@dataclass(frozen=True, eq=False)
class Trace:
    """The order in which a search expanded vertices: with the problem, all it takes to replay it."""

    start: int
    goal: int
    expanded: IntArray

    def save(self, path: Path | str) -> None:
        """Write the trace as an npz file with the arrays `start`, `goal` and `expanded`."""
        with atomic_write(path) as file:
            np.savez_compressed(file, start=self.start, goal=self.goal, expanded=self.expanded)

    @classmethod
    def load(cls, path: Path | str) -> Trace:
        """Read a trace that `save` wrote."""
        contents = file_bytes(path, error=SailplanError)
        # The parsers of zip and npy answer damaged files with nearly every exception there is.
        try:
            with np.load(io.BytesIO(contents), allow_pickle=False) as file:
                start, goal, expanded = int(file["start"]), int(file["goal"]), file["expanded"]
                if expanded.ndim != 1 or expanded.dtype.kind not in "iu":
                    raise ValueError(f"expanded has shape {expanded.shape} and type {expanded.dtype}")
                return cls(start, goal, expanded.astype(np.int32))
        except Exception as error:
            raise SailplanError(f"{path}: not a trace, or a damaged one ({fault_line(error)})") from error


@dataclass(frozen=True)
class Note:
    """A remark on a search that went well, such as a belief that does not fit the problem."""

    subject: str
    """What the remark is about, for example the name of a belief."""
    message: str

    def __str__(self) -> str:
        return f"{self.subject}: {self.message}"


@dataclass(frozen=True)
class Timing:
    """Where the time went, in seconds."""

    total: float
    select: float
    """Choosing vertices."""
    expand: float
    """Asking for successors, updating the state, scoring what enters the open list."""
    evaluate: float
    """Evaluating edges; in the compiled engine, asking for successors too."""


@dataclass(frozen=True)
class SearchResult:
    """The outcome of a search, the path if there is one, and what it cost to find."""

    outcome: Outcome
    path: tuple[int, ...]
    """The vertices from start to goal; empty where no path was found."""
    cost: float
    """Cost of the path; infinite where there is none."""
    expansions: int
    edge_evaluations: int
    policy_evaluations: int
    """Number of keys or scores computed."""
    non_finite_scores: int
    """How many of these were not finite; such a vertex is expanded last."""
    timing: Timing
    engine: str
    """The engine that ran: `reference` or `compiled`."""
    trace: Trace
    """The vertices in the order of their expansion."""
    partial_path: tuple[int, ...] = ()
    """Where a limit ended the search: the path to the expanded vertex that is closest to the goal."""
    notes: tuple[Note, ...] = ()
    """Remarks of the policy, for example that its belief does not fit this problem."""

    @property
    def found(self) -> bool:
        """Whether there is a path."""
        return self.outcome.found
