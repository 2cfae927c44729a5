"""Best-first policies: one or more queues, each ordered by a key; and classic planners as such policies."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sailplan.core.graph import LARGEST_NUMBER, Problem, as_real
from sailplan.core.policy import CompiledForm
from sailplan.core.result import StopRule
from sailplan.core.state import SearchState
from sailplan.errors import PolicyError
from sailplan.policies.keyed.bounds import never_overestimates
from sailplan.policies.keyed.heuristics import HEURISTICS, Estimate
from sailplan.policies.keyed.kernel import CLEARANCE, OBSTACLE, KeyArrays
from sailplan.policies.keyed.queues import QueueFrontier


@dataclass(frozen=True)
class Key:
    """The key of a queue: cost_weight * g + heuristic_weight * h.

    Raises
    ------
    PolicyError
        If there is no such heuristic, or a weight is negative, infinite or above `LARGEST_NUMBER`.

    Examples
    --------
    >>> Key("octile", cost_weight=1.0)
    Key(heuristic='octile', cost_weight=1.0, heuristic_weight=1.0)
    """

    heuristic: str = "euclidean"
    """A name in `HEURISTICS`."""
    cost_weight: float = 0.0
    """Weight of the cost from the start; if zero, a vertex keeps its key when its path becomes cheaper."""
    heuristic_weight: float = 1.0
    """Weight of the heuristic."""

    def __post_init__(self) -> None:
        if self.heuristic not in HEURISTICS:
            raise PolicyError(f"no heuristic {self.heuristic!r}; there are {', '.join(HEURISTICS)}")
        weights = (self.cost_weight, self.heuristic_weight)
        if not all(0 <= as_real(one) <= LARGEST_NUMBER for one in weights):
            raise PolicyError(f"the weights of a key must be finite and not negative, at most {LARGEST_NUMBER:g}")

    @property
    def needs_coordinates(self) -> bool:
        """Whether the key needs the coordinates of vertices."""
        return self.heuristic != "zero" and self.heuristic_weight > 0

    def score(self, problem: Problem, state: SearchState) -> Estimate:
        """Return a function that computes the keys of vertices in one search."""
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
    """A policy that expands the open vertex with the smallest key; several keys have a queue each and take turns.

    Raises
    ------
    PolicyError
        If there is no key.

    Examples
    --------
    >>> from sailplan import search
    >>> from sailplan.testing import draw_problem
    >>> search(draw_problem("S..G"), BestFirst((Key("octile", cost_weight=1.0),))).path
    (0, 1, 2, 3)
    """

    keys: tuple[Key, ...]
    """The key of each queue."""
    stop: StopRule = StopRule.GOAL_GENERATED
    """The default stop rule."""

    def __post_init__(self) -> None:
        if not self.keys:
            raise PolicyError("a best-first policy needs a key")

    def open(self, problem: Problem, state: SearchState) -> QueueFrontier:
        """Create the open list of a search."""
        return QueueFrontier(state, [(key.score(problem, state), key.cost_weight > 0) for key in self.keys])

    def proven_bound(self, problem: Problem, stop: StopRule) -> float:
        """Return the weight of a consistent heuristic, at least 1; infinite if nothing is known about the cost."""
        key = self.keys[0]
        if len(self.keys) > 1 or key.cost_weight == 0.0 or stop is not StopRule.GOAL_EXPANDED:
            return math.inf
        if not key.needs_coordinates:
            return 1.0
        weight = key.heuristic_weight / key.cost_weight
        return max(weight, 1.0) if never_overestimates(key.heuristic, problem) else math.inf

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
        """Return the keys for the compiled engine; raises GraphError if they need coordinates and there are none."""
        if any(key.needs_coordinates for key in self.keys):
            problem.graph.coordinates([problem.goal])
        return self._form


def needs_obstacles(keys: KeyArrays) -> bool:
    """Return whether a key needs the closest known invalid vertex."""
    return OBSTACLE in keys.heuristic or CLEARANCE in keys.heuristic


def dijkstra() -> BestFirst:
    """Return Dijkstra's algorithm: the cheapest vertex first; optimal on every graph.

    Returns
    -------
    BestFirst
        The policy.

    Examples
    --------
    >>> from sailplan import search
    >>> from sailplan.testing import draw_problem
    >>> search(draw_problem("S..G"), dijkstra()).cost
    3.0
    """
    return BestFirst((Key("zero", cost_weight=1.0),), StopRule.GOAL_EXPANDED)


def breadth_first() -> BestFirst:
    """Return breadth-first search: vertices in the order in which they entered the open list.

    Returns
    -------
    BestFirst
        The policy. If all edges cost the same, the path has the fewest edges.
    """
    return BestFirst((Key("zero"),))


def a_star(heuristic: str = "euclidean") -> BestFirst:
    """Return A*: the vertex with the smallest g + h first.

    Parameters
    ----------
    heuristic
        A name in `HEURISTICS`. The path is optimal if the heuristic is consistent; "octile" is on every grid.

    Returns
    -------
    BestFirst
        The policy.

    Raises
    ------
    PolicyError
        If there is no such heuristic.

    Examples
    --------
    >>> from sailplan import search
    >>> from sailplan.testing import draw_problem
    >>> round(search(draw_problem("..G S#."), a_star("octile")).cost, 3)
    2.414
    """
    return BestFirst((Key(heuristic, cost_weight=1.0),), StopRule.GOAL_EXPANDED)


def weighted_a_star(weight: float = 11.0, heuristic: str = "euclidean") -> BestFirst:
    """Return weighted A*: the vertex with the smallest g + weight * h first.

    Parameters
    ----------
    weight
        Weight of the heuristic. With the stop rule GOAL_EXPANDED and a consistent heuristic, the path costs at most
        `weight` times the optimum.
    heuristic
        A name in `HEURISTICS`.

    Returns
    -------
    BestFirst
        The policy; its stop rule is GOAL_GENERATED.

    Raises
    ------
    PolicyError
        If there is no such heuristic, or the weight is negative or infinite.

    Examples
    --------
    >>> weighted_a_star(3.0).keys
    (Key(heuristic='euclidean', cost_weight=1.0, heuristic_weight=3.0),)
    """
    return BestFirst((Key(heuristic, cost_weight=1.0, heuristic_weight=weight),))


def greedy(heuristic: str) -> BestFirst:
    """Return greedy best-first search: the vertex with the smallest heuristic first.

    Parameters
    ----------
    heuristic
        A name in `HEURISTICS`.

    Returns
    -------
    BestFirst
        The policy.

    Raises
    ------
    PolicyError
        If there is no such heuristic.

    Examples
    --------
    >>> from sailplan import search
    >>> from sailplan.testing import draw_problem
    >>> search(draw_problem("S..G"), greedy("manhattan")).expansions
    3
    """
    return BestFirst((Key(heuristic),))


def mha_star() -> BestFirst:
    """Return MHA* as simplified in the paper: queues ordered by h_EUC, h_MAN and d_OBS take turns.

    The queue of d_OBS expands the vertex farthest from known obstacles first. The paper does not state the direction;
    this one reproduces the published numbers.

    Returns
    -------
    BestFirst
        The policy.
    """
    return BestFirst((Key("euclidean"), Key("manhattan"), Key("clearance")))


def mha_star_near() -> BestFirst:
    """Return MHA* with the vertex closest to known obstacles first, which follows walls.

    It needs far fewer expansions than `mha_star` on the maps of the paper.

    Returns
    -------
    BestFirst
        The policy.
    """
    return BestFirst((Key("euclidean"), Key("manhattan"), Key("obstacle")))
