"""Kernels of the grid: edges, a spatial index of invalid cells, walls, and the distance transform."""
