"""Queues whose first vertices are listed for somebody outside, who names the one to expand."""

from __future__ import annotations

from sailplan.kernels.arrays import ENTERED, NO_VERTEX, NONE, OPEN
from sailplan.kernels.compile import inlined, piece
from sailplan.kernels.features import fill_row
from sailplan.kernels.heap import NO_TAG, pop_entry, put, queue_count, vertex_of
from sailplan.kernels.keyed import offer_all, pop_in_turn


@inlined
def pop_chosen(steered, queue, state):
    """The candidate that was named; where none was, the first of the queue whose turn it is."""
    choice, places = steered.choice[0], steered.candidates.shape[1]
    steered.choice[0] = NONE
    if choice != NONE:
        vertex = steered.candidates[choice // places, choice % places]
        if vertex != NO_VERTEX and state.status[vertex] == OPEN:
            return vertex
    return pop_in_turn(queue, state)


@piece
def list_candidates(graph, steered, queue, obstacles, state, start, goal):
    """List the first open vertices of each queue, and compute their features."""
    if queue.issued[0] == 0:
        offer_all(graph, steered.keys, queue, obstacles, state, goal, start, ENTERED)
    places, columns = steered.candidates.shape[1], len(steered.features.row)
    for row in range(queue_count(queue)):
        _list_first(queue, row, state, steered.candidates[row], steered.popped)
        for place in range(places):
            vertex, values = steered.candidates[row, place], steered.rows[row * places + place]
            if vertex == NO_VERTEX:
                values[:] = 0.0
                continue
            fill_row(graph, steered.features, obstacles, state, start, goal, vertex)
            for column in range(columns):
                values[column] = steered.features.row[column]


@inlined
def _list_first(queue, row, state, vertices, popped):
    """Take the first entries out to see what they are, and put them back."""
    found = 0
    while found < len(vertices):
        popped[0, found], popped[1, found] = pop_entry(queue, row, state.status, OPEN)
        if popped[1, found] == NO_TAG:
            break
        vertices[found] = vertex_of(popped[1, found])
        found += 1
    for place in range(found):
        put(queue, row, popped[0, place], popped[1, place])
    vertices[found:] = NO_VERTEX
