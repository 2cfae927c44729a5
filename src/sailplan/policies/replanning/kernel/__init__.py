"""Kernels of replanning: believed costs of edges, and lower bounds of distances that are raised or lowered."""

# These register implementations of the functions in `edges.py`.
from sailplan.policies.replanning.kernel import grids, rows, voxels

__all__ = ["grids", "rows", "voxels"]
