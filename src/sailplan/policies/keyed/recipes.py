"""The classical planners, each a recipe."""

from __future__ import annotations

from sailplan.core.result import StopRule
from sailplan.policies.keyed.best_first import BestFirst
from sailplan.policies.keyed.heuristics import Key


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
