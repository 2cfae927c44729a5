"""Explicit graphs behind a class of arrays of their own, which registers only what every compiled graph must."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from sailplan.core.graph import FloatArray, Problem
from sailplan.core.kernel import (
    distance,
    edge_cost,
    locate,
    lower_bound,
    position,
    slot_count,
    successor,
    verdict,
)
from sailplan.graphs import ExplicitGraph
from sailplan.graphs.explicit.kernel import CsrArrays
from tests.strategies import explicit_problems


class PlainArrays(NamedTuple):
    """Sparse rows without coordinates."""

    first: NDArray[np.int64]
    targets: NDArray[np.int32]
    costs: NDArray[np.float64]
    verdicts: NDArray[np.uint8]


class BoundedArrays(NamedTuple):
    """The same with a lower bound of the cost from each vertex to the goal."""

    first: NDArray[np.int64]
    targets: NDArray[np.int32]
    costs: NDArray[np.float64]
    verdicts: NDArray[np.uint8]
    to_goal: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class PlainGraph:
    """A graph that is not known to any policy."""

    inner: ExplicitGraph
    to_goal: FloatArray | None = None
    """Lower bounds of the cost to the goal; None if the graph provides none."""

    max_edge_cost: float | None = None
    """An upper limit of the costs of edges, if it is given."""

    @property
    def vertex_count(self) -> int:
        """Number of vertices."""
        return self.inner.vertex_count

    @property
    def max_degree(self) -> int:
        """Largest number of edges that leave a vertex."""
        return self.inner.max_degree

    @property
    def max_in_degree(self) -> int:
        """Largest number of edges that lead to a vertex."""
        return self.inner.max_in_degree

    def successors(self, vertex: int) -> tuple[Sequence[int], Sequence[float]]:
        """The edges of a vertex."""
        return self.inner.successors(vertex)

    def evaluate(self, vertex: int, targets: Sequence[int]) -> Sequence[int]:
        """The results of edges."""
        return self.inner.evaluate(vertex, targets)

    def coordinates(self, vertices: Sequence[int]) -> FloatArray:
        """The coordinates of vertices."""
        return self.inner.coordinates(vertices)

    def arrays(self) -> PlainArrays | BoundedArrays:
        """The rows in another class."""
        return self._wrapped(self.inner.arrays())

    def backward_arrays(self) -> PlainArrays | BoundedArrays:
        """The reversed rows in another class."""
        return self._wrapped(self.inner.backward_arrays())

    def _wrapped(self, rows: CsrArrays) -> PlainArrays | BoundedArrays:
        return PlainArrays(*rows[:4]) if self.to_goal is None else BoundedArrays(*rows[:4], self.to_goal)


@st.composite
def plain_problems(draw: st.DrawFn, vertices: int = 40) -> tuple[Problem, ExplicitGraph]:
    """Draw a problem on a random graph, without lower bounds, or with ones that are exact or half of that."""
    problem, graph = draw(explicit_problems(vertices))
    share = draw(st.sampled_from((None, 0.5, 1.0)))
    bounds = None if share is None else share * distances_to(graph, problem.goal)
    return Problem(PlainGraph(graph, bounds), problem.start, problem.goal, name=problem.name), graph


def distances_to(graph: ExplicitGraph, goal: int) -> FloatArray:
    """The cost of the cheapest path from each vertex to the goal, whether its edges are valid or not."""
    distances = np.full(graph.vertex_count, math.inf)
    distances[goal] = 0.0
    for _ in range(graph.vertex_count):
        for vertex in range(graph.vertex_count):
            for target, cost in zip(*graph.successors(vertex), strict=True):
                distances[vertex] = min(distances[vertex], cost + distances[target])
    return distances


@locate.register(PlainArrays, BoundedArrays)
def _locate(graph, vertex):  # type: ignore[no-untyped-def]
    return graph.first[vertex], graph.first[vertex + 1]


@slot_count.register(PlainArrays, BoundedArrays)
def _slot_count(graph, place):  # type: ignore[no-untyped-def]
    return place[1] - place[0]


@successor.register(PlainArrays, BoundedArrays)
def _successor(graph, place, slot):  # type: ignore[no-untyped-def]
    return graph.targets[place[0] + slot]


@edge_cost.register(PlainArrays, BoundedArrays)
def _edge_cost(graph, place, slot, target):  # type: ignore[no-untyped-def]
    return graph.costs[place[0] + slot]


@verdict.register(PlainArrays, BoundedArrays)
def _verdict(graph, place, slot, target):  # type: ignore[no-untyped-def]
    return graph.verdicts[place[0] + slot]


@position.register(PlainArrays, BoundedArrays)
def _position(graph, vertex):  # type: ignore[no-untyped-def]
    return 0.0, 0.0


@distance.register(PlainArrays, BoundedArrays)
def _distance(graph, kind, vertex, other):  # type: ignore[no-untyped-def]
    return 0.0


@lower_bound.register(BoundedArrays)
def _lower_bound(graph, vertex, other):  # type: ignore[no-untyped-def]
    return graph.to_goal[vertex]
