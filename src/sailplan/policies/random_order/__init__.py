"""Policies that expand open vertices at random."""

from sailplan.policies.random_order.policy import RandomPolicy, epsilon_greedy

__all__ = ["RandomPolicy", "epsilon_greedy"]
