"""Replanning: shortest paths in the world as the search believes it to be."""

from sailplan.policies.replanning.beliefs import Belief, NetworkBelief, Optimistic, Penalty, Posterior, Prior
from sailplan.policies.replanning.policy import ReplanningPolicy, optimistic

__all__ = ["Belief", "NetworkBelief", "Optimistic", "Penalty", "Posterior", "Prior", "ReplanningPolicy", "optimistic"]
