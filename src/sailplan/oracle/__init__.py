"""The clairvoyant oracle: exact costs-to-go, computed with full knowledge of the world."""

from sailplan.oracle.cost_to_go import cost_to_go

__all__ = ["cost_to_go"]
