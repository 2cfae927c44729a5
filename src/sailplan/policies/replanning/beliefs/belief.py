"""The belief protocol: assumptions about the part of a world that a search has not seen."""

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
    """When a belief is updated: as soon as either number is reached since the last update."""

    expansions: int
    """Number of vertices expanded, or of edges evaluated if the policy requests edges."""
    invalid: int
    """Number of vertices and edges found to be invalid."""

    @classmethod
    def build(cls, numbers: Sequence[Any]) -> Refresh:
        """Create one from the two numbers in a model file."""
        expansions, invalid = (int(number) for number in numbers)
        if not 1 <= min(expansions, invalid) <= max(expansions, invalid) <= _MOST_BETWEEN_UPDATES:
            raise ModelError(f"a belief that is updated after {expansions} expansions or {invalid} obstacles")
        return cls(expansions, invalid)


_MOST_BETWEEN_UPDATES = 1 << 28
NEVER = Refresh(sys.maxsize, sys.maxsize)
"""The belief is not updated."""


def set_floats(record: object, *names: str) -> None:
    """Convert fields of a record to float, because kernels are compiled again for integers and other types."""
    for name in names:
        object.__setattr__(record, name, float(getattr(record, name)))


class Follower(Protocol):
    """The state of a belief in one search.

    If it has an attribute `multipliers`, these are the multipliers before anything is known, so that they need not be
    computed twice.
    """

    def update(self, state: SearchState) -> FloatArray | None:
        """Return the multipliers, given the state of the search; None if none has changed."""


class Belief(Protocol):
    """A rule for cost multipliers of edges that are not known to be valid; immutable and shared.

    There is one multiplier for each vertex, which counts for all edges into it. A belief about explicit graphs may have
    an attribute `per_edge` that is true: then there is one for each edge, in the order of `ExplicitGraph.from_edges`.
    """

    @property
    def name(self) -> str:
        """The name of the belief in notes."""

    @property
    def refresh(self) -> Refresh:
        """When the belief is updated during a search."""

    def why_unsupported(self, problem: Problem) -> str:
        """Return why the belief cannot be used for a problem; an empty string if it can."""

    def multipliers(self, problem: Problem) -> FloatArray | None:
        """Return the multipliers before anything is known; None if all are 1.

        If it is the same read-only array in every search, the first distances are computed only once.
        """

    def follow(self, problem: Problem) -> Follower | None:
        """Return the state of the belief for one search; None if the multipliers do not change."""


Tensors = dict[str, np.ndarray[Any, Any]]
Kind = TypeVar("Kind", bound=type[Any])
SAVEABLE: dict[str, Any] = {}
"""The classes of beliefs that can be saved, by their names in model files."""


def saveable(name: str) -> Callable[[Kind], Kind]:
    """Declare that beliefs of a class can be saved in model files.

    The class needs a method `describe()`, which returns facts for the header and tensors, and a class method
    `build(facts, tensors)`, which creates a belief from them, and raises ModelError or KeyError if it cannot.

    Parameters
    ----------
    name
        The name of the class in model files.

    Returns
    -------
    callable
        A decorator for the class.
    """

    def register(kind: Kind) -> Kind:
        SAVEABLE[name] = kind
        kind.saved_as = name
        return kind

    return register


@saveable("optimistic")
@dataclass(frozen=True)
class Optimistic:
    """The belief that everything unseen is free."""

    name: str = "optimistic"
    """The name of the belief in notes."""
    refresh: Refresh = NEVER
    """When the belief is updated: never."""

    def why_unsupported(self, problem: Problem) -> str:
        """Return an empty string: every problem is supported."""
        return ""

    def multipliers(self, problem: Problem) -> None:
        """Return None: all multipliers are 1."""

    def follow(self, problem: Problem) -> None:
        """Return None: the multipliers do not change."""

    def describe(self) -> tuple[dict[str, Any], Tensors]:
        """Return the facts and tensors for a model file."""
        return {"name": self.name}, {}

    @classmethod
    def build(cls, facts: dict[str, Any], tensors: Tensors) -> Optimistic:
        """Create a belief from what `describe` returned."""
        return cls(str(facts["name"]))
