"""Policies made of other policies."""

from sailplan.policies.mixture.policy import MixturePolicy, OneOfMany

__all__ = ["MixturePolicy", "OneOfMany"]
