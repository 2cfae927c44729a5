"""Policies ordered by keys of path cost and heuristic: A*, greedy search, MHA*."""

from sailplan.policies.keyed.heuristics import HEURISTICS
from sailplan.policies.keyed.policy import (
    BestFirst,
    Key,
    a_star,
    breadth_first,
    dijkstra,
    greedy,
    mha_star,
    mha_star_near,
    weighted_a_star,
)

__all__ = [
    "HEURISTICS",
    "BestFirst",
    "Key",
    "a_star",
    "breadth_first",
    "dijkstra",
    "greedy",
    "mha_star",
    "mha_star_near",
    "weighted_a_star",
]
