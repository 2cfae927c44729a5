"""Look at random open vertices during a recorded search: a replay that takes samples."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sailplan.core import Limits, StopRule, Trace, search
from sailplan.core.graph import FloatArray, Problem, is_finite
from sailplan.core.policy import CompiledForm, Discovery
from sailplan.core.search import EngineName, ScriptedFrontier, ScriptedPolicy
from sailplan.core.state import IntArray, SearchState
from sailplan.policies.features.feature import FeatureSet, allocate_features
from sailplan.policies.learned.policy import compiled_columns
from sailplan.policies.replay.kernel import SampleArrays


def draw_steps(length: int, samples: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Steps of an episode of this length to look at, ascending: uniform over the steps it really has.

    Zero samples means every step. No step is drawn twice, unless there are fewer than samples.
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
    """The open vertex picked before each of these steps, and its features at that moment.

    A pick is a share, at least 0 and below 1, of the open list.
    """
    sampler = Sampler(trace, features, steps, picks)
    last = int(steps[-1]) + 1 if len(steps) else 0
    search(problem, sampler, Limits(expansions=last), engine=engine)
    return sampler.vertices, sampler.rows


class Sampler:
    """Replays a search and looks at an open vertex before some of its steps; good for a single search."""

    stop = StopRule.GOAL_EXPANDED

    def __init__(self, trace: Trace, features: FeatureSet, steps: NDArray[np.int64], picks: FloatArray) -> None:
        self.features, self.steps, self.picks = features, steps, picks
        self._script = ScriptedPolicy(trace)
        self.vertices = np.empty(len(steps), np.int32)
        self.rows = np.empty((len(steps), len(features.columns)))

    def open(self, problem: Problem, state: SearchState) -> SamplingFrontier:
        """Begin the replay in the reference engine."""
        return SamplingFrontier(self, self._script.open(problem, state), problem, state)

    def compiled(self, problem: Problem) -> CompiledForm | None:
        """The replay for the compiled engine; None where it cannot compute the features."""
        self._script.check(problem)
        codes = compiled_columns(self.features, problem)
        if codes is None or not is_finite(problem.graph):
            return None
        vertices = problem.graph.vertex_count
        features = allocate_features(codes)
        arrays = SampleArrays(
            order=self._script.trace.expanded,
            steps=self.steps,
            picks=self.picks,
            features=features,
            vertices=self.vertices,
            rows=self.rows,
            taken=np.zeros(1, np.int64),
            members=np.empty(vertices, np.int32),
            places=np.empty(vertices, np.int32),
            member_count=np.zeros(1, np.int64),
        )
        return CompiledForm(arrays, needs_obstacles=features.needs_obstacles, needs_walls=features.needs_walls)


class SamplingFrontier:
    """The open list of a replay, as a list from which a member is taken out by moving the last one to its place."""

    def __init__(self, sampler: Sampler, script: ScriptedFrontier, problem: Problem, state: SearchState) -> None:
        self._sampler, self._script, self._problem, self._state = sampler, script, problem, state
        self._members: list[int] = []
        self._met: set[int] = set()
        self._taken = 0

    def observe(self, discovery: Discovery) -> None:
        """Nothing: the order is settled."""

    def add(self, vertices: Sequence[int]) -> None:
        """List vertices that are new."""
        self._members += [vertex for vertex in vertices if vertex not in self._met]
        self._met.update(vertices)

    def select(self) -> int | None:
        """Take the samples of this step; then the next vertex of the trace."""
        sampler, step = self._sampler, self._state.expansions
        while self._taken < len(sampler.steps) and sampler.steps[self._taken] == step:
            looked_at = self._members[int(sampler.picks[self._taken] * len(self._members))]
            sampler.vertices[self._taken] = looked_at
            sampler.rows[self._taken] = sampler.features(self._problem, self._state, [looked_at])[0]
            self._taken += 1
        vertex = self._script.select()
        if vertex is not None:
            place, last = self._members.index(vertex), self._members.pop()
            if vertex != last:
                self._members[place] = last
        return vertex
