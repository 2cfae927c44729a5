"""The open vertices that look best by a heuristic."""

from __future__ import annotations

from dataclasses import dataclass

from sailplan.core import SearchState
from sailplan.core.problem import Problem
from sailplan.errors import EpisodeError
from sailplan.policies.keyed.best_first import BestFirst
from sailplan.policies.keyed.heuristics import Key
from sailplan.policies.keyed.kernel import KeyArrays
from sailplan.policies.keyed.queues import Score


@dataclass(frozen=True)
class Top:
    """The first vertices of one queue, ordered by (heuristic, insertion number)."""

    places: int = 8
    """How many."""
    heuristic: str = "euclidean"
    """A name in HEURISTICS."""

    def __post_init__(self) -> None:
        if not isinstance(self.places, int) or self.places < 1:
            raise EpisodeError(f"the number of vertices to see must be at least 1, got {self.places}")
        Key(self.heuristic)

    @property
    def queues(self) -> int:
        """One."""
        return 1

    def scores(self, problem: Problem, state: SearchState) -> list[Score]:
        """The heuristic."""
        return [Key(self.heuristic).score(problem, state)]

    def keys(self, problem: Problem) -> KeyArrays:
        """The heuristic for the compiled engine."""
        keys: KeyArrays = BestFirst((Key(self.heuristic),)).compiled(problem).arrays
        return keys
