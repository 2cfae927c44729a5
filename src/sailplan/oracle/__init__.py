"""The clairvoyant oracle: exact costs-to-go and limits, computed with full knowledge of the world."""

from sailplan.oracle.cost_to_go import cost_to_go, fewest_edges, with_known_edges

__all__ = ["cost_to_go", "fewest_edges", "with_known_edges"]
