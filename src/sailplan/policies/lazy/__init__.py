"""Lazy search: edges are evaluated one at a time, along the shortest path that may still be valid."""

from sailplan.policies.lazy.policy import SELECTORS, LazyPolicy

__all__ = ["SELECTORS", "LazyPolicy"]
