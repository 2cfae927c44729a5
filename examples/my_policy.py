"""Write a policy of your own: expand the open vertex closest to the goal, but prefer the newest within a band."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sailplan.core import Discovery, SearchState, StopRule, search
from sailplan.graphs import Problem
from sailplan.policies import HEURISTICS
from sailplan.testing import check_policy, random_problem


@dataclass(frozen=True)
class StubbornPolicy:
    """Greedy search that keeps going where it went last as long as that is nearly as good as the best."""

    band: float = 3.0
    stop: StopRule = StopRule.GOAL_GENERATED

    def open(self, problem: Problem, state: SearchState) -> StubbornFrontier:
        """Begin the open list of one search."""
        return StubbornFrontier(problem, state, self.band)


class StubbornFrontier:
    """The open list: distances by vertex, in the order of insertion."""

    def __init__(self, problem: Problem, state: SearchState, band: float) -> None:
        self._state, self._band = state, band
        self._estimate = HEURISTICS["euclidean"].open(problem, state)
        self._distances: dict[int, float] = {}

    def observe(self, discovery: Discovery) -> None:
        """What was found to be invalid does not matter here."""

    def add(self, vertices: Sequence[int]) -> None:
        """Score what entered the open list."""
        self._distances.update(zip(vertices, self._estimate(vertices), strict=True))
        self._state.count_scores(len(vertices))

    def select(self) -> int | None:
        """The newest vertex within the band of the best."""
        if not self._distances:
            return None
        best = min(self._distances.values())
        chosen = [vertex for vertex, distance in self._distances.items() if distance <= best + self._band][-1]
        del self._distances[chosen]
        return chosen if self._state.is_open(chosen) else self.select()


def main() -> None:
    """Check the policy against the contract, then use it."""
    import numpy as np

    check_policy(StubbornPolicy())
    problem = random_problem(np.random.default_rng(7), largest=40)
    result = search(problem, StubbornPolicy())
    print(
        f"the contract is kept; {result.outcome} after {result.expansions} expansions with the {result.engine} engine"
    )


if __name__ == "__main__":
    main()
