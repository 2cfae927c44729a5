"""Policies that order the open list by a learned score."""

from sailplan.policies.learned.network import DenseNetwork
from sailplan.policies.learned.policy import LearnedPolicy

__all__ = ["DenseNetwork", "LearnedPolicy"]
