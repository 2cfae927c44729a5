"""The candidate of a lazy search with a bound: the sources ordered by lower bounds, which are repaired.

The key of a source is the length of its known path plus the lower bound of its distance to the goal. The bound is
tested, and repaired, when the source is the first of the queue; see `policies/replanning/kernel/repair.py`.
"""

from __future__ import annotations

import numpy as np

from sailplan.core.kernel.arrays import CLOSED, NO_VERTEX, OPEN, POLICY_EVALUATIONS
from sailplan.core.kernel.compile import inlined
from sailplan.core.kernel.heap import NO_TAG, number_of, pop_entry, put, tag_of, vertex_of
from sailplan.policies.lazy.kernel.selection import (
    LazyArrays,
    add_source,
    before,
    find_candidate,
    forget,
    length_of_source,
)
from sailplan.policies.replanning.kernel.edges import NO_WAY, bound_of
from sailplan.policies.replanning.kernel.repair import holds, repair, take_note


class RepairedArrays(LazyArrays):
    """A lazy search whose candidate is found by repairs."""


@before.register(RepairedArrays)
def _before(policy, vertex):
    return np.int64(NO_VERTEX)


@forget.register(RepairedArrays)
def _forget(policy):
    """Do nothing: only the bounds are kept, which remain valid."""


@add_source.register(RepairedArrays)
def _add_source(graph, policy, state, queue, goal, vertex):
    """Insert a source; an entry with another insertion number is outdated."""
    queue.issued[0] += 1
    policy.plan.numbers[vertex] = queue.issued[0]
    state.counts[POLICY_EVALUATIONS] += 1
    bound_of(graph, policy.plan, goal, vertex)
    put(queue, 0, _key(policy, state, vertex), tag_of(queue.issued[0], vertex))


@inlined
def _key(policy, state, vertex):
    bound = policy.plan.bounds[vertex]
    return bound if bound >= NO_WAY else bound + length_of_source(policy, state, vertex)


@find_candidate.register(RepairedArrays)
def _find_candidate(graph, backward, policy, state, queue, goal):
    plan = policy.plan
    take_note(graph, plan, state, goal)
    while True:
        rank, tag = pop_entry(queue, 0, state.status, OPEN)
        if tag == NO_TAG:
            return np.int64(NO_VERTEX), np.int64(NO_WAY)
        vertex = vertex_of(tag)
        if number_of(tag) != plan.numbers[vertex]:
            continue
        key = _key(policy, state, vertex)
        if rank != key:
            put(queue, 0, key, tag)
            continue
        if key != NO_WAY and vertex != goal and not holds(graph, plan, state, goal, vertex):
            interrupted = repair(graph, plan, state, goal, vertex, CLOSED)
            if interrupted:
                put(queue, 0, rank, tag)
                return np.int64(interrupted), rank
            state.counts[POLICY_EVALUATIONS] += 1
            key = _key(policy, state, vertex)
        put(queue, 0, key, tag)
        if key == rank:
            return (np.int64(NO_VERTEX) if rank == NO_WAY else vertex), rank
