"""Lattices of poses (x, y, heading) that motion primitives connect, on occupancy maps."""

from sailplan.graphs.lattice.footprint import Footprint, as_footprint
from sailplan.graphs.lattice.graph import LatticeGraph
from sailplan.graphs.lattice.pictures import draw_lattice, save_lattice
from sailplan.graphs.lattice.primitives import MotionPrimitive, MotionPrimitives

__all__ = [
    "Footprint",
    "LatticeGraph",
    "MotionPrimitive",
    "MotionPrimitives",
    "as_footprint",
    "draw_lattice",
    "save_lattice",
]
