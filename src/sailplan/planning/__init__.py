"""Plan a path on a map: `sailplan.plan` and what it returns."""

from sailplan.planning.plan import Plan, plan

__all__ = ["Plan", "plan"]
