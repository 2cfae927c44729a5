"""When a search stops."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from sailplan.core.kernel import arrays
from sailplan.errors import SailplanError


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
