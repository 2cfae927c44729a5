"""The belief protocol: what a search takes the part of a world to be like that it has not seen."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np

from sailplan.core.graph import FloatArray, Problem
from sailplan.core.state import SearchState
from sailplan.errors import ModelError


class Refresh(NamedTuple):
    """When a belief is updated: when either number has been reached since the last update."""

    expansions: int
    """Vertices expanded."""
    invalid: int
    """Vertices or edges found to be invalid."""

    @classmethod
    def build(cls, told: Sequence[Any]) -> Refresh:
        """Read it from a model file."""
        expansions, invalid = (int(number) for number in told)
        if not 1 <= min(expansions, invalid) <= max(expansions, invalid) <= _MOST_BETWEEN_UPDATES:
            raise ModelError(f"a belief that is updated after {expansions} expansions or {invalid} obstacles")
        return cls(expansions, invalid)


_MOST_BETWEEN_UPDATES = 1 << 28
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


Tensors = dict[str, np.ndarray[Any, Any]]
Kind = TypeVar("Kind", bound=type[Any])
SAVEABLE: dict[str, Any] = {}
"""The classes of beliefs that model files can hold, by the name that they have there."""


def saveable(name: str) -> Callable[[Kind], Kind]:
    """Let model files hold beliefs of a class.

    It needs a method `describe()`, which returns facts for the header and tensors, and a class method
    `build(facts, tensors)`, which makes a belief of them and raises ModelError or KeyError where it cannot.
    """

    def register(kind: Kind) -> Kind:
        SAVEABLE[name] = kind
        kind.saved_as = name
        return kind

    return register


@saveable("optimistic")
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

    def describe(self) -> tuple[dict[str, Any], Tensors]:
        """Its name is all there is to save."""
        return {"name": self.name}, {}

    @classmethod
    def build(cls, facts: dict[str, Any], tensors: Tensors) -> Optimistic:
        """Make a belief of what `describe` returned."""
        return cls(str(facts["name"]))
