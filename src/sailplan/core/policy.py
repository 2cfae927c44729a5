"""The policy protocol: what decides which vertex to expand next (Select)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol, TypeGuard

from sailplan.core.limits import StopRule
from sailplan.core.problem import Problem
from sailplan.core.state import SearchState
from sailplan.kernels.arrays import QueueArrays
from sailplan.kernels.policy_arrays import PolicyArrays


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
    """The open list of one search, ordered by a policy."""

    def observe(self, discovery: Discovery) -> None:
        """Learn what an expansion uncovered; comes before its successors are added."""

    def add(self, vertices: Sequence[int]) -> None:
        """Take in vertices that entered the open list or, being in it, got a cheaper path; in successor order."""

    def select(self) -> int | None:
        """Take out the vertex to expand next: one whose status is OPEN, or None where none is left."""


class SteeredFrontier(Frontier, Protocol):
    """An open list that somebody outside selects from."""

    def list_candidates(self) -> None:
        """Write down the vertices to choose from, where the one outside can see them."""


NOT_STEERED = "this search has a policy that chooses by itself: there are no candidates to list"


def is_steered(frontier: Frontier) -> TypeGuard[SteeredFrontier]:
    """Whether somebody outside selects from the open list."""
    return hasattr(frontier, "list_candidates")


class Policy(Protocol):
    """A rule that orders open lists; immutable, shared by searches and threads."""

    @property
    def stop(self) -> StopRule:
        """When a search with this policy ends, unless the caller says otherwise."""

    def open(self, problem: Problem, state: SearchState) -> Frontier:
        """Begin the open list of a search. It may look at the state and the goal, never at the world."""


class CompiledPolicy(Policy, Protocol):
    """A policy that the compiled engine can follow."""

    def arrays(self, problem: Problem) -> PolicyArrays | None:
        """The arrays of one search; None where this problem needs the reference engine."""


class AttendedPolicy(CompiledPolicy, Protocol):
    """A compiled policy that has something to do in Python from time to time."""

    def attend(self, problem: Problem, arrays: Any) -> Attendant | None:
        """What is to be called in one search whenever its kernel says so; None where that never is."""


class Attendant(Protocol):
    """What a policy does in Python between two calls of the kernel."""

    def __call__(self, state: SearchState, queue: QueueArrays) -> QueueArrays:
        """Look at the state and change the policy's arrays; return the open list, or a larger copy."""


def is_attended(policy: Policy) -> TypeGuard[AttendedPolicy]:
    """Whether the policy has something to do in Python during a compiled search."""
    return hasattr(policy, "attend")


def is_compiled_policy(policy: Policy) -> TypeGuard[CompiledPolicy]:
    """Whether the compiled engine can follow the policy."""
    return hasattr(policy, "arrays")
