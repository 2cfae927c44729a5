"""A replay that looks at what some of its steps led to."""

from __future__ import annotations

import math

from sailplan.kernels.arrays import ENTERED, EXPANSIONS, NO_VERTEX
from sailplan.kernels.compile import inlined, piece
from sailplan.kernels.features import fill_row
from sailplan.kernels.learned import score_vertex
from sailplan.kernels.members import drop_closed

BEGUN, ENDED = 0, 1
"""Places in `TransitionArrays.taken`."""


@piece
def replay_transition(graph, replay, obstacles, state, start, goal):
    """Look at where the step before led, if it is asked for, and at this one; then the next vertex of the replay."""
    step, taken = state.counts[EXPANSIONS], replay.taken
    if taken[ENDED] < taken[BEGUN]:
        vertex = _least_member(replay, state)
        replay.next_vertices[taken[ENDED]] = vertex
        if vertex != NO_VERTEX:
            _copy_row(graph, replay, obstacles, state, start, goal, vertex, replay.next_rows, taken[ENDED])
        taken[ENDED] += 1
    if step >= len(replay.order):
        return NO_VERTEX
    if taken[BEGUN] < len(replay.steps) and replay.steps[taken[BEGUN]] == step:
        _copy_row(graph, replay, obstacles, state, start, goal, replay.order[step], replay.rows, taken[BEGUN])
        taken[BEGUN] += 1
    return replay.order[step]


@piece
def list_scored(graph, replay, queue, obstacles, state, start, goal, vertex, change):
    """Score a vertex that enters the open list."""
    if change == ENTERED:
        queue.issued[0] += 1
        replay.numbers[vertex] = queue.issued[0]
        replay.scores[vertex] = score_vertex(graph, replay.learned, obstacles, state, start, goal, vertex)
        replay.members[replay.member_count[0]] = vertex
        replay.member_count[0] += 1


@inlined
def _copy_row(graph, replay, obstacles, state, start, goal, vertex, rows, place):
    row = replay.learned.features.row
    fill_row(graph, replay.learned.features, obstacles, state, start, goal, vertex)
    for index in range(len(row)):
        rows[place, index] = row[index]


@inlined
def _least_member(replay, state):
    """The open vertex with the smallest (score, number)."""
    best, least = NO_VERTEX, math.inf
    drop_closed(replay.members, replay.member_count, state)
    for index in range(replay.member_count[0]):
        vertex = replay.members[index]
        score = replay.scores[vertex]
        first = best == NO_VERTEX or score < least
        if first or (score == least and replay.numbers[vertex] < replay.numbers[best]):
            best, least = vertex, score
    return best
