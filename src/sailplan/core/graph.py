"""The graph protocol: what a search needs to know of a graph, and no more."""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from typing import Protocol, TypeGuard

import numpy as np
from numpy.typing import NDArray

from sailplan.kernels import arrays
from sailplan.kernels.arrays import CsrArrays, GridArrays

FloatArray = NDArray[np.float64]


class EdgeStatus(IntEnum):
    """What the check of an edge says."""

    VALID = arrays.VALID_EDGE
    """The edge can be taken."""
    INVALID_EDGE = arrays.INVALID_EDGE
    """This edge cannot be taken; others to the same target may be."""
    INVALID_TARGET = arrays.INVALID_TARGET
    """The target itself is invalid, and so is every edge into it."""


class Graph(Protocol):
    """A directed graph with vertices 0, 1, 2, ... whose edges are hidden until they are checked."""

    def successors(self, vertex: int) -> tuple[Sequence[int], Sequence[float]]:
        """Vertices that edges lead to (Succ), each once, and the costs of these edges; cheap, checks nothing."""

    def evaluate(self, vertex: int, targets: Sequence[int]) -> Sequence[int]:
        """Check the edges from the vertex to these successors (Eval): an `EdgeStatus` for each; dear."""

    def coordinates(self, vertices: Sequence[int]) -> FloatArray:
        """Where the vertices are, shape (vertices, dimensions)."""


class FiniteGraph(Graph, Protocol):
    """A graph whose vertices are known beforehand."""

    @property
    def vertex_count(self) -> int:
        """Number of vertices."""


class CompiledGraph(FiniteGraph, Protocol):
    """A graph that the compiled engine can search."""

    def arrays(self) -> GridArrays | CsrArrays:
        """The graph as arrays; these hold what `evaluate` would say, so only the engine may look at them."""

    def backward_arrays(self) -> GridArrays | CsrArrays:
        """The graph with its edges turned round."""

    @property
    def max_degree(self) -> int:
        """The most successors that a vertex has."""


def is_finite(graph: Graph) -> TypeGuard[FiniteGraph]:
    """Whether the graph knows its vertices beforehand."""
    return hasattr(graph, "vertex_count")


def is_compiled(graph: Graph) -> TypeGuard[CompiledGraph]:
    """Whether the compiled engine can search the graph."""
    return hasattr(graph, "arrays")
