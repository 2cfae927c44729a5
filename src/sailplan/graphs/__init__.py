"""Graphs to search: grids, lattices, voxels, roadmaps, explicit, callback and networkx graphs, and problems on them."""

from sailplan.core.graph import CompiledGraph, EdgeStatus, FiniteGraph, Graph, Problem
from sailplan.graphs.callback import CallbackGraph
from sailplan.graphs.explicit.graph import ExplicitGraph
from sailplan.graphs.grid.graph import MOVINGAI_MOVES, PAPER_MOVES, GridGraph, Moves, grid_problem
from sailplan.graphs.lattice import (
    Footprint,
    LatticeGraph,
    MotionPrimitive,
    MotionPrimitives,
    as_footprint,
    draw_lattice,
    save_lattice,
)
from sailplan.graphs.networkx import NetworkxGraph, from_networkx
from sailplan.graphs.roadmap.graph import RoadmapGraph
from sailplan.graphs.roadmap.known import KnownEdges
from sailplan.graphs.roadmap.roadmap import Roadmap
from sailplan.graphs.voxels.graph import VoxelGraph
from sailplan.graphs.voxels.pictures import draw_views, save_views

__all__ = [
    "MOVINGAI_MOVES",
    "PAPER_MOVES",
    "CallbackGraph",
    "CompiledGraph",
    "EdgeStatus",
    "ExplicitGraph",
    "FiniteGraph",
    "Footprint",
    "Graph",
    "GridGraph",
    "KnownEdges",
    "LatticeGraph",
    "MotionPrimitive",
    "MotionPrimitives",
    "Moves",
    "NetworkxGraph",
    "Problem",
    "Roadmap",
    "RoadmapGraph",
    "VoxelGraph",
    "as_footprint",
    "draw_lattice",
    "draw_views",
    "from_networkx",
    "grid_problem",
    "save_lattice",
    "save_views",
]
