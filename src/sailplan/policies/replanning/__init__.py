"""Replanning: shortest paths in the world that the search believes in."""

from sailplan.policies.replanning.beliefs import Belief, LearnedMultipliers, Optimistic, Penalty, Posterior, Prior
from sailplan.policies.replanning.policy import ReplanningPolicy, optimistic

__all__ = [
    "Belief",
    "LearnedMultipliers",
    "Optimistic",
    "Penalty",
    "Posterior",
    "Prior",
    "ReplanningPolicy",
    "optimistic",
]
