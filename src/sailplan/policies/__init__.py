"""Policies: what decides which vertex to expand next."""

from sailplan.policies.catalogue import CATALOGUE, PRETRAINED, make_policy
from sailplan.policies.keyed.best_first import BestFirst
from sailplan.policies.keyed.heuristics import HEURISTICS, Key
from sailplan.policies.keyed.multi_heuristic import mha_star, mha_star_near
from sailplan.policies.keyed.recipes import a_star, breadth_first, dijkstra, greedy, weighted_a_star
from sailplan.policies.learned.network import DenseNetwork
from sailplan.policies.learned.policy import LearnedPolicy
from sailplan.policies.mixture.policy import MixturePolicy, OneOfMany
from sailplan.policies.model_file import load_policy, save_policy
from sailplan.policies.oracle import OraclePolicy
from sailplan.policies.random_order.policy import RandomPolicy, epsilon_greedy
from sailplan.policies.width.policy import WidthPolicy, bfws

__all__ = [
    "CATALOGUE",
    "HEURISTICS",
    "PRETRAINED",
    "BestFirst",
    "DenseNetwork",
    "Key",
    "LearnedPolicy",
    "MixturePolicy",
    "OneOfMany",
    "OraclePolicy",
    "RandomPolicy",
    "WidthPolicy",
    "a_star",
    "bfws",
    "breadth_first",
    "dijkstra",
    "epsilon_greedy",
    "greedy",
    "load_policy",
    "make_policy",
    "mha_star",
    "mha_star_near",
    "save_policy",
    "weighted_a_star",
]
