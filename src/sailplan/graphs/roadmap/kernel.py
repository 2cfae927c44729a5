"""Nearest neighbours, adjacency as sorted rows, and connected components."""

from __future__ import annotations

import math

from sailplan.core.kernel.compile import inlined, kernel

_ROUNDING = 1.000001


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
def find_nearest(points, queries, own, periods, order, reach, offsets, squares, numbers):
    """Find the nearest points of each query, nearest first; of equally distant ones, those with smaller numbers.

    `own` has the number of a point that is not a neighbour of the query, or -1. `squares` and `numbers` are filled,
    a row for each query; they have at most as many columns as there are other points. Points are visited in the given
    order, in which `reach`, their distance from some centre, does not decrease; `offsets` has the distance of each
    query from the centre. No point that follows is nearer than the difference of both, so that a visit may end early.
    """
    wanted = numbers.shape[1]
    for query in range(len(queries)):
        have = 0
        worst = math.inf
        for turn in range(len(order)):
            point = order[turn]
            if point == own[query]:
                continue
            if have == wanted:
                ahead = reach[turn] - offsets[query]
                if ahead > 0.0 and ahead * ahead > worst * _ROUNDING:
                    break
            square = _square_within(points, point, queries, query, periods, worst)
            if have == wanted and (square > worst or (square == worst and point > numbers[query, wanted - 1])):
                continue
            place = have if have < wanted else wanted - 1
            while place > 0 and (
                squares[query, place - 1] > square
                or (squares[query, place - 1] == square and numbers[query, place - 1] > point)
            ):
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


@kernel
def fill_rows(sources, targets, first, cursors, neighbours, given, opposite):
    """Fill compressed sparse rows with both directions of edges, the neighbours of a vertex in ascending order.

    `first` begins with zeros. `given` is the number of the edge of each entry, `opposite` the entry of its other
    direction.

    Returns
    -------
    bool
        Whether no edge comes twice.
    """
    count = len(cursors)
    for edge in range(len(sources)):
        first[sources[edge] + 1] += 1
        first[targets[edge] + 1] += 1
    for vertex in range(count):
        first[vertex + 1] += first[vertex]
        cursors[vertex] = first[vertex]
    for edge in range(len(sources)):
        # Smaller neighbours first, so that hardly anything is left to sort.
        _append(targets[edge], sources[edge], edge, cursors, neighbours, given)
    for edge in range(len(sources)):
        _append(sources[edge], targets[edge], edge, cursors, neighbours, given)
    for vertex in range(count):
        _sort_row(first[vertex], first[vertex + 1], neighbours, given)
        cursors[vertex] = first[vertex]
    distinct = True
    for vertex in range(count):
        for entry in range(first[vertex], first[vertex + 1]):
            if entry > first[vertex] and neighbours[entry] == neighbours[entry - 1]:
                distinct = False
            # The rows of the neighbours are sorted too, so that this vertex is the next entry of each.
            opposite[entry] = cursors[neighbours[entry]]
            cursors[neighbours[entry]] += 1
    return distinct


@inlined
def _append(vertex, neighbour, edge, cursors, neighbours, given):
    neighbours[cursors[vertex]] = neighbour
    given[cursors[vertex]] = edge
    cursors[vertex] += 1


@inlined
def _sort_row(begin, end, neighbours, given):
    for entry in range(begin + 1, end):
        neighbour, edge, place = neighbours[entry], given[entry], entry
        while place > begin and neighbours[place - 1] > neighbour:
            neighbours[place] = neighbours[place - 1]
            given[place] = given[place - 1]
            place -= 1
        neighbours[place] = neighbour
        given[place] = edge


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
