"""Policies, which decide what a search evaluates next, and loading them by name or from a file."""

from sailplan.policies.catalogue import CATALOGUE, PRETRAINED, PolicyGroup, load_policy, policy_groups, save_policy
from sailplan.policies.features import PRESETS, FeatureSet, feature_set, roadmap_features
from sailplan.policies.keyed import (
    HEURISTICS,
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
from sailplan.policies.lazy import SELECTORS, LazyPolicy
from sailplan.policies.lazy_weighted import LazyWeightedAStar
from sailplan.policies.learned import DenseNetwork, LearnedPolicy
from sailplan.policies.mha import MultiHeuristic, shared_mha_star
from sailplan.policies.mixture import MixturePolicy, OneOfMany
from sailplan.policies.oracle import OraclePolicy
from sailplan.policies.random_order import RandomPolicy, epsilon_greedy
from sailplan.policies.replanning import Optimistic, Posterior, Prior, ReplanningPolicy, optimistic
from sailplan.policies.replanning.beliefs.edge_network import EdgeLayers, EdgeNetwork, StoredPaths
from sailplan.policies.replanning.beliefs.edge_posterior import EdgePosterior, EdgeWeights
from sailplan.policies.width import WidthPolicy, bfws

__all__ = [
    "CATALOGUE",
    "HEURISTICS",
    "PRESETS",
    "PRETRAINED",
    "SELECTORS",
    "BestFirst",
    "DenseNetwork",
    "EdgeLayers",
    "EdgeNetwork",
    "EdgePosterior",
    "EdgeWeights",
    "FeatureSet",
    "Key",
    "LazyPolicy",
    "LazyWeightedAStar",
    "LearnedPolicy",
    "MixturePolicy",
    "MultiHeuristic",
    "OneOfMany",
    "Optimistic",
    "OraclePolicy",
    "PolicyGroup",
    "Posterior",
    "Prior",
    "RandomPolicy",
    "ReplanningPolicy",
    "StoredPaths",
    "WidthPolicy",
    "a_star",
    "bfws",
    "breadth_first",
    "dijkstra",
    "epsilon_greedy",
    "feature_set",
    "greedy",
    "load_policy",
    "mha_star",
    "mha_star_near",
    "optimistic",
    "policy_groups",
    "roadmap_features",
    "save_policy",
    "shared_mha_star",
    "weighted_a_star",
]
