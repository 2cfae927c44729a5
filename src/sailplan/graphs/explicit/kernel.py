"""Explicit graphs as compressed sparse rows."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sailplan.core.kernel.edges import (
    PLANE_DIAGONAL,
    combine,
    distance,
    edge_cost,
    edge_number,
    evaluates_in_python,
    locate,
    position,
    reverse_number,
    slot_count,
    successor,
    verdict,
)


class CsrArrays(NamedTuple):
    """A graph as compressed sparse rows: the edges of vertex v are first[v] .. first[v + 1] - 1."""

    first: NDArray[np.int64]
    targets: NDArray[np.int32]
    costs: NDArray[np.float64]
    verdicts: NDArray[np.uint8]
    """The result of evaluating each edge: VALID_EDGE, INVALID_EDGE or INVALID_TARGET."""
    coordinates: NDArray[np.float64]
    """Shape (vertices, dimensions)."""
    given: NDArray[np.int64]
    """The position of each edge among the edges that the graph was created from; an undirected edge has two rows."""
    opposite: NDArray[np.int64]
    """The other row of each edge if edges are undirected; otherwise empty."""


class CheckedCsrArrays(CsrArrays):
    """A graph whose edges are evaluated in Python: all verdicts are NOT_EVALUATED at first."""


@evaluates_in_python.register(CheckedCsrArrays)
def _evaluates_in_python(graph):
    return True


@edge_number.register(CsrArrays)
def _edge_number(graph, degree, vertex, place, slot):
    return place[0] + slot


@reverse_number.register(CsrArrays)
def _reverse_number(graph, number):
    return graph.opposite[number] if len(graph.opposite) else -1


@locate.register(CsrArrays)
def _locate(graph, vertex):
    return graph.first[vertex], graph.first[vertex + 1]


@slot_count.register(CsrArrays)
def _slot_count(graph, place):
    return place[1] - place[0]


@successor.register(CsrArrays)
def _successor(graph, place, slot):
    return graph.targets[place[0] + slot]


@edge_cost.register(CsrArrays)
def _edge_cost(graph, place, slot, target):
    return graph.costs[place[0] + slot]


@verdict.register(CsrArrays)
def _verdict(graph, place, slot, target):
    return graph.verdicts[place[0] + slot]


@position.register(CsrArrays)
def _position(graph, vertex):
    return graph.coordinates[vertex, 0], graph.coordinates[vertex, 1]


@distance.register(CsrArrays)
def _distance(graph, kind, vertex, other):
    squares, total, largest, smallest = 0.0, 0.0, 0.0, math.inf
    for axis in range(graph.coordinates.shape[1]):
        offset = abs(graph.coordinates[vertex, axis] - graph.coordinates[other, axis])
        squares += offset * offset
        total += offset
        largest = max(largest, offset)
        smallest = min(smallest, offset)
    if graph.coordinates.shape[1] < 3:
        smallest = 0.0
    return combine(kind, squares, total, largest, smallest, PLANE_DIAGONAL)
