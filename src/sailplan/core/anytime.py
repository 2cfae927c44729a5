"""Anytime search: a first path soon, then cheaper paths, until the last one is optimal."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from sailplan.core.graph import Problem
from sailplan.core.policy import Policy
from sailplan.core.result import Limits, Outcome, SearchResult, finite_or_none
from sailplan.core.search import NO_LIMITS, EngineName, Search, open_search

_EXACT = 1e-9
"""Relative differences of costs up to this are due to rounding."""
_LAST_STEP = 0.01
"""If the bound is not above 1 by more than this, the next bound is 1."""


@dataclass(frozen=True)
class Solution:
    """A path that an anytime search has found so far, and what is proven about its cost."""

    cost: float
    """Cost of the path."""
    lower_bound: float
    """No path costs less than this."""
    evaluations: int
    """Number of edges evaluated so far."""
    seconds: float
    """Time spent so far."""
    result: SearchResult
    """The result of the search so far; its bound is that of the solution."""

    @property
    def path(self) -> tuple[int, ...]:
        """The vertices from start to goal."""
        return self.result.path

    @property
    def bound(self) -> float:
        """The cost is at most this many times the optimum; 1 if the path is optimal."""
        if self.cost <= self.lower_bound * (1.0 + _EXACT):
            return 1.0
        return self.cost / self.lower_bound if self.lower_bound > 0.0 else math.inf

    def describe(self) -> dict[str, Any]:
        """Return the solution without its path for JSON; an infinite bound is None."""
        return {
            "cost": self.cost,
            "lower_bound": self.lower_bound,
            "bound": finite_or_none(self.bound),
            "edge_evaluations": self.evaluations,
            "seconds": self.seconds,
        }


def improve(
    problem: Problem, policy: Policy, limits: Limits = NO_LIMITS, *, engine: EngineName = "auto"
) -> Iterator[Solution]:
    """Find a path, then cheaper paths, in one search that keeps everything that it learns.

    The first path is that of the policy. Then the bound of the path cost is lowered step by step, and the search
    continues each time, until the path is proven to be optimal or a limit is reached.

    Parameters
    ----------
    problem
        The graph, the start and the goal.
    policy
        A policy that can continue with smaller bounds, such as `LazyPolicy`; of other policies there is one solution.
    limits
        Limits of the whole search. With `Limits(bound=1.1)` it ends as soon as this bound is proven.
    engine
        As for `search`.

    Returns
    -------
    iterator of Solution
        The cost never rises, nor does the bound. There is none if no path is found within the limits.

    Raises
    ------
    SailplanError
        As `search` does.

    Examples
    --------
    >>> from sailplan.policies import LazyPolicy
    >>> from sailplan.testing import draw_problem
    >>> problem = draw_problem("S.#. ..#. ...G")
    >>> [(round(solution.cost, 2), solution.bound) for solution in improve(problem, LazyPolicy())]
    [(3.83, 1.0)]
    """
    yield from improve_search(open_search(problem, policy, engine=engine, seconds=limits.seconds), limits)


def improve_search(session: Search, limits: Limits = NO_LIMITS) -> Iterator[Solution]:
    """Continue a search as `improve` does."""
    target = 1.0 if limits.bound is None else limits.bound
    within = Limits(limits.expansions, limits.seconds, limits.evaluations)
    result = session.run(within)
    if not result.found:
        return
    latest = _solution(session, result, within, 0.0)
    yield latest
    while result.outcome is Outcome.PATH_CONFIRMED and session.can_improve and latest.bound > target:
        step = (1.0 + latest.bound) / 2.0 if math.isfinite(latest.bound) else 2.0
        bound = max(1.0 if step <= 1.0 + _LAST_STEP else step, target)
        result = session.run(Limits(within.expansions, within.seconds, within.evaluations, bound))
        found = _solution(session, result, within, latest.lower_bound)
        if found.cost < latest.cost or found.bound < latest.bound:
            latest = found
            yield latest


def _solution(session: Search, result: SearchResult, limits: Limits, known: float) -> Solution:
    """Return the solution so far; `known` is an earlier lower bound."""
    proven = result.cost / result.bound if result.cost else 0.0
    lower_bound = min(max(known, proven, session.lower_bound(limits)), result.cost)
    solution = Solution(result.cost, lower_bound, result.edge_evaluations, session.seconds, result)
    # With the time for the lower bound, so that the result does not end before its solution.
    timing = replace(result.timing, total=solution.seconds)
    return replace(solution, result=replace(result, bound=solution.bound, timing=timing))
