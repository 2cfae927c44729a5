"""Plans that are confirmed by a second checker, and repaired where it disagrees."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from sailplan.core.graph import EdgeStatus, FloatArray, Problem
from sailplan.core.policy import Policy
from sailplan.core.result import Limits, SearchResult
from sailplan.core.search import NO_LIMITS, search
from sailplan.errors import ProblemError
from sailplan.graphs.explicit.graph import ExplicitGraph
from sailplan.robots.robot import BoolArray


class MotionChecker(Protocol):
    """What confirms the edges of a path, for example a robot."""

    def edge_valid(self, starts: FloatArray, ends: FloatArray, /) -> BoolArray:
        """Return whether the straight motion from each start to each end is valid."""


@dataclass(frozen=True, eq=False)
class ValidatedResult:
    """The result of `plan_validated`."""

    result: SearchResult
    """The result of the last search; its counters count what this search needed, known edges included."""
    confirmed: bool
    """Whether there is a path and the second checker accepts all of its edges."""
    searches: int
    """Number of searches: one more than the number of paths that were rejected."""
    rejected: tuple[tuple[int, int], ...]
    """Edges that the first checker accepts and the second rejects."""
    evaluations: int
    """Number of edges evaluated by the first checker, each counted once."""
    confirmations: int
    """Number of edges checked by the second checker."""


def plan_validated(
    problem: Problem, policy: Policy, validate_with: MotionChecker, limits: Limits = NO_LIMITS
) -> ValidatedResult:
    """Find a path with the checker of the problem, confirm it with another one, and repair it where they disagree.

    Every edge of a path that the second checker rejects becomes invalid, and the search is repeated with all that is
    known. A fast rough checker can so be combined with a slow exact one, which sees few edges.

    Parameters
    ----------
    problem
        A problem on an explicit graph with coordinates and with a checker in Python, such as `Roadmap.problem` returns.
    policy
        The policy of the searches.
    validate_with
        Confirms edges: `edge_valid(starts, ends)` gets the coordinates of their ends.
    limits
        The time limit is for all searches together, the other limits for each of them.

    Returns
    -------
    ValidatedResult
        The path, whether it is confirmed, and counters.

    Raises
    ------
    ProblemError
        If the graph of the problem is not explicit or has no checker.

    Examples
    --------
    >>> from sailplan import Roadmap, load_policy
    >>> from sailplan.robots import FunctionRobot
    >>> rough = FunctionRobot(lambda rows: abs(rows[:, 0]) > 0.2, [-1.0, -1.0], [1.0, 1.0])
    >>> exact = FunctionRobot(lambda rows: (rows[:, 0] + 0.6) ** 2 + rows[:, 1] ** 2 > 0.04, [-1.0, -1.0], [1.0, 1.0])
    >>> problem = Roadmap.sample([-1.0, -1.0], [1.0, 1.0], 300).problem([-0.6, -0.9], [-0.6, 0.9], rough)
    >>> plan = plan_validated(problem, load_policy("lazy"), exact)
    >>> plan.confirmed, plan.searches > 1
    (True, True)
    """
    graph = problem.graph
    if not isinstance(graph, ExplicitGraph) or graph.checker is None:
        raise ProblemError(f"{problem.name}: validation needs an explicit graph with a checker, such as a roadmap")
    memory = _Memory(graph)
    known = replace(problem, graph=replace(graph, checker=memory.evaluate))
    began, confirmed_edges = time.perf_counter(), set[tuple[int, int]]()
    searches = confirmations = 0
    rejected: list[tuple[int, int]] = []
    while True:
        result = search(known, policy, _remaining(limits, time.perf_counter() - began))
        searches += 1
        edges = [edge for edge in zip(result.path, result.path[1:], strict=False) if edge not in confirmed_edges]
        verdicts = _confirm(graph, edges, validate_with)
        confirmations += len(edges)
        confirmed_edges |= {edge for edge, good in zip(edges, verdicts, strict=True) if good}
        bad = [edge for edge, good in zip(edges, verdicts, strict=True) if not good]
        rejected += bad
        memory.reject(bad)
        if not bad:
            found = bool(result.path)
            return ValidatedResult(result, found, searches, tuple(rejected), memory.evaluations, confirmations)


def _remaining(limits: Limits, spent: float) -> Limits:
    return limits if limits.seconds is None else replace(limits, seconds=max(limits.seconds - spent, 0.0))


def _confirm(graph: ExplicitGraph, edges: Sequence[tuple[int, int]], checker: MotionChecker) -> Sequence[bool]:
    if not edges:
        return []
    starts, ends = (graph.coordinates(vertices) for vertices in zip(*edges, strict=True))
    verdicts: list[bool] = np.asarray(checker.edge_valid(starts, ends)).tolist()
    return verdicts


class _Memory:
    """Results of a checker; a known edge is not evaluated again, and a rejected one is invalid."""

    def __init__(self, graph: ExplicitGraph) -> None:
        self._graph = graph
        self._results: dict[tuple[int, int], int] = {}
        self.evaluations = 0

    def evaluate(self, sources: Sequence[int], targets: Sequence[int]) -> list[int]:
        edges = [self._key(edge) for edge in zip(sources, targets, strict=True)]
        unknown = [place for place, edge in enumerate(edges) if edge not in self._results]
        if unknown:
            answers = self._graph.evaluate_edges([sources[at] for at in unknown], [targets[at] for at in unknown])
            self._results |= zip((edges[at] for at in unknown), answers, strict=True)
            self.evaluations += len(unknown)
        return [self._results[edge] for edge in edges]

    def reject(self, edges: Sequence[tuple[int, int]]) -> None:
        self._results |= {self._key(edge): EdgeStatus.INVALID_EDGE for edge in edges}

    def _key(self, edge: tuple[int, int]) -> tuple[int, int]:
        return (min(edge), max(edge)) if self._graph.undirected else edge
