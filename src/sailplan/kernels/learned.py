"""A queue ordered by what a network makes of the features."""

from __future__ import annotations

import math

from sailplan.kernels.arrays import ENTERED, EXPANSIONS, FROZEN, FULL, LAZY, NO_VERTEX, NONE, ON_TOUCH, OPEN
from sailplan.kernels.compile import inlined, piece
from sailplan.kernels.features import fill_row
from sailplan.kernels.heap import NO_TAG, number_of, offer, pop_entry, rank_of, vertex_of
from sailplan.kernels.keyed import counted
from sailplan.kernels.members import drop_closed
from sailplan.kernels.network import forward


@piece
def score_vertex(graph, learned, obstacles, state, start, goal, vertex):
    """What the network makes of an open vertex."""
    fill_row(graph, learned.features, obstacles, state, start, goal, vertex)
    return counted(state, forward(learned.network, learned.features.row))


@inlined
def _put(learned, queue, row, state, vertex, score):
    offer(queue, row, vertex, score)
    if learned.rescore != FROZEN:
        learned.current[vertex] = queue.issued[0]
    if learned.rescore == LAZY:
        learned.scored[vertex] = state.counts[EXPANSIONS]


@piece
def offer_learned(graph, learned, queue, row, obstacles, state, start, goal, vertex, change):
    """Score a vertex and put it in, where the rule says so."""
    if learned.rescore == FULL:
        if change == ENTERED:
            learned.members[learned.member_count[0]] = vertex
            learned.member_count[0] += 1
            # Numbered as if it were put in a queue: ties go to the first that came.
            queue.issued[0] += 1
            learned.current[vertex] = queue.issued[0]
    elif change == ENTERED or learned.rescore == ON_TOUCH:
        _put(learned, queue, row, state, vertex, score_vertex(graph, learned, obstacles, state, start, goal, vertex))


@piece
def pop_learned(graph, learned, queue, row, obstacles, state, start, goal):
    """Take out the vertex with the smallest score, scored anew where the rule says so."""
    if learned.rescore == FULL:
        return _best_member(graph, learned, obstacles, state, start, goal)
    while True:
        rank, tag = pop_entry(queue, row, state.status, OPEN)
        if tag == NO_TAG:
            return NO_VERTEX
        vertex = vertex_of(tag)
        if learned.rescore == FROZEN:
            return vertex
        if number_of(tag) != learned.current[vertex]:
            continue
        if learned.rescore == ON_TOUCH or learned.scored[vertex] == state.counts[EXPANSIONS]:
            return vertex
        score = score_vertex(graph, learned, obstacles, state, start, goal, vertex)
        if rank_of(score) <= rank:
            return vertex
        _put(learned, queue, row, state, vertex, score)


@piece
def _best_member(graph, learned, obstacles, state, start, goal):
    """Score the whole open list and take out the vertex with the smallest (score, insertion number)."""
    best, least, place = NO_VERTEX, math.inf, NONE
    members, count = learned.members, learned.member_count
    drop_closed(members, count, state)
    for index in range(count[0]):
        vertex = members[index]
        score = score_vertex(graph, learned, obstacles, state, start, goal, vertex)
        first = best == NO_VERTEX or score < least
        if first or (score == least and learned.current[vertex] < learned.current[best]):
            best, least, place = vertex, score, index
    if best != NO_VERTEX:
        count[0] -= 1
        members[place] = members[count[0]]
    return best
