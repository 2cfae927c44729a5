"""Searches whose next vertex is chosen from outside."""

from sailplan.policies.steered.policy import Ranking, SteeredPolicy, Steering

__all__ = ["Ranking", "SteeredPolicy", "Steering"]
