"""The clairvoyant oracle, which knows the world."""

from sailplan.oracle.cost_to_go import cost_to_go

__all__ = ["cost_to_go"]
