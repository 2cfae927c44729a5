"""The policy protocol: a policy decides which vertex is expanded next (Select), or which edges are evaluated next."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from sailplan.core.graph import CompiledGraph, Problem
from sailplan.core.kernel.arrays import QueueArrays
from sailplan.core.result import Note, StopRule
from sailplan.core.state import SearchState
from sailplan.errors import PolicyError


class EdgeRequest(NamedTuple):
    """A request to evaluate edges, instead of a vertex to expand."""

    edges: Sequence[tuple[int, int]]
    """The edges (source, target), whose results are not known."""


class PathConfirmed(NamedTuple):
    """Returned instead of a request: the policy accepts the path to the goal, and the search ends."""


Request = int | EdgeRequest | PathConfirmed | None


class Discovery(NamedTuple):
    """The information that an expansion or an edge request uncovered."""

    vertex: int
    """The vertex that was expanded; NO_VERTEX after an edge request."""
    invalid_vertices: list[int]
    """Targets that are invalid."""
    invalid_edges: list[tuple[int, int]]
    """Edges (source, target) that are invalid although the target may not be."""
    successors: list[int]
    """Open targets of valid edges, including those whose path did not become cheaper; in successor order."""
    evaluated: Sequence[tuple[int, int, int]] = ()
    """After an edge request: the edges (source, target, EdgeStatus) that were evaluated."""


class Frontier(Protocol):
    """The open list of one search, ordered by a policy.

    An optional attribute `notes` is a tuple of `Note`. An attribute `requests_edges` that is true tells that the policy
    requests edges, and may find that there is no path while vertices are open. Optional methods are `tighten(bound)`,
    which continues the search with another bound of the path cost, and `lower_bound(deadline)`, which returns a lower
    bound of the cost of any path.
    """

    def observe(self, discovery: Discovery) -> None:
        """Process the information of a step; called before vertices are added."""

    def add(self, vertices: Sequence[int]) -> None:
        """Add vertices that entered the open list or whose path became cheaper; in the order of discovery."""

    def select(self) -> Request:
        """Return the next request.

        Returns
        -------
        int, EdgeRequest, PathConfirmed or None
            The vertex to expand, which must be OPEN and is removed from the list; or edges to evaluate; or that the
            path to the goal is accepted. None if no path can be found any more.
        """


def as_vertex(request: Request, user: str) -> int | None:
    """Return a request for a vertex; raises PolicyError, naming the `user` of the policy, if it is for edges."""
    if isinstance(request, EdgeRequest | PathConfirmed):
        raise PolicyError(f"{user} needs a policy that chooses vertices, not one that requests edges")
    return request


class SteeredFrontier(Frontier, Protocol):
    """An open list from which the caller of the search selects."""

    def list_candidates(self) -> None:
        """Write the candidates to arrays that the caller can read."""


NO_BOUND = "the policy of this search proves no bound of the path cost"
NOT_STEERED = "the policy of this search chooses by itself: it has no candidates to list"


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
    requests: int = 0
    """Largest number of edges in a request; 0 if the policy chooses vertices."""
    graph: CompiledGraph | None = None
    """The graph to search instead of that of the problem: the same vertices and edges, as arrays."""
    tighten: Callable[[Any, SearchState, QueueArrays, float], tuple[Any, QueueArrays]] | None = None
    """Called to continue a search with another bound; returns new arrays and queues. None if there is no bound."""
    lower_bound: Callable[[SearchState, float], float] | None = None
    """Returns a lower bound of the cost of any path, given the state of the search and a deadline (of
    `clock` in `core/result.py`)."""


class CompilablePolicy(Policy, Protocol):
    """A policy that can run in the compiled engine."""

    def compiled(self, problem: Problem) -> CompiledForm | None:
        """Return the form for one search; None if this problem needs the reference engine."""
