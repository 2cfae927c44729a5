"""Multi-heuristic A*: any policies, with an anchor that bounds the cost of the path."""

from sailplan.policies.mha.policy import MultiHeuristic, shared_mha_star

__all__ = ["MultiHeuristic", "shared_mha_star"]
