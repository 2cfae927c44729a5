"""Replays of searches that sample random open vertices, or transitions."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sailplan.core.kernel.arrays import ENTERED, EXPANSIONS, NO_VERTEX, OPEN
from sailplan.core.kernel.compile import inlined, piece
from sailplan.core.kernel.policy import choose, drop_closed, on_open
from sailplan.policies.features.kernel import FeatureArrays, fill_row
from sailplan.policies.learned.kernel import LearnedArrays, score_vertex

BEGUN, ENDED = 0, 1
"""Indices of `TransitionArrays.taken`."""


class SampleArrays(NamedTuple):
    """A replay that samples random open vertices before some of its steps."""

    order: NDArray[np.int32]
    """The vertices to expand, in their order."""
    steps: NDArray[np.int64]
    """Numbers of expansions after which to sample, ascending."""
    picks: NDArray[np.float64]
    """The position of each sample in the open list, as a fraction below 1."""
    features: FeatureArrays
    vertices: NDArray[np.int32]
    """Output: the sampled vertices."""
    rows: NDArray[np.float64]
    """Output: their features."""
    taken: NDArray[np.int64]
    """Number of samples taken, in a single entry."""
    members: NDArray[np.int32]
    """The open list, unordered."""
    places: NDArray[np.int32]
    """The position of each open vertex in `members`."""
    member_count: NDArray[np.int64]


class TransitionArrays(NamedTuple):
    """A replay that records the transitions of some of its steps."""

    order: NDArray[np.int32]
    """The vertices to expand, in their order."""
    steps: NDArray[np.int64]
    """Numbers of the steps to record, ascending."""
    learned: LearnedArrays
    """The policy that scores each vertex when it enters the open list."""
    scores: NDArray[np.float64]
    """The score of each vertex when it entered the open list."""
    numbers: NDArray[np.int64]
    """The insertion number of each vertex."""
    members: NDArray[np.int32]
    """The open vertices and some closed ones, unordered."""
    member_count: NDArray[np.int64]
    rows: NDArray[np.float64]
    """Output: features of the vertex that each step expands, before the expansion."""
    next_vertices: NDArray[np.int32]
    """Output: the open vertex with the smallest score after each step; NO_VERTEX if the replay ends with the step."""
    next_rows: NDArray[np.float64]
    """Output: features of that vertex after the step."""
    taken: NDArray[np.int64]
    """Number of steps recorded before their expansion, and after it."""


@choose.register(SampleArrays)
def _replay_step(search, policy, row):
    """Take the samples of this step, and return the next vertex of the replay."""
    step, members, count = search.state.counts[EXPANSIONS], policy.members, policy.member_count
    vertex = _next_of(policy.order, search.state)
    if vertex == NO_VERTEX:
        return NO_VERTEX
    while policy.taken[0] < len(policy.steps) and policy.steps[policy.taken[0]] == step:
        taken = policy.taken[0]
        sample = np.int64(members[int(policy.picks[taken] * count[0])])
        policy.vertices[taken] = sample
        _copy_row(search, policy.features, sample, policy.rows, taken)
        policy.taken[0] += 1
    count[0] -= 1
    last = members[count[0]]
    members[policy.places[vertex]] = last
    policy.places[last] = policy.places[vertex]
    return vertex


@on_open.register(SampleArrays)
def _list_entered(search, policy, row, vertex, change):
    """Add a vertex that entered to the open list."""
    if change == ENTERED:
        search.queue.issued[0] += 1
        policy.places[vertex] = policy.member_count[0]
        policy.members[policy.member_count[0]] = vertex
        policy.member_count[0] += 1


@choose.register(TransitionArrays)
def _replay_transition(search, policy, row):
    """Record the result of the previous step and the features of this one, and return the next vertex of the replay."""
    step, taken = search.state.counts[EXPANSIONS], policy.taken
    if taken[ENDED] < taken[BEGUN]:
        vertex = _least_member(policy, search.state)
        policy.next_vertices[taken[ENDED]] = vertex
        if vertex != NO_VERTEX:
            _copy_row(search, policy.learned.features, vertex, policy.next_rows, taken[ENDED])
        taken[ENDED] += 1
    vertex = _next_of(policy.order, search.state)
    if vertex == NO_VERTEX:
        return NO_VERTEX
    if taken[BEGUN] < len(policy.steps) and policy.steps[taken[BEGUN]] == step:
        _copy_row(search, policy.learned.features, vertex, policy.rows, taken[BEGUN])
        taken[BEGUN] += 1
    return vertex


@on_open.register(TransitionArrays)
def _list_scored(search, policy, row, vertex, change):
    """Score a vertex that enters the open list."""
    if change == ENTERED:
        search.queue.issued[0] += 1
        policy.numbers[vertex] = search.queue.issued[0]
        policy.scores[vertex] = score_vertex(search, policy.learned, np.int64(vertex))
        policy.members[policy.member_count[0]] = vertex
        policy.member_count[0] += 1


@inlined
def _next_of(order, state):
    """Return the next vertex of a trace; NO_VERTEX at its end, or if it is not open and the trace a wrong one."""
    step = state.counts[EXPANSIONS]
    if step >= len(order) or state.status[order[step]] != OPEN:
        return NO_VERTEX
    return np.int64(order[step])


@piece
def _copy_row(search, features, vertex, rows, place):
    fill_row(search, features, vertex)
    for index in range(len(features.row)):
        rows[place, index] = features.row[index]


@inlined
def _least_member(replay, state):
    """Return the open vertex with the smallest (score, insertion number)."""
    best, least = NO_VERTEX, math.inf
    drop_closed(replay.members, replay.member_count, state)
    for index in range(replay.member_count[0]):
        vertex = np.int64(replay.members[index])
        score = replay.scores[vertex]
        first = best == NO_VERTEX or score < least
        if first or (score == least and replay.numbers[vertex] < replay.numbers[best]):
            best, least = vertex, score
    return best
