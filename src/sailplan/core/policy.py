"""The policy protocol: what decides which vertex to expand next (Select)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, TypeGuard

from sailplan.core.graph import Problem
from sailplan.core.kernel.arrays import QueueArrays
from sailplan.core.result import Note, StopRule
from sailplan.core.state import SearchState


class Discovery(NamedTuple):
    """What an expansion uncovered."""

    vertex: int
    """The vertex that was expanded."""
    invalid_vertices: list[int]
    """Targets found to be invalid."""
    invalid_edges: list[tuple[int, int]]
    """Edges (source, target) found to be invalid."""
    successors: list[int]
    """Open vertices that a valid edge leads to, also those that got no cheaper path by it; in successor order."""


class Frontier(Protocol):
    """The open list of one search, ordered by a policy; an attribute `notes` may hold a tuple of `Note`."""

    def observe(self, discovery: Discovery) -> None:
        """Learn what an expansion uncovered; comes before its successors are added."""

    def add(self, vertices: Sequence[int]) -> None:
        """Add vertices that entered the open list or, being in it, got a cheaper path; in successor order."""

    def select(self) -> int | None:
        """Take out the vertex to expand next: one whose status is OPEN, or None where none is left."""


class SteeredFrontier(Frontier, Protocol):
    """An open list that a caller outside selects from."""

    def list_candidates(self) -> None:
        """Write down the vertices to choose from, where the caller can see them."""


NOT_STEERED = "this search has a policy that chooses by itself: there are no candidates to list"


def is_steered(frontier: Frontier) -> TypeGuard[SteeredFrontier]:
    """Whether a caller outside selects from the open list."""
    return hasattr(frontier, "list_candidates")


class Policy(Protocol):
    """A rule that orders open lists; immutable, shared by searches and threads."""

    @property
    def stop(self) -> StopRule:
        """When a search with this policy ends, unless the caller says otherwise."""

    def open(self, problem: Problem, state: SearchState) -> Frontier:
        """Begin the open list of a search. It may look at the state and the goal, never at the world."""


@dataclass(frozen=True, eq=False)
class CompiledForm:
    """What the compiled engine needs of a policy for one search."""

    arrays: Any
    """A NamedTuple of arrays, whose class registers bodies for the functions of `core/kernel/policy.py`."""
    queues: int = 1
    """How many rows of the queues belong to it."""
    needs_obstacles: bool = False
    """Whether it asks for the closest invalid vertices."""
    needs_walls: bool = False
    """Whether it asks for the walls that invalid cells make up."""
    notes: tuple[Note, ...] = ()
    update: Callable[[SearchState, QueueArrays], QueueArrays] | None = None
    """Called in Python whenever the kernel says that the policy is due; returns the queues, or larger ones."""
    enlarge: Callable[[Any], Any] | None = None
    """Makes larger arrays of these where the kernel has no room left."""
    lists_candidates: bool = False
    """Whether a caller outside selects."""


class CompilablePolicy(Policy, Protocol):
    """A policy that the compiled engine can follow."""

    def compiled(self, problem: Problem) -> CompiledForm | None:
        """The form for one search; None where this problem needs the reference engine."""
