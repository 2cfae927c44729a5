"""Voxels: three-dimensional grids with 6, 18 or 26 moves."""

from sailplan.graphs.voxels.graph import VoxelGraph
from sailplan.graphs.voxels.volume import Voxel

__all__ = ["Voxel", "VoxelGraph"]
