"""Explicit graphs: adjacency as arrays."""

from sailplan.graphs.explicit.graph import ExplicitGraph

__all__ = ["ExplicitGraph"]
