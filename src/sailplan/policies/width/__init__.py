"""Best-first width search."""

from sailplan.policies.width.policy import WidthPolicy, bfws

__all__ = ["WidthPolicy", "bfws"]
