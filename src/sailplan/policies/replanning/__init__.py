"""Replanning: shortest paths in the world as the search believes it to be."""

from sailplan.policies.replanning.policy import ReplanningPolicy, optimistic

__all__ = ["ReplanningPolicy", "optimistic"]
