"""Searches in which the caller chooses the next vertex."""

from sailplan.policies.steered.policy import Ranking, SteeredPolicy, Steering

__all__ = ["Ranking", "SteeredPolicy", "Steering"]
