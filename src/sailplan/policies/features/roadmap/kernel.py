"""The edges of open vertices of a roadmap, counted and weighed by what a search knows of them."""

from __future__ import annotations

from sailplan.core.kernel.compile import kernel

UNKNOWN, VALID, INVALID = range(3)
"""What a search knows of an edge."""
ONWARD, INVALID_EDGES, UNKNOWN_EDGES = range(3)
"""The columns that `fill_edges` computes."""


@kernel
def fill_edges(forward, backward, known, costs, chances, believed, vertices, goal, rows):
    """Compute the columns of some vertices.

    `forward` holds the first edge of each vertex, the targets and the numbers of edges; `backward` the first edge into
    each vertex and the numbers. `known`, `costs` and `chances` (of being valid) are by number, `believed` is the
    distance of each vertex to the goal.
    """
    first, targets, numbers = forward
    first_back, numbers_back = backward
    for index in range(len(vertices)):
        vertex = vertices[index]
        unknown, invalid, onward, least = 0, 0, 0.0, 0.0
        for row in range(first[vertex], first[vertex + 1]):
            edge = numbers[row]
            if known[edge] == UNKNOWN:
                unknown += 1
            distance = costs[edge] + believed[targets[row]]
            if known[edge] != INVALID and (onward == 0.0 or distance < least):
                onward, least = chances[edge], distance
        for row in range(first_back[vertex], first_back[vertex + 1]):
            if known[numbers_back[row]] == INVALID:
                invalid += 1
        rows[index, ONWARD] = 1.0 if vertex == goal else onward
        rows[index, INVALID_EDGES] = invalid
        rows[index, UNKNOWN_EDGES] = unknown
