"""Beliefs about the unseen part of a world, as cost multipliers of cells that are not known to be free."""

from sailplan.policies.replanning.beliefs.belief import NEVER, Belief, Follower, Optimistic, Refresh
from sailplan.policies.replanning.beliefs.edge_network import EdgeLayers, EdgeNetwork, StoredPaths
from sailplan.policies.replanning.beliefs.edge_posterior import EdgePosterior, EdgeWeights
from sailplan.policies.replanning.beliefs.learned import LearnedMultipliers
from sailplan.policies.replanning.beliefs.posterior import Agreement, Memory, Posterior
from sailplan.policies.replanning.beliefs.prior import Frame, Penalty, Prior

__all__ = [
    "NEVER",
    "Agreement",
    "Belief",
    "EdgeLayers",
    "EdgeNetwork",
    "EdgePosterior",
    "EdgeWeights",
    "Follower",
    "Frame",
    "LearnedMultipliers",
    "Memory",
    "Optimistic",
    "Penalty",
    "Posterior",
    "Prior",
    "Refresh",
    "StoredPaths",
]
