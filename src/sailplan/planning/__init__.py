"""Plan a path on a map, or a motion on a roadmap: `sailplan.plan`, `sailplan.plan_motion` and what they return."""

from sailplan.planning.motion import MotionPlan, plan_motion
from sailplan.planning.plan import Plan, plan

__all__ = ["MotionPlan", "Plan", "plan", "plan_motion"]
