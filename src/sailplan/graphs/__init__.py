"""Graphs and the problems posed on them."""

from sailplan.graphs.callback import CallbackGraph
from sailplan.graphs.explicit import ExplicitGraph
from sailplan.graphs.graph import CompiledGraph, EdgeStatus, FiniteGraph, Graph
from sailplan.graphs.grid import MOVINGAI_MOVES, PAPER_MOVES, GridGraph, Moves, grid_problem
from sailplan.graphs.networkx import NetworkxGraph, from_networkx
from sailplan.graphs.problem import Problem

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
