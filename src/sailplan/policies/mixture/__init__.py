"""Policies that combine other policies."""

from sailplan.policies.mixture.policy import MixturePolicy, OneOfMany

__all__ = ["MixturePolicy", "OneOfMany"]
