"""Replays that look at random open vertices before some of their steps, or at what some of their steps led to."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sailplan.core.kernel.arrays import ENTERED, EXPANSIONS, NO_VERTEX
from sailplan.core.kernel.compile import inlined, piece
from sailplan.core.kernel.policy import choose, drop_closed, on_open
from sailplan.policies.features.kernel import FeatureArrays, fill_row
from sailplan.policies.learned.kernel import LearnedArrays, score_vertex

BEGUN, ENDED = 0, 1
"""Places in `TransitionArrays.taken`."""


class SampleArrays(NamedTuple):
    """A replay that looks at random open vertices before some of its steps."""

    order: NDArray[np.int32]
    """The vertices to expand, in their order."""
    steps: NDArray[np.int64]
    """Numbers of expansions after which to look, ascending."""
    picks: NDArray[np.float64]
    """Which open vertex to look at each time, as a share below 1 of the open list."""
    features: FeatureArrays
    vertices: NDArray[np.int32]
    """Output: the vertex looked at each time."""
    rows: NDArray[np.float64]
    """Output: its features."""
    taken: NDArray[np.int64]
    """How many were looked at, in a single entry."""
    members: NDArray[np.int32]
    """The open list, in no order."""
    places: NDArray[np.int32]
    """Where each open vertex is in it."""
    member_count: NDArray[np.int64]


class TransitionArrays(NamedTuple):
    """A replay that looks at what some of its steps led to."""

    order: NDArray[np.int32]
    """The vertices to expand, in their order."""
    steps: NDArray[np.int64]
    """Numbers of the steps to look at, ascending."""
    learned: LearnedArrays
    """What scores each vertex when it enters the open list."""
    scores: NDArray[np.float64]
    """That score of each vertex."""
    numbers: NDArray[np.int64]
    """When each vertex entered, as a number."""
    members: NDArray[np.int32]
    """The open vertices, and some closed ones, in no order."""
    member_count: NDArray[np.int64]
    rows: NDArray[np.float64]
    """Output: features of the vertex that each step expands, before it does."""
    next_vertices: NDArray[np.int32]
    """Output: the open vertex with the least score after it, NO_VERTEX where the replay ends with that step."""
    next_rows: NDArray[np.float64]
    """Output: features of that vertex, then."""
    taken: NDArray[np.int64]
    """How many steps were looked at, and how many of these to their end."""


@choose.register(SampleArrays)
def _replay_step(search, policy, row):
    """Take the samples of this step; then the next vertex of the replay."""
    step, members, count = search.state.counts[EXPANSIONS], policy.members, policy.member_count
    while policy.taken[0] < len(policy.steps) and policy.steps[policy.taken[0]] == step:
        taken = policy.taken[0]
        vertex = np.int64(members[int(policy.picks[taken] * count[0])])
        policy.vertices[taken] = vertex
        _copy_row(search, policy.features, vertex, policy.rows, taken)
        policy.taken[0] += 1
    if step >= len(policy.order):
        return NO_VERTEX
    vertex = np.int64(policy.order[step])
    count[0] -= 1
    last = members[count[0]]
    members[policy.places[vertex]] = last
    policy.places[last] = policy.places[vertex]
    return vertex


@on_open.register(SampleArrays)
def _list_entered(search, policy, row, vertex, change):
    """Keep the list of open vertices."""
    if change == ENTERED:
        search.queue.issued[0] += 1
        policy.places[vertex] = policy.member_count[0]
        policy.members[policy.member_count[0]] = vertex
        policy.member_count[0] += 1


@choose.register(TransitionArrays)
def _replay_transition(search, policy, row):
    """Look at where the step before led, if it is asked for, and at this one; then the next vertex of the replay."""
    step, taken = search.state.counts[EXPANSIONS], policy.taken
    if taken[ENDED] < taken[BEGUN]:
        vertex = _least_member(policy, search.state)
        policy.next_vertices[taken[ENDED]] = vertex
        if vertex != NO_VERTEX:
            _copy_row(search, policy.learned.features, vertex, policy.next_rows, taken[ENDED])
        taken[ENDED] += 1
    if step >= len(policy.order):
        return NO_VERTEX
    vertex = np.int64(policy.order[step])
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


@piece
def _copy_row(search, features, vertex, rows, place):
    fill_row(search, features, vertex)
    for index in range(len(features.row)):
        rows[place, index] = features.row[index]


@inlined
def _least_member(replay, state):
    """The open vertex with the smallest (score, number)."""
    best, least = NO_VERTEX, math.inf
    drop_closed(replay.members, replay.member_count, state)
    for index in range(replay.member_count[0]):
        vertex = np.int64(replay.members[index])
        score = replay.scores[vertex]
        first = best == NO_VERTEX or score < least
        if first or (score == least and replay.numbers[vertex] < replay.numbers[best]):
            best, least = vertex, score
    return best
