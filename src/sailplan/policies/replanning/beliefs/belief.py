"""The belief protocol: what a search charges for what it has not seen."""

from __future__ import annotations

import sys
from typing import NamedTuple, Protocol

from sailplan.core.graph import FloatArray
from sailplan.core.problem import Problem
from sailplan.core.state import SearchState


class Refresh(NamedTuple):
    """When a belief looks at the state of a search again: when either number has come together since it last did."""

    expansions: int
    """Vertices expanded."""
    invalid: int
    """Vertices or edges found to be invalid."""


NEVER = Refresh(sys.maxsize, sys.maxsize)


class Follower(Protocol):
    """What a belief makes of one search as this goes on."""

    def look(self, state: SearchState) -> FloatArray | None:
        """The charge of every vertex, by what is known now; None where it is as before."""


class Belief(Protocol):
    """What edges into a vertex that is not known to be free are multiplied by; immutable, shared by searches."""

    @property
    def name(self) -> str:
        """What to call it."""

    @property
    def refresh(self) -> Refresh:
        """When a follower is asked."""

    def misfit(self, problem: Problem) -> str:
        """Why the belief knows nothing of such a problem; empty where it does."""

    def charges(self, problem: Problem) -> FloatArray | None:
        """The charge of every vertex before anything is known; None where nothing is charged (1 for all)."""

    def follow(self, problem: Problem) -> Follower | None:
        """Follow one search; None where the charges stay as they are."""
