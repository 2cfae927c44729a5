"""Best-first policies, one or more queues that take turns, each ordered by a key; and the planners made of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sailplan.core.graph import Problem
from sailplan.core.policy import CompiledForm
from sailplan.core.result import StopRule
from sailplan.core.state import SearchState
from sailplan.errors import PolicyError
from sailplan.policies.keyed.heuristics import HEURISTICS, Estimate
from sailplan.policies.keyed.kernel import CLEARANCE, OBSTACLE, KeyArrays
from sailplan.policies.keyed.queues import QueueFrontier


@dataclass(frozen=True)
class Key:
    """What a queue is ordered by: cost_weight * g + heuristic_weight * h."""

    heuristic: str = "euclidean"
    """A name in HEURISTICS."""
    cost_weight: float = 0.0
    """Weight of the cost from the start; zero means that a vertex keeps its key when it gets a cheaper path."""
    heuristic_weight: float = 1.0
    """Weight of the heuristic."""

    def __post_init__(self) -> None:
        if self.heuristic not in HEURISTICS:
            raise PolicyError(f"no heuristic {self.heuristic!r}; there are {', '.join(HEURISTICS)}")
        if not (0 <= self.cost_weight < math.inf and 0 <= self.heuristic_weight < math.inf):
            raise PolicyError("the weights of a key must be finite and not negative")

    @property
    def needs_coordinates(self) -> bool:
        """Whether the graph must say where its vertices are."""
        return self.heuristic != "zero" and self.heuristic_weight > 0

    def score(self, problem: Problem, state: SearchState) -> Estimate:
        """What gives the key of each vertex in this search."""
        cost_weight, heuristic_weight = self.cost_weight, self.heuristic_weight
        if not self.needs_coordinates:
            return lambda vertices: [cost_weight * cost for cost in map(state.cost.item, vertices)]
        estimate = HEURISTICS[self.heuristic].open(problem, state)
        if not cost_weight:
            return lambda vertices: [heuristic_weight * distance for distance in estimate(vertices)]

        def keys(vertices: Sequence[int]) -> list[float]:
            return [
                cost_weight * cost + heuristic_weight * distance
                for cost, distance in zip(map(state.cost.item, vertices), estimate(vertices), strict=True)
            ]

        return keys


@dataclass(frozen=True)
class BestFirst:
    """Expands the open vertex with the smallest key; several keys take turns, a queue each."""

    keys: tuple[Key, ...]
    stop: StopRule = StopRule.GOAL_GENERATED

    def __post_init__(self) -> None:
        if not self.keys:
            raise PolicyError("a best-first policy needs a key")

    def open(self, problem: Problem, state: SearchState) -> QueueFrontier:
        """Begin the open list of a search."""
        return QueueFrontier(state, [(key.score(problem, state), key.cost_weight > 0) for key in self.keys])

    @cached_property
    def _form(self) -> CompiledForm:
        keys = KeyArrays(
            heuristic=np.array([HEURISTICS[key.heuristic].code for key in self.keys], np.int64),
            cost_weight=np.array([key.cost_weight for key in self.keys], np.float64),
            heuristic_weight=np.array([key.heuristic_weight for key in self.keys], np.float64),
            table=np.empty((0, 0)),
        )
        return CompiledForm(keys, queues=len(self.keys), needs_obstacles=needs_obstacles(keys))

    def compiled(self, problem: Problem) -> CompiledForm:
        """The keys for the compiled engine; raises GraphError where they need coordinates and there are none."""
        if any(key.needs_coordinates for key in self.keys):
            problem.graph.coordinates([problem.goal])
        return self._form


def needs_obstacles(keys: KeyArrays) -> bool:
    """Whether a key is about the closest known invalid vertex."""
    return OBSTACLE in keys.heuristic or CLEARANCE in keys.heuristic


def dijkstra() -> BestFirst:
    """Expand the cheapest vertex first; optimal on every graph."""
    return BestFirst((Key("zero", cost_weight=1.0),), StopRule.GOAL_EXPANDED)


def breadth_first() -> BestFirst:
    """Expand what entered the open list first; the path has the fewest edges where all cost the same."""
    return BestFirst((Key("zero"),))


def a_star(heuristic: str = "euclidean") -> BestFirst:
    """Expand the vertex with the smallest g + h first; optimal where h is consistent: octile is on every grid."""
    return BestFirst((Key(heuristic, cost_weight=1.0),), StopRule.GOAL_EXPANDED)


def weighted_a_star(weight: float = 11.0, heuristic: str = "euclidean") -> BestFirst:
    """Order by g + weight * h; with the stop rule GOAL_EXPANDED the path costs at most `weight` times the optimum."""
    return BestFirst((Key(heuristic, cost_weight=1.0, heuristic_weight=weight),))


def greedy(heuristic: str) -> BestFirst:
    """Expand the vertex that looks closest to the goal first."""
    return BestFirst((Key(heuristic),))


def mha_star() -> BestFirst:
    """MHA* as the paper simplifies it: turns between h_EUC, h_MAN and d_OBS, the farthest from known obstacles first.

    The paper does not say which way d_OBS goes; this way the published numbers come out.
    """
    return BestFirst((Key("euclidean"), Key("manhattan"), Key("clearance")))


def mha_star_near() -> BestFirst:
    """The same with the closest to known obstacles first, which follows walls and does far better."""
    return BestFirst((Key("euclidean"), Key("manhattan"), Key("obstacle")))
