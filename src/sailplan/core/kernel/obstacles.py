"""The closest invalid vertices known so far: by straight-line distance, along x and along y.

Among equally close ones the first discovered counts. A kind of graph may keep them by place and register faster
bodies, as the grid does; elsewhere a query goes through all of them.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from sailplan.core.kernel.arrays import INVALID_VERTICES, NONE
from sailplan.core.kernel.compile import dispatched, piece
from sailplan.core.kernel.edges import EUCLIDEAN, distance, position

ALONG_X, ALONG_Y = 0, 1


class NoObstacles(NamedTuple):
    """Nothing is kept about invalid vertices: no policy of this search asks where they are."""

    unused: int = 0


class ListedObstacles(NamedTuple):
    """Invalid vertices anywhere in space, looked through one by one."""

    unused: int = 0


@dispatched("obstacles", default=True)
def note_invalid(obstacles, graph, number, vertex):
    """Keep the vertex that was discovered as the `number`-th."""


@dispatched("obstacles")
def closest_invalid(obstacles, graph, state, vertex):
    """Number of the closest one by straight-line distance, NONE where none is known."""


@dispatched("obstacles")
def closest_along(obstacles, graph, state, vertex, axis):
    """Number of the closest one by the distance along an axis alone, NONE where none is known."""


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
