"""Samples of random open vertices during the replay of a recorded search."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sailplan.core import Limits, StopRule, Trace, search
from sailplan.core.graph import FloatArray, Problem, is_finite
from sailplan.core.policy import CompiledForm, Discovery, as_vertex
from sailplan.core.replay import ScriptedFrontier, ScriptedPolicy
from sailplan.core.search import EngineName
from sailplan.core.state import IntArray, SearchState
from sailplan.errors import SailplanError
from sailplan.files import fault_line
from sailplan.policies.features.feature import FeatureSet, allocate_features
from sailplan.policies.learned.policy import compiled_columns
from sailplan.policies.replay.kernel import SampleArrays


def draw_steps(length: int, samples: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Draw steps of a search, uniformly over its expansions.

    Parameters
    ----------
    length
        Number of expansions of the search.
    samples
        Number of steps to draw; 0 for all steps. Steps are drawn with replacement only if there are fewer than this.
    rng
        The source of randomness.

    Returns
    -------
    numpy.ndarray
        The numbers of the steps, ascending.

    Examples
    --------
    >>> draw_steps(3, 0, np.random.default_rng(0))
    array([0, 1, 2])
    >>> len(draw_steps(100, 5, np.random.default_rng(0)))
    5
    """
    if samples == 0 or length == 0:
        return np.arange(length)
    return np.sort(rng.choice(length, samples, replace=samples > length)).astype(np.int64)


def take_samples(
    problem: Problem,
    trace: Trace,
    features: FeatureSet,
    steps: NDArray[np.int64],
    picks: FloatArray,
    engine: EngineName = "auto",
) -> tuple[IntArray, FloatArray]:
    """Replay a search and sample an open vertex before some of its steps.

    Parameters
    ----------
    problem
        The problem on which the trace was recorded.
    trace
        The trace of the search.
    features
        The features to compute.
    steps
        Numbers of the steps, ascending.
    picks
        The position of each sample in the open list, as a fraction: at least 0 and below 1.
    engine
        The engine of the replay.

    Returns
    -------
    vertices, rows
        The sampled vertices, shape (steps,), and their features at that moment, shape (steps, columns).

    Raises
    ------
    SailplanError
        If the trace was recorded on another problem, or the steps or picks are out of their range.

    Examples
    --------
    >>> from sailplan.policies import dijkstra, feature_set
    >>> from sailplan.testing import draw_problem
    >>> problem = draw_problem("S..G")
    >>> trace = search(problem, dijkstra()).trace
    >>> vertices, rows = take_samples(problem, trace, feature_set("paper17"), np.array([0, 2]), np.zeros(2))
    >>> vertices, rows.shape
    (array([0, 2], dtype=int32), (2, 17))
    """
    steps, picks = checked_steps(steps, trace), _array(picks, "picks")
    if picks.dtype.kind not in "iuf" or picks.shape != steps.shape or not ((picks >= 0.0) & (picks < 1.0)).all():
        raise SailplanError("picks must be a number for each step, at least 0 and below 1")
    sampler = Sampler(trace, features, steps, picks.astype(np.float64))
    last = int(steps[-1]) + 1 if len(steps) else 0
    search(problem, sampler, Limits(expansions=last), engine=engine)
    check_replayed(problem, int(sampler.taken[0]), steps)
    return sampler.vertices, sampler.rows


def checked_steps(steps: NDArray[np.int64], trace: Trace) -> NDArray[np.int64]:
    """Return a copy of numbers of steps; raises SailplanError unless they ascend and are steps of the trace."""
    numbers = _array(steps, "steps")
    if numbers.ndim != 1 or (numbers.size and numbers.dtype.kind not in "iu"):
        raise SailplanError(f"steps must be a list of integers, got {numbers.dtype} of shape {numbers.shape}")
    length = len(trace.expanded)
    if numbers.size and (numbers[0] < 0 or numbers[-1] >= length or (numbers[1:] < numbers[:-1]).any()):
        raise SailplanError(f"steps must be ascending numbers from 0 to {length - 1}")
    return numbers.astype(np.int64)


