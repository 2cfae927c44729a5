"""Graphs to search: grids, explicit graphs, graphs of callbacks and networkx graphs, and problems on them."""

from sailplan.core.graph import CompiledGraph, EdgeStatus, FiniteGraph, Graph, Problem
from sailplan.graphs.callback import CallbackGraph
from sailplan.graphs.explicit.graph import ExplicitGraph
from sailplan.graphs.grid.graph import MOVINGAI_MOVES, PAPER_MOVES, GridGraph, Moves, grid_problem
from sailplan.graphs.networkx import NetworkxGraph, from_networkx

__all__ = [
    "MOVINGAI_MOVES",
    "PAPER_MOVES",
    "CallbackGraph",
    "CompiledGraph",
    "EdgeStatus",
    "ExplicitGraph",
    "FiniteGraph",
    "Graph",
    "GridGraph",
    "Moves",
    "NetworkxGraph",
    "Problem",
    "from_networkx",
    "grid_problem",
]
