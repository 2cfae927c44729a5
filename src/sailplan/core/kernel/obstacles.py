"""Queries for the closest known invalid vertices: by straight-line distance, along x and along y.

Of equally close vertices, the one discovered first is returned. A graph can register a spatial index, as the grid does;
otherwise a query visits all invalid vertices.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from sailplan.core.kernel.arrays import INVALID_VERTICES, NONE
from sailplan.core.kernel.compile import dispatched, piece
from sailplan.core.kernel.edges import EUCLIDEAN, distance, position

ALONG_X, ALONG_Y = 0, 1


class NoObstacles(NamedTuple):
    """No index: the policy of the search makes no queries."""

    unused: int = 0


class ListedObstacles(NamedTuple):
    """No index: a query visits all invalid vertices."""

    unused: int = 0


@dispatched("obstacles", default=True)
def note_invalid(obstacles, graph, number, vertex):
    """Add an invalid vertex to the index, with its number in the order of discovery."""


@dispatched("obstacles")
def closest_invalid(obstacles, graph, state, vertex):
    """Return the number of the closest invalid vertex by straight-line distance; NONE if there is none."""


@dispatched("obstacles")
def closest_along(obstacles, graph, state, vertex, axis):
    """Return the number of the closest invalid vertex by the distance along one axis; NONE if there is none."""


@closest_invalid.register(NoObstacles)
def _none_closest(obstacles, graph, state, vertex):
    return NONE


@closest_along.register(NoObstacles)
def _none_along(obstacles, graph, state, vertex, axis):
    return NONE


@closest_invalid.register(ListedObstacles)
def _closest_listed(obstacles, graph, state, vertex):
    return _search_list(graph, state, vertex)


@closest_along.register(ListedObstacles)
def _closest_listed_along(obstacles, graph, state, vertex, axis):
    return _search_list_along(graph, state, vertex, axis)


@piece
def _search_list(graph, state, vertex):
    closest, least = NONE, math.inf
    for number in range(state.counts[INVALID_VERTICES]):
        away = distance(graph, EUCLIDEAN, vertex, state.invalid[number])
        if away < least:
            closest, least = number, away
    return closest


@piece
def _search_list_along(graph, state, vertex, axis):
    closest, least = NONE, math.inf
    here = position(graph, vertex)[axis]
    for number in range(state.counts[INVALID_VERTICES]):
        offset = abs(position(graph, state.invalid[number])[axis] - here)
        if offset < least:
            closest, least = number, offset
    return closest
