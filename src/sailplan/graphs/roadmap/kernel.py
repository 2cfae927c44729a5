"""Nearest neighbours by comparison of all pairs, and connected components."""

from __future__ import annotations

import math

from sailplan.core.kernel.compile import inlined, kernel


@inlined
def _square_within(points, at, others, other, periods, most):
    """Return the squared distance of two points; a partial sum if it exceeds `most`."""
    square = 0.0
    for axis in range(points.shape[1]):
        offset = abs(points[at, axis] - others[other, axis])
        offset = min(offset, abs(periods[axis] - offset))
        square += offset * offset
        if square > most:
            break
    return square


@kernel
def find_nearest(points, queries, own, periods, squares, numbers):
    """Find the nearest points of each query, nearest first; of equally distant ones, those with smaller numbers.

    `own` has the number of a point that is not a neighbour of the query, or -1. `squares` and `numbers` are filled,
    a row for each query; they have at most as many columns as there are other points.
    """
    wanted = numbers.shape[1]
    for query in range(len(queries)):
        have = 0
        worst = math.inf
        for point in range(len(points)):
            if point == own[query]:
                continue
            square = _square_within(points, point, queries, query, periods, worst)
            if have == wanted and not square < worst:
                continue
            place = have if have < wanted else wanted - 1
            while place > 0 and squares[query, place - 1] > square:
                squares[query, place] = squares[query, place - 1]
                numbers[query, place] = numbers[query, place - 1]
                place -= 1
            squares[query, place] = square
            numbers[query, place] = point
            if have < wanted:
                have += 1
            if have == wanted:
                worst = squares[query, wanted - 1]


@kernel
def find_within(points, periods, most, pairs):
    """Find pairs (smaller, larger number) whose squared distance is at most `most`, as many as there is room for.

    Returns
    -------
    int
        The number of all such pairs.
    """
    count = 0
    for one in range(len(points)):
        for other in range(one + 1, len(points)):
            if _square_within(points, one, points, other, periods, most) <= most:
                if count < len(pairs):
                    pairs[count, 0] = one
                    pairs[count, 1] = other
                count += 1
    return count


@inlined
def _root(labels, vertex):
    while labels[vertex] != vertex:
        labels[vertex] = labels[labels[vertex]]
        vertex = labels[vertex]
    return vertex


@kernel
def label_components(sources, targets, labels):
    """Assign each vertex the smallest vertex that edges join it to; `labels` begins as 0, 1, 2, ..."""
    for edge in range(len(sources)):
        one, other = _root(labels, sources[edge]), _root(labels, targets[edge])
        labels[max(one, other)] = min(one, other)
    for vertex in range(len(labels)):
        labels[vertex] = _root(labels, vertex)
