"""Beliefs: what the unseen part of a world may be like, as multipliers of the cost of what is not known to be free."""

from sailplan.policies.replanning.beliefs.belief import NEVER, Belief, Follower, Optimistic, Refresh
from sailplan.policies.replanning.beliefs.frame import Frame
from sailplan.policies.replanning.beliefs.memory import Memory
from sailplan.policies.replanning.beliefs.network import NetworkBelief
from sailplan.policies.replanning.beliefs.penalty import Penalty
from sailplan.policies.replanning.beliefs.posterior import Agreement, Posterior
from sailplan.policies.replanning.beliefs.prior import Prior

__all__ = [
    "NEVER",
    "Agreement",
    "Belief",
    "Follower",
    "Frame",
    "Memory",
    "NetworkBelief",
    "Optimistic",
    "Penalty",
    "Posterior",
    "Prior",
    "Refresh",
]
