"""A policy that lists candidates and expands the one that the caller of the search chooses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from sailplan.core.graph import Problem
from sailplan.core.kernel.arrays import NO_VERTEX, NONE, OPEN
from sailplan.core.policy import CompiledForm
from sailplan.core.result import StopRule
from sailplan.core.state import SearchState
from sailplan.policies.features.feature import FeatureSet, allocate_features
from sailplan.policies.keyed.kernel import KeyArrays
from sailplan.policies.keyed.policy import needs_obstacles
from sailplan.policies.keyed.queues import QueueFrontier, Score
from sailplan.policies.learned.policy import compiled_columns
from sailplan.policies.steered.kernel import SteeredArrays


class Ranking(Protocol):
    """The rule that determines the candidates: the first vertices of one or more queues."""

    @property
    def queues(self) -> int:
        """Number of queues."""

    @property
    def places(self) -> int:
        """Number of candidates of each queue."""

    def scores(self, problem: Problem, state: SearchState) -> Sequence[Score]:
        """Return the function that computes the keys of each queue; a key must not change while its vertex is open."""

    def keys(self, problem: Problem) -> KeyArrays:
        """Return the keys for the compiled engine, on a graph with arrays."""


class Steering:
    """The arrays that one search shares with its caller."""

    def __init__(self, ranking: Ranking, features: FeatureSet) -> None:
        self.candidates = np.full((ranking.queues, ranking.places), NO_VERTEX, np.int64)
        """The first open vertices of each queue; NO_VERTEX if there are fewer."""
        self.rows = np.zeros((self.candidates.size, len(features.columns)))
        """The features of each candidate; zeros if there is none."""
        self.choice = np.full(1, NONE, np.int64)
        """The number of the candidate to expand, counted over all queues; if NONE or absent, the queues take turns."""


@dataclass(frozen=True, eq=False)
class SteeredPolicy:
    """A policy that expands the candidate which the caller chooses before each expansion; for a single search."""

    ranking: Ranking
    """The rule that determines the candidates."""
    features: FeatureSet
    """The features of each candidate."""
    steering: Steering
    """The arrays that the search shares with its caller."""
    stop: StopRule = StopRule.GOAL_GENERATED
    """The default stop rule."""

    def open(self, problem: Problem, state: SearchState) -> SteeredFrontier:
        """Create the open list of a search."""
        return SteeredFrontier(self, problem, state)

    def compiled(self, problem: Problem) -> CompiledForm | None:
        """Return queues, features and steering for the compiled engine; None if it cannot compute the features."""
        codes = compiled_columns(self.features, problem)
        if codes is None:
            return None
        keys, features = self.ranking.keys(problem), allocate_features(codes)
        arrays = SteeredArrays(
            keys=keys,
            features=features,
            candidates=self.steering.candidates,
            rows=self.steering.rows,
            choice=self.steering.choice,
            popped=np.empty((2, self.ranking.places), np.int64),
        )
        return CompiledForm(
            arrays,
            queues=len(keys.heuristic),
            needs_obstacles=features.needs_obstacles or needs_obstacles(keys),
            needs_walls=features.needs_walls,
            lists_candidates=True,
        )


class SteeredFrontier(QueueFrontier):
    """The open list of the reference engine."""

    def __init__(self, policy: SteeredPolicy, problem: Problem, state: SearchState) -> None:
        super().__init__(state, [(score, False) for score in policy.ranking.scores(problem, state)])
        self._problem, self._features, self._steering = problem, policy.features, policy.steering

    def list_candidates(self) -> None:
        """List the first open vertices of each queue, and compute their features."""
        candidates, rows = self._steering.candidates, self._steering.rows
        candidates[:], rows[:] = NO_VERTEX, 0.0
        for row, vertices in zip(candidates, self.first(candidates.shape[1]), strict=True):
            row[: len(vertices)] = vertices
        listed = np.flatnonzero(candidates != NO_VERTEX)
        if len(listed):
            rows[listed] = self._features(self._problem, self._state, candidates.reshape(-1)[listed].tolist())

    def select(self) -> int | None:
        """Return the candidate that was chosen; if none was, the first vertex of the queue whose turn it is."""
        choice = self._steering.choice.item()
        self._steering.choice[0] = NONE
        if 0 <= choice < self._steering.candidates.size:
            vertex = self._steering.candidates.item(choice)
            if 0 <= vertex < len(self._state.status) and self._state.status[vertex] == OPEN:
                return vertex
        return super().select()
