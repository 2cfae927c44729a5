"""Queues ordered by keys of path cost and heuristic, from which vertices are selected in turn."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sailplan.core.kernel.arrays import CHEAPER, EXPANSIONS, NONE, OPEN, TOUCHED, SingleQueueArrays
from sailplan.core.kernel.compile import dispatched, inlined, kernel
from sailplan.core.kernel.edges import EUCLIDEAN, distance, lower_bound
from sailplan.core.kernel.heap import offer, pop
from sailplan.core.kernel.obstacles import closest_invalid
from sailplan.core.kernel.policy import choose, counted, keys_alone, on_open

OBSTACLE, CLEARANCE, TABLE, LOWER_BOUND = 4, 5, 6, 7
"""Values of `KeyArrays.heuristic` in addition to the distances of `core/kernel/edges.py`."""

NOTHING_INVALID_KNOWN = 1e9
"""Used as the distance to the closest known invalid vertex if none is known."""


class KeyArrays(NamedTuple):
    """The key of each queue: cost_weight * g + heuristic_weight * h."""

    heuristic: NDArray[np.int64]
    cost_weight: NDArray[np.float64]
    heuristic_weight: NDArray[np.float64]
    table: NDArray[np.float64]
    """Shape (queues, vertices): values of the queues whose heuristic is TABLE; empty if there is none."""


@dispatched("queue", default=True)
def _key_count(queue, keys):
    """Return the number of keys; a constant for a single queue."""
    return len(keys.heuristic)


@_key_count.register(SingleQueueArrays)
def _single_key(queue, keys):
    return 1


@keys_alone.register(KeyArrays)
def _keys_alone(policy):
    return True


@choose.register(KeyArrays)
def _pop_in_turn(search, policy, row):
    """Pop from the queue whose turn it is; vertices that were closed through another queue are skipped."""
    turn = search.state.counts[EXPANSIONS] % _key_count(search.queue, policy)
    return pop(search.queue, row + turn, search.state.status, OPEN)


@on_open.register(KeyArrays)
def _offer_all(search, policy, row, vertex, change):
    """Insert a vertex into every queue, unless it was only touched."""
    if change != TOUCHED:
        for number in range(_key_count(search.queue, policy)):
            _offer_key(search, policy, number, row + number, vertex, change)


@inlined
def _offer_key(search, keys, number, row, vertex, change):
    """Insert a vertex; one that is already in the queue is inserted again only if the key depends on the cost."""
    if change == CHEAPER and keys.cost_weight[number] == 0.0:
        return
    key = keys.cost_weight[number] * search.state.cost[vertex]
    if keys.heuristic_weight[number] != 0.0:
        key += keys.heuristic_weight[number] * _heuristic(search, keys, number, vertex)
    offer(search.queue, row, vertex, counted(search.state, key))


@inlined
def _heuristic(search, keys, number, vertex):
    kind = keys.heuristic[number]
    if kind == TABLE:
        return keys.table[number, vertex]
    if kind == OBSTACLE:
        return _distance_to_invalid(search, vertex)
    if kind == CLEARANCE:
        return -_distance_to_invalid(search, vertex)
    if kind == LOWER_BOUND:
        return lower_bound(search.graph, vertex, search.goal)
    return distance(search.graph, kind, vertex, search.goal)


@inlined
def _distance_to_invalid(search, vertex):
    closest = closest_invalid(search.obstacles, search.graph, search.state, vertex)
    if closest == NONE:
        return NOTHING_INVALID_KNOWN
    return distance(search.graph, EUCLIDEAN, vertex, search.state.invalid[closest])


@kernel
def fill_lower_bounds(graph, vertices, other, bounds):
    """Write the lower bound of the cost from each of some vertices to another one."""
    for index in range(len(vertices)):
        bounds[index] = lower_bound(graph, vertices[index], other)
