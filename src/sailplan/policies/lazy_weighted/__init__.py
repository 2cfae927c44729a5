"""Lazy weighted A*, which evaluates an edge when it is the first of the open list."""

from sailplan.policies.lazy_weighted.policy import LazyWeightedAStar

__all__ = ["LazyWeightedAStar"]
