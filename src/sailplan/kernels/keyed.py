"""Queues ordered by keys made of g and a heuristic, one each, that take turns."""

from __future__ import annotations

import math

from sailplan.kernels.arrays import (
    CHEAPER,
    CLEARANCE,
    EUCLIDEAN,
    EXPANSIONS,
    NON_FINITE_SCORES,
    NONE,
    OBSTACLE,
    OPEN,
    POLICY_EVALUATIONS,
    TABLE,
    TOUCHED,
)
from sailplan.kernels.compile import inlined
from sailplan.kernels.edges import distance
from sailplan.kernels.heap import offer, pop, queue_count
from sailplan.kernels.obstacles import closest_invalid

NOTHING_INVALID_KNOWN = 1e9
"""Distance to the closest known invalid vertex before there is one."""


@inlined
def pop_in_turn(queue, state):
    """Pop from the queue whose turn it is; vertices closed by way of another queue are passed over."""
    return pop(queue, state.counts[EXPANSIONS] % queue_count(queue), state.status, OPEN)


@inlined
def offer_all(graph, keys, queue, obstacles, state, goal, vertex, change):
    """Key a vertex in every queue, unless it was only touched."""
    if change != TOUCHED:
        for key_index in range(queue_count(queue)):
            offer_key(graph, keys, key_index, queue, key_index, obstacles, state, goal, vertex, change)


@inlined
def offer_key(graph, keys, key_index, queue, row, obstacles, state, goal, vertex, change):
    """Key a vertex; one that is there already is keyed again only where its cost counts."""
    if change == CHEAPER and keys.cost_weight[key_index] == 0.0:
        return
    key = keys.cost_weight[key_index] * state.cost[vertex]
    if keys.heuristic_weight[key_index] != 0.0:
        key += keys.heuristic_weight[key_index] * _heuristic(graph, keys, obstacles, state, key_index, vertex, goal)
    offer(queue, row, vertex, counted(state, key))


@inlined
def counted(state, key):
    """Count a score; one that is not finite sorts last."""
    state.counts[POLICY_EVALUATIONS] += 1
    if math.isfinite(key):
        return key
    state.counts[NON_FINITE_SCORES] += 1
    return math.inf


@inlined
def _heuristic(graph, keys, obstacles, state, key_index, vertex, goal):
    kind = keys.heuristic[key_index]
    if kind == TABLE:
        return keys.table[key_index, vertex]
    if kind == OBSTACLE:
        return _distance_to_invalid(graph, obstacles, state, vertex)
    if kind == CLEARANCE:
        return -_distance_to_invalid(graph, obstacles, state, vertex)
    return distance(graph, kind, vertex, goal)


@inlined
def _distance_to_invalid(graph, obstacles, state, vertex):
    closest = closest_invalid(obstacles, graph, state, vertex)
    if closest == NONE:
        return NOTHING_INVALID_KNOWN
    return distance(graph, EUCLIDEAN, vertex, state.invalid[closest])