def _array(given: Any, name: str) -> NDArray[Any]:
    """Return a copy as an array; raises SailplanError if rows have different lengths."""
    try:
        return np.array(given)
    except ValueError as error:
        raise SailplanError(f"{name} must be a list of numbers ({fault_line(error)})") from error


def check_replayed(problem: Problem, reached: int, steps: NDArray[np.int64]) -> None:
    """Raise SailplanError if a replay has reached only some of the steps."""
    if reached < len(steps):
        raise wrong_trace(problem)


def wrong_trace(problem: Problem) -> SailplanError:
    """Return the error for a trace whose next vertex is not open."""
    return SailplanError(f"{problem.name}: the trace was recorded on another problem: its next vertex is not open")


class Sampler:
    """A policy that replays a search and samples open vertices; for a single search."""

    stop = StopRule.GOAL_EXPANDED

    def __init__(self, trace: Trace, features: FeatureSet, steps: NDArray[np.int64], picks: FloatArray) -> None:
        self.features, self.steps, self.picks = features, steps, picks
        self._script = ScriptedPolicy(trace)
        self.taken = np.zeros(1, np.int64)
        self.vertices = np.empty(len(steps), np.int32)
        self.rows = np.empty((len(steps), len(features.columns)))

    def open(self, problem: Problem, state: SearchState) -> SamplingFrontier:
        """Create the open list of the replay in the reference engine."""
        return SamplingFrontier(self, self._script.open(problem, state), problem, state)

    def compiled(self, problem: Problem) -> CompiledForm | None:
        """Return the replay for the compiled engine; None if it cannot compute the features."""
        self._script.trace.check(problem)
        codes = compiled_columns(self.features, problem)
        if codes is None or not is_finite(problem.graph):
            return None
        vertices = problem.graph.vertex_count
        features = allocate_features(codes)
        arrays = SampleArrays(
            order=np.array(self._script.trace.expanded, np.int32),
            steps=self.steps,
            picks=self.picks,
            features=features,
            vertices=self.vertices,
            rows=self.rows,
            taken=self.taken,
            members=np.empty(vertices, np.int32),
            places=np.empty(vertices, np.int32),
            member_count=np.zeros(1, np.int64),
        )
        return CompiledForm(arrays, needs_obstacles=features.needs_obstacles, needs_walls=features.needs_walls)


class SamplingFrontier:
    """The open list of a replay as an unordered list; the last member replaces one that is removed."""

    def __init__(self, sampler: Sampler, script: ScriptedFrontier, problem: Problem, state: SearchState) -> None:
        self._sampler, self._script, self._problem, self._state = sampler, script, problem, state
        self._features = sampler.features.follow(problem)
        self._members: list[int] = []
        self._met: set[int] = set()

    def observe(self, discovery: Discovery) -> None:
        """Do nothing: the trace determines the order."""

    def add(self, vertices: Sequence[int]) -> None:
        """Add new vertices."""
        self._members += [vertex for vertex in vertices if vertex not in self._met]
        self._met.update(vertices)

    def select(self) -> int | None:
        """Take the samples of this step, and return the next vertex of the trace."""
        sampler, step, taken = self._sampler, self._state.expansions, self._sampler.taken
        vertex = as_vertex(self._script.select(), "sampling")
        if vertex is None:
            return None
        if vertex not in self._members:
            raise wrong_trace(self._problem)
        while taken[0] < len(sampler.steps) and sampler.steps[taken[0]] == step:
            looked_at = self._members[int(sampler.picks[taken[0]] * len(self._members))]
            sampler.vertices[taken[0]] = looked_at
            sampler.rows[taken[0]] = self._features(self._problem, self._state, [looked_at])[0]
            taken[0] += 1
        place, last = self._members.index(vertex), self._members.pop()
        if vertex != last:
            self._members[place] = last
        return vertex
