"""Policies: what decides which vertex to expand next."""

from sailplan.policies.best_first import BestFirst
from sailplan.policies.catalogue import CATALOGUE, PRETRAINED, make_policy
from sailplan.policies.classic import a_star, dijkstra, greedy, weighted_a_star
from sailplan.policies.heuristics import HEURISTICS, Key
from sailplan.policies.multi_heuristic import mha_star
from sailplan.policies.oracle import OraclePolicy

__all__ = [
    "CATALOGUE",
    "HEURISTICS",
    "PRETRAINED",
    "BestFirst",
    "Key",
    "OraclePolicy",
    "a_star",
    "dijkstra",
    "greedy",
    "make_policy",
    "mha_star",
    "weighted_a_star",
]
