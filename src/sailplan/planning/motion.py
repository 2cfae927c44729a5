"""Plan a motion on a roadmap: connect start and goal, search, and add samples near an end that has no way out."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from time import perf_counter

from numpy.typing import ArrayLike

from sailplan.core.graph import FloatArray, Problem
from sailplan.core.policy import Policy
from sailplan.core.result import Limits, Outcome, SearchResult
from sailplan.core.search import NO_LIMITS, search
from sailplan.graphs.roadmap import AnyChecker, KnownEdges, Roadmap, RoadmapGraph
from sailplan.planning.plan import as_policy

EXTRA_SAMPLES = (8, 16, 32, 64, 128, 256)
"""Numbers of samples that are added near an end, one after the other, while there is no path."""


@dataclass(frozen=True, eq=False)
class MotionPlan:
    """What `plan_motion` returns."""

    result: SearchResult
    """The result of the last search."""
    problem: Problem
    """The problem of the last search; its graph is the roadmap with the samples that were added."""
    known: KnownEdges
    """The results of all edges that were checked, for further plans in the same world."""
    searches: int
    """Number of searches: one more than the number of times that samples were added."""
    edges_checked: int
    """Number of edges that were checked, in all searches."""
    seconds: float
    """Time from the request to the plan."""

    @property
    def found(self) -> bool:
        """Whether there is a path."""
        return self.result.found

    @property
    def outcome(self) -> Outcome:
        """Why the last search ended."""
        return self.result.outcome

    @property
    def cost(self) -> float:
        """The length of the path; infinite if there is none."""
        return self.result.cost

    @property
    def configurations(self) -> FloatArray:
        """The configurations of the path, one row each, from the start to the goal; no rows if there is none."""
        graph = self.problem.graph
        assert isinstance(graph, RoadmapGraph)
        rows: FloatArray = graph.roadmap.coordinates[list(self.result.path or ())]
        return rows


def plan_motion(
    roadmap: Roadmap,
    start: ArrayLike,
    goal: ArrayLike,
    checker: AnyChecker,
    *,
    policy: str | os.PathLike[str] | Policy = "lazy",
    limits: Limits = NO_LIMITS,
    extra: Sequence[int] = EXTRA_SAMPLES,
    resolution: float | None = None,
    seed: int = 0,
    name: str = "motion",
) -> MotionPlan:
    """Find a path between two configurations on a roadmap.

    Start and goal are joined to their nearest vertices. If no path is found, samples are added near the end all of
    whose edges are invalid, or near both if there is no such end, and the search is repeated; no edge is checked twice.

    Parameters
    ----------
    roadmap
        The roadmap, which is not changed.
    start, goal
        Configurations.
    checker
        What evaluates edges; see `Roadmap.graph`. If it has a method `valid`, samples that are not valid are not added.
    policy
        A policy, or the name or file of one, for example a `LazyPolicy` with an `EdgePosterior` of this roadmap.
    limits
        The limits of all searches together.
    extra
        How many samples are added near an end, one number after the other; empty for a single search.
    resolution
        As in `Roadmap.graph`.
    seed
        Seed of the samples.
    name
        The name of the problem in messages.

    Returns
    -------
    MotionPlan
        The configurations of the path, its cost and what was checked. If there is no path, its `outcome` says why.

    Raises
    ------
    GraphError
        If start or goal is outside the limits, or the checker fails.
    ProblemError
        If the start or the goal is not valid.

    Examples
    --------
    >>> from sailplan import Roadmap
    >>> roadmap = Roadmap.sample([0.0, 0.0], [1.0, 1.0], 200)
    >>> plan = plan_motion(roadmap, [0.1, 0.1], [0.9, 0.9], lambda starts, ends: abs(ends[:, 0] - 0.5) > 0.02)
    >>> plan.found, plan.configurations[-1].tolist()
    (True, [0.9, 0.9])
    """
    began = perf_counter()
    chosen = as_policy(policy)[0]
    problem = roadmap.problem(start, goal, checker, name=name, resolution=resolution, extra=0)
    current, known, checked, stage = _roadmap_of(problem), None, 0, 0
    valid = getattr(checker, "valid", None)
    while True:
        known = KnownEdges(current) if known is None else known.extended(current)
        graph = current.graph(checker, resolution=resolution, known=known)
        problem = Problem(graph, problem.start, problem.goal, name=name)
        result = search(problem, chosen, _what_is_left(limits, began, checked))
        checked += graph.edges_checked
        if result.outcome is not Outcome.FRONTIER_EMPTY or stage == len(extra):
            return MotionPlan(result, problem, known, stage + 1, checked, perf_counter() - began)
        ends = problem.start, problem.goal
        closed = [end for end in ends if known.is_closed(end)] or ends
        current = current.refine(closed, extra=extra[stage], seed=seed + stage, valid=valid)
        stage += 1


def _roadmap_of(problem: Problem) -> Roadmap:
    assert isinstance(problem.graph, RoadmapGraph)
    return problem.graph.roadmap


def _what_is_left(limits: Limits, began: float, checked: int) -> Limits:
    """Return the limits of the next search."""
    seconds, evaluations = limits.seconds, limits.evaluations
    if seconds is not None:
        seconds = max(0.0, seconds - (perf_counter() - began))
    if evaluations is not None:
        evaluations = max(0, evaluations - checked)
    return replace(limits, seconds=seconds, evaluations=evaluations)
