"""The observation of an agent: candidates among the open vertices, and their features."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypedDict, get_args

import numpy as np
from numpy.typing import NDArray

from sailplan.core import SearchState
from sailplan.core.graph import Problem
from sailplan.core.kernel.arrays import NO_VERTEX
from sailplan.environment.attractors import Attractors, Point, solution_paths
from sailplan.errors import EpisodeError
from sailplan.policies.features import FeatureSet, feature_set
from sailplan.policies.keyed.kernel import KeyArrays
from sailplan.policies.keyed.policy import BestFirst, Key
from sailplan.policies.keyed.queues import Score
from sailplan.policies.steered.policy import Steering

Mode = Literal["attractors", "top"]

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

    def observation(self, steering: Steering) -> Observation:
        """Return the observation of the current step."""
        # np.clip takes twice as long. A NaN feature becomes the smallest value.
        values = np.fmin(np.fmax(steering.rows, -LARGEST_VALUE), LARGEST_VALUE)
        return {
            "candidates": values.astype(np.float32).reshape(-1),
            "present": (steering.candidates != NO_VERTEX).astype(np.int8).reshape(-1),
        }


def make_view(
    mode: Mode,
    *,
    features: str,
    attractors: tuple[Point, ...] | None,
    path_problems: list[Problem],
    heuristic: str,
    top: int,
) -> View:
    """Create the view that the settings describe; the solutions of `path_problems` are attractors too."""
    if mode not in get_args(Mode):
        raise EpisodeError(f"no mode {mode!r}; there are {', '.join(get_args(Mode))}")
    chosen = feature_set(features)
    if mode == "top":
        return View(Top(top, heuristic), chosen)
    return View(Attractors(attractors, solution_paths(path_problems)), chosen)
