"""What the unseen part of a world may be like, as charges for what is not known to be free."""

from sailplan.policies.replanning.beliefs.belief import NEVER, Belief, Follower, Refresh
from sailplan.policies.replanning.beliefs.optimistic import Optimistic

__all__ = ["NEVER", "Belief", "Follower", "Optimistic", "Refresh"]
