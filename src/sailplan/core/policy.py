"""The policy protocol: a policy decides which vertex is expanded next (Select)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, TypeGuard

from sailplan.core.graph import Problem
from sailplan.core.kernel.arrays import QueueArrays
from sailplan.core.result import Note, StopRule
from sailplan.core.state import SearchState


class Discovery(NamedTuple):
    """The information that an expansion uncovered."""

    vertex: int
    """The vertex that was expanded."""
    invalid_vertices: list[int]
    """Targets that are invalid."""
    invalid_edges: list[tuple[int, int]]
    """Edges (source, target) that are invalid although the target may not be."""
    successors: list[int]
    """Open targets of valid edges, including those whose path did not become cheaper; in successor order."""


class Frontier(Protocol):
    """The open list of one search, ordered by a policy; an optional attribute `notes` is a tuple of `Note`."""

    def observe(self, discovery: Discovery) -> None:
        """Process the information of an expansion; called before its successors are added."""

    def add(self, vertices: Sequence[int]) -> None:
        """Add vertices that entered the open list or whose path became cheaper; in successor order."""

    def select(self) -> int | None:
        """Remove and return the vertex to expand next, which must be OPEN; None if the list is empty."""


class SteeredFrontier(Frontier, Protocol):
    """An open list from which the caller of the search selects."""

    def list_candidates(self) -> None:
        """Write the candidates to arrays that the caller can read."""


NOT_STEERED = "the policy of this search chooses by itself: it has no candidates to list"


def is_steered(frontier: Frontier) -> TypeGuard[SteeredFrontier]:
    """Return whether the caller of the search selects from the open list."""
    return hasattr(frontier, "list_candidates")


class Policy(Protocol):
    """A rule that orders the open list of a search; immutable, so that searches and threads can share it.

    Check your own policies with `sailplan.testing.check_policy`.
    """

    @property
    def stop(self) -> StopRule:
        """The default stop rule of searches with this policy."""

    def open(self, problem: Problem, state: SearchState) -> Frontier:
        """Create the open list of a search.

        Parameters
        ----------
        problem
            The problem to be searched. Its edges must not be evaluated.
        state
            The state of the search, which the engine updates.

        Returns
        -------
        Frontier
            An empty open list; the engine adds the start.
        """


@dataclass(frozen=True, eq=False)
class CompiledForm:
    """A policy for one search in the compiled engine."""

    arrays: Any
    """A NamedTuple of arrays, whose class registers the functions of `core/kernel/policy.py`."""
    queues: int = 1
    """Number of queues."""
    needs_obstacles: bool = False
    """Whether the policy needs the closest invalid vertices."""
    needs_walls: bool = False
    """Whether the policy needs the walls that invalid cells form."""
    notes: tuple[Note, ...] = ()
    """Notes for the result."""
    update: Callable[[SearchState, QueueArrays], QueueArrays] | None = None
    """Called in Python whenever the kernel returns POLICY_DUE; returns the queues, enlarged if necessary."""
    enlarge: Callable[[Any], Any] | None = None
    """Called if the arrays are full; returns larger ones with the same contents."""
    lists_candidates: bool = False
    """Whether the caller of the search selects."""


class CompilablePolicy(Policy, Protocol):
    """A policy that can run in the compiled engine."""

    def compiled(self, problem: Problem) -> CompiledForm | None:
        """Return the form for one search; None if this problem needs the reference engine."""
