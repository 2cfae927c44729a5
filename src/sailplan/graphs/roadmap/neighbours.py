"""Which samples of a roadmap are joined: the nearest ones, or all within a radius."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sailplan.core.graph import FloatArray
from sailplan.errors import GraphError
from sailplan.graphs.roadmap.kernel import find_nearest, find_within, label_components
from sailplan.graphs.roadmap.space import ConfigurationSpace

Pairs = NDArray[np.int64]
"""Shape (edges, 2): pairs of vertices, the smaller number first, without duplicates, sorted."""


def prm_star_neighbours(count: int, dimensions: int) -> int:
    """Return the number of neighbours with which PRM* is asymptotically optimal: e (1 + 1/d) log n, rounded up.

    Examples
    --------
    >>> prm_star_neighbours(5000, 7)
    27
    """
    return max(1, math.ceil(math.e * (1 + 1 / dimensions) * math.log(max(count, 1))))


def neighbour_count(given: int | None, count: int, dimensions: int) -> int:
    """Return the number of neighbours, by default that of PRM*; raises GraphError if it is not positive."""
    if given is None:
        return prm_star_neighbours(count, dimensions)
    if type(given) is not int or given < 1:
        raise GraphError(f"neighbours must be an integer, at least 1, got {given!r}")
    return given


def scaled(space: ConfigurationSpace, configurations: FloatArray) -> FloatArray:
    """Return configurations multiplied by the weights; without wrapping, their straight distances are the distances."""
    return np.ascontiguousarray(configurations * space.weights)


def nearest(
    space: ConfigurationSpace,
    points: FloatArray,
    queries: FloatArray,
    count: int,
    *,
    same: bool = False,
    centred: bool = False,
) -> NDArray[np.int64]:
    """Return the numbers of the nearest points of each query, nearest first.

    Parameters
    ----------
    space
        The space, whose distance is used.
    points, queries
        Configurations, one row each.
    count
        Number of neighbours; fewer if there are not as many points.
    same
        Whether the queries are the points, none of which is its own neighbour.
    centred
        Whether the queries are close to the first one of them; it makes no difference but to the time.

    Returns
    -------
    array
        A row of numbers for each query. Of equally distant points, those with smaller numbers come first.
    """
    return _nearest_scaled(space, scaled(space, points), scaled(space, queries), count, same, centred)


def _nearest_scaled(
    space: ConfigurationSpace,
    points: FloatArray,
    queries: FloatArray,
    count: int,
    same: bool = False,
    centred: bool = False,
) -> NDArray[np.int64]:
    """Return the same for `scaled` configurations."""
    width = max(0, min(count, len(points) - same))
    squares, numbers = np.empty((len(queries), width)), np.empty((len(queries), width), np.int64)
    own = np.arange(len(queries)) if same else np.full(len(queries), -1)
    if width and len(queries):
        reach = np.empty(len(points) if centred and not same else 0)
        find_nearest(points, queries, own, space.periods * space.weights, reach, squares, numbers)
    return numbers


def nearest_pairs(space: ConfigurationSpace, points: FloatArray, count: int) -> Pairs:
    """Return the pairs of points of which one is among the nearest neighbours of the other."""
    numbers = nearest(space, points, points, count, same=True)
    one = np.repeat(np.arange(len(points)), numbers.shape[1])
    return unique_pairs(one, numbers.reshape(-1), len(points))


def new_pairs(
    space: ConfigurationSpace, old: FloatArray, groups: Sequence[tuple[FloatArray, FloatArray]], count: int
) -> Pairs:
    """Return pairs that join new points to their nearest old ones, and to their nearest new ones.

    The old points are `scaled`. New points are numbered after the old ones. They are given as groups (centre, points)
    of points near a centre.
    """
    to_old = []
    for centre, points in groups:
        if len(points) < 2:
            to_old.append(_nearest_scaled(space, old, scaled(space, points), count))
        else:
            queries = scaled(space, np.concatenate([centre[None], points]))
            to_old.append(_nearest_scaled(space, old, queries, count, centred=True)[1:])
    added = np.concatenate([points for _, points in groups])
    joined = np.concatenate(to_old)
    numbers = len(old) + np.repeat(np.arange(len(added)), joined.shape[1])
    among_new = len(old) + nearest_pairs(space, added, count)
    return np.concatenate([np.stack([joined.reshape(-1), numbers], axis=1), among_new])


def measured(
    space: ConfigurationSpace, points: FloatArray, pairs: Pairs
) -> tuple[NDArray[np.int32], NDArray[np.int32], FloatArray]:
    """Return the first and the second points of pairs, and their distances."""
    lengths = space.distance(points[pairs[:, 0]], points[pairs[:, 1]])
    return pairs[:, 0].astype(np.int32), pairs[:, 1].astype(np.int32), lengths


def pairs_within(space: ConfigurationSpace, points: FloatArray, radius: float) -> Pairs:
    """Return the pairs of points that are at most `radius` apart."""
    if not 0 < radius < math.inf:
        raise GraphError(f"a radius must be a positive number, got {radius!r}")
    places, periods = scaled(space, points), space.periods * space.weights
    pairs = np.empty((0, 2), np.int64)
    count = find_within(places, periods, radius * radius, pairs)
    pairs = np.empty((count, 2), np.int64)
    find_within(places, periods, radius * radius, pairs)
    return pairs


def unique_pairs(one: NDArray[np.int64], other: NDArray[np.int64], vertex_count: int) -> Pairs:
    """Return pairs with the smaller number first, sorted, each once."""
    codes = np.unique(np.minimum(one, other) * vertex_count + np.maximum(one, other))
    return np.stack([codes // max(vertex_count, 1), codes % max(vertex_count, 1)], axis=1)


def components(vertex_count: int, sources: NDArray[np.integer], targets: NDArray[np.integer]) -> NDArray[np.int64]:
    """Return the smallest vertex of the connected component of each vertex."""
    labels = np.arange(vertex_count)
    label_components(sources.astype(np.int64), targets.astype(np.int64), labels)
    return labels
