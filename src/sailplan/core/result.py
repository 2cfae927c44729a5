"""What a search returns."""

from __future__ import annotations

from dataclasses import dataclass

from sailplan.core.limits import Outcome
from sailplan.core.policy import Note
from sailplan.core.trace import Trace


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
