"""Grids: worlds of free and blocked cells, and graphs over them."""

from sailplan.graphs.grid.graph import MOVINGAI_MOVES, PAPER_MOVES, GridGraph, Moves, grid_problem
from sailplan.graphs.grid.world import Cell, World, corner_cells

__all__ = ["MOVINGAI_MOVES", "PAPER_MOVES", "Cell", "GridGraph", "Moves", "World", "corner_cells", "grid_problem"]
