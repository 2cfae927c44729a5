"""Kernels of replanning: believed costs of edges, and lower bounds of distances that are raised or lowered."""
