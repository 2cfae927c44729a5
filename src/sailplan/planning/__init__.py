"""Plan a path on a map: `sailplan.plan` and what it returns."""

from sailplan.planning.plan import plan
from sailplan.planning.result import Plan

__all__ = ["Plan", "plan"]
