"""The belief protocol: what a search takes the part of a world to be like that it has not seen."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from sailplan.core.graph import FloatArray, Problem
from sailplan.core.state import SearchState


class Refresh(NamedTuple):
    """When a belief is updated: when either number has been reached since the last update."""

    expansions: int
    """Vertices expanded."""
    invalid: int
    """Vertices or edges found to be invalid."""


NEVER = Refresh(sys.maxsize, sys.maxsize)


class Follower(Protocol):
    """What a belief makes of one search as this goes on."""

    def update(self, state: SearchState) -> FloatArray | None:
        """The multiplier of every vertex, by what is known now; None where it is as before."""


class Belief(Protocol):
    """What the cost of edges into a vertex is multiplied by that is not known to be free; immutable, shared."""

    @property
    def name(self) -> str:
        """What to call it."""

    @property
    def refresh(self) -> Refresh:
        """When a follower is updated."""

    def why_unsupported(self, problem: Problem) -> str:
        """Why the belief says nothing of such a problem; empty where it does."""

    def multipliers(self, problem: Problem) -> FloatArray | None:
        """The multiplier of every vertex before anything is known; None where it is 1 for all."""

    def follow(self, problem: Problem) -> Follower | None:
        """Follow one search; None where the multipliers do not change."""


@dataclass(frozen=True)
class Optimistic:
    """The belief that knows nothing: what is unseen is free."""

    name: str = "optimistic"
    refresh: Refresh = NEVER

    def why_unsupported(self, problem: Problem) -> str:
        """It fits every problem."""
        return ""

    def multipliers(self, problem: Problem) -> None:
        """All are 1."""

    def follow(self, problem: Problem) -> None:
        """Nothing changes."""
