"""The observation of an agent: candidates among the open vertices or the edges of a path, and their features."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypedDict, get_args

import numpy as np
from numpy.typing import NDArray

from sailplan.core import SearchState
from sailplan.core.graph import FloatArray, Problem
from sailplan.core.kernel.arrays import NO_VERTEX
from sailplan.environment.attractors import Attractors, Point, solution_paths
from sailplan.errors import EpisodeError, GraphError
from sailplan.policies.catalogue import load_policy
from sailplan.policies.features import FeatureSet, feature_set
from sailplan.policies.keyed.kernel import KeyArrays
from sailplan.policies.keyed.policy import BestFirst, Key
from sailplan.policies.keyed.queues import Score
from sailplan.policies.lazy.policy import LazyPolicy
from sailplan.policies.steered.edges import EdgeSteering, SteeredLazyPolicy
from sailplan.policies.steered.policy import SteeredPolicy, Steering

Mode = Literal["attractors", "top", "edges"]

LARGEST_VALUE = 1e4
"""Features are clipped to this absolute value: spaces must be finite."""


@dataclass(frozen=True)
class Top:
    """The first vertices of one queue, ordered by (heuristic, insertion number).

    Raises
    ------
    EpisodeError
        If `places` is not a positive integer.
    PolicyError
        If there is no such heuristic.

    Examples
    --------
    >>> Top(places=4).heuristic
    'euclidean'
    """

    places: int = 8
    """Number of vertices."""
    heuristic: str = "euclidean"
    """A name in `sailplan.policies.HEURISTICS`."""

    def __post_init__(self) -> None:
        if not isinstance(self.places, int) or self.places < 1:
            raise EpisodeError(f"the number of candidates must be at least 1, got {self.places}")
        Key(self.heuristic)

    @property
    def queues(self) -> int:
        """Number of queues: one."""
        return 1

    def scores(self, problem: Problem, state: SearchState) -> list[Score]:
        """Return one score: the heuristic."""
        return [Key(self.heuristic).score(problem, state)]

    def keys(self, problem: Problem) -> KeyArrays:
        """Return the heuristic for the compiled engine."""
        keys: KeyArrays = BestFirst((Key(self.heuristic),)).compiled(problem).arrays
        return keys


class Observation(TypedDict):
    """The observation of one step."""

    candidates: NDArray[np.float32]
    """The features of all candidates, concatenated; zeros for a candidate that is absent."""
    present: NDArray[np.int8]
    """1 for each candidate that is present."""


@dataclass(frozen=True, eq=False)
class View:
    """The candidates that an agent chooses from, and their features.

    Examples
    --------
    >>> view = View(Top(8), feature_set("relative"))
    >>> view.candidates, view.size == 8 * len(view.features.columns)
    (8, True)
    """

    ranking: Attractors | Top
    """What determines the candidates."""
    features: FeatureSet
    """The features of each candidate."""

    @property
    def candidates(self) -> int:
        """Number of candidates."""
        return self.ranking.queues * self.ranking.places

    @property
    def size(self) -> int:
        """Number of features of all candidates."""
        return self.candidates * len(self.features.columns)

    def steering(self) -> Steering:
        """Allocate the arrays that one search shares with the agent."""
        return Steering(self.ranking, self.features)

    def policy(self, steering: Steering) -> SteeredPolicy:
        """Return the policy of one search."""
        return SteeredPolicy(self.ranking, self.features, steering)

    def present(self, steering: Steering) -> NDArray[np.bool_]:
        """Return which candidates are present."""
        return np.not_equal(steering.candidates, NO_VERTEX).reshape(-1)

    def observation(self, steering: Steering) -> Observation:
        """Return the observation of the current step."""
        return _observation(steering.rows, self.present(steering))

    def observe(self, steering: Steering, problem: Problem, state: SearchState) -> Observation:
        """Return the observation of the current step; the search has computed the features."""
        return self.observation(steering)


def _observation(rows: FloatArray, present: NDArray[np.bool_]) -> Observation:
    # np.clip takes twice as long. A NaN feature becomes the smallest value.
    values = np.fmin(np.fmax(rows, -LARGEST_VALUE), LARGEST_VALUE)
    return {"candidates": values.astype(np.float32).reshape(-1), "present": present.astype(np.int8)}


EDGE_COLUMNS = ("position", "share", "cost", "multiplier", "from_start", "to_goal", "to_invalid")
"""The features of an edge of the candidate path. `position` is 0 for the first unknown edge and 1 for the last, `share`
is 1 over the number of unknown edges, `cost` the cost of the edge and `multiplier` that of the belief. The others are
straight-line distances from the target of the edge to the start, the goal, and the closest vertex that is known to be
invalid or at the end of an edge known to be invalid; at most 1, which also stands for none. Costs and distances are in
units of the distance from start to goal; without coordinates, distances are 0, and the unit is 1."""


@dataclass(frozen=True, eq=False)
class EdgeView:
    """The unknown edges of the candidate path of a lazy policy, and their features (`EDGE_COLUMNS`).

    If there are more than `places`, the agent sees edges at equal distances along the path, the first and the last
    among them.

    Raises
    ------
    EpisodeError
        If `places` is not a positive integer.

    Examples
    --------
    >>> view = EdgeView(8)
    >>> view.candidates, view.size == 8 * len(EDGE_COLUMNS)
    (8, True)
    """

    places: int = 8
    """Number of candidates."""
    lazy: LazyPolicy = field(default_factory=LazyPolicy)
    """The policy that finds the candidate path; its selector and its batch are not used."""

    def __post_init__(self) -> None:
        if not isinstance(self.places, int) or self.places < 1:
            raise EpisodeError(f"the number of candidates must be at least 1, got {self.places}")

    @property
    def candidates(self) -> int:
        """Number of candidates."""
        return self.places

    @property
    def size(self) -> int:
        """Number of features of all candidates."""
        return self.places * len(EDGE_COLUMNS)

    def steering(self) -> EdgeSteering:
        """Allocate the arrays that one search shares with the agent."""
        return EdgeSteering(self.places)

    def policy(self, steering: EdgeSteering) -> SteeredLazyPolicy:
        """Return the policy of one search."""
        return SteeredLazyPolicy(steering, self.lazy)

    def present(self, steering: EdgeSteering) -> NDArray[np.bool_]:
        """Return which candidates are present."""
        return np.not_equal(steering.candidates[:, 0], NO_VERTEX)

    def observe(self, steering: EdgeSteering, problem: Problem, state: SearchState) -> Observation:
        """Return the observation of the current step."""
        present = self.present(steering)
        rows = np.zeros((self.places, len(EDGE_COLUMNS)))
        if present.any():
            position, count, cost, multiplier = steering.facts[present].T
            distances, span = _distances(problem, state, steering.candidates[present, 1])
            edges = np.stack([position / np.maximum(count - 1.0, 1.0), 1.0 / count, cost / span, multiplier], axis=1)
            rows[present] = np.concatenate([edges, distances], axis=1)
        return _observation(rows, present)


def _distances(problem: Problem, state: SearchState, vertices: NDArray[np.int64]) -> tuple[FloatArray, float]:
    """Return the distances of vertices in `EDGE_COLUMNS`, and their unit."""
    known = np.concatenate([state.invalid, state.invalid_edges[:, 1]]).tolist()
    try:
        places = problem.graph.coordinates([problem.start, problem.goal, *vertices.tolist(), *known])
    except GraphError:
        return np.zeros((len(vertices), 3)), 1.0
    start, goal, here, invalid = places[0], places[1], places[2 : 2 + len(vertices)], places[2 + len(vertices) :]
    span = float(np.linalg.norm(goal - start)) or 1.0
    columns = [np.linalg.norm(here - start, axis=1), np.linalg.norm(here - goal, axis=1), np.full(len(here), span)]
    if len(invalid):
        gaps = np.linalg.norm(here[:, None] - invalid[None], axis=2)
        columns[2] = np.minimum(gaps.min(axis=1), span)
    return np.stack(columns, axis=1) / span, span


def make_view(
    mode: Mode,
    *,
    features: str,
    attractors: tuple[Point, ...] | None,
    path_problems: list[Problem],
    heuristic: str,
    top: int,
    lazy: str,
) -> View | EdgeView:
    """Create the view that the settings describe; the solutions of `path_problems` are attractors too."""
    if mode not in get_args(Mode):
        raise EpisodeError(f"no mode {mode!r}; there are {', '.join(get_args(Mode))}")
    if mode == "edges":
        policy = load_policy(lazy)
        if not isinstance(policy, LazyPolicy):
            raise EpisodeError(f'the mode "edges" needs a lazy policy, {lazy!r} is none')
        return EdgeView(top, policy)
    chosen = feature_set(features)
    if mode == "top":
        return View(Top(top, heuristic), chosen)
    return View(Attractors(attractors, solution_paths(path_problems)), chosen)
