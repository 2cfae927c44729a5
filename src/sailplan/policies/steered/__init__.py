"""Searches in which the caller chooses the next vertex or edge."""

from sailplan.policies.steered.edges import EdgeSteering, SteeredLazyPolicy
from sailplan.policies.steered.policy import Ranking, SteeredPolicy, Steering

__all__ = ["EdgeSteering", "Ranking", "SteeredLazyPolicy", "SteeredPolicy", "Steering"]
