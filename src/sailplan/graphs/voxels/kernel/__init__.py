"""Kernels of voxel graphs: edges and the distance transform."""
