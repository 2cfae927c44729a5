"""Nearest neighbours, adjacency as sorted rows, lower bounds of path costs, and connected components."""

from __future__ import annotations

import math

from sailplan.core.kernel.compile import inlined, kernel
from sailplan.core.kernel.edges import EUCLIDEAN, distance, lower_bound
from sailplan.graphs.explicit.kernel import CheckedCsrArrays

_ROUNDING = 1.000001
_SHRINKING = 1.0 - 1e-9


class MetricCsrArrays(CheckedCsrArrays):
    """A graph whose edges are evaluated in Python, and are not shorter than the distance of the coordinates."""


@lower_bound.register(MetricCsrArrays)
def _lower_bound(graph, vertex, other):
    return _SHRINKING * distance(graph, EUCLIDEAN, vertex, other)


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
def find_nearest(points, queries, own, periods, reach, squares, numbers):
    """Find the nearest points of each query, nearest first; of equally distant ones, those with smaller numbers.

    `own` has the number of a point that is not a neighbour of the query, or -1. `squares` and `numbers` are filled,
    a row for each query; they have at most as many columns as there are other points. `reach` is empty, or scratch with
    an entry for each point if no query has a point of its own. The first query is then taken as a centre that the other
    ones are near to, and points are left out whose distance from the centre tells that they are too far away.
    """
    for point in range(len(reach)):
        reach[point] = math.sqrt(_square_within(points, point, queries, 0, periods, math.inf))
    for query in range(len(queries)):
        near = len(reach) > 0 and query > 0
        if not near or not _find_near(points, queries, query, periods, reach, squares, numbers):
            _find_all(points, queries, query, own[query], periods, squares, numbers)


@inlined
def _find_all(points, queries, query, own, periods, squares, numbers):
    have, worst = 0, math.inf
    for point in range(len(points)):
        if point != own:
            square = _square_within(points, point, queries, query, periods, worst)
            if square < worst:
                have, worst = _insert(squares[query], numbers[query], have, square, point)


@inlined
def _find_near(points, queries, query, periods, reach, squares, numbers):
    """Find the points near a query other than the first one; false if too few were found, because of rounding."""
    offset = math.sqrt(_square_within(queries, query, queries, 0, periods, math.inf))
    # The neighbours of the centre are no farther from the query than this, so that its own neighbours are not either.
    farthest = math.sqrt(squares[0, -1]) + offset
    have, worst = 0, farthest * farthest * _ROUNDING
    most = (offset + farthest) * _ROUNDING
    for point in range(len(points)):
        if reach[point] <= most:
            square = _square_within(points, point, queries, query, periods, worst)
            if square < worst:
                have, bound = _insert(squares[query], numbers[query], have, square, point)
                if bound < worst:
                    worst = bound
                    most = (offset + math.sqrt(worst)) * _ROUNDING
    return have == numbers.shape[1]


@inlined
def _insert(squares, numbers, have, square, point):
    """Insert a point, which comes after all points with the same distance; return how many there are, and the worst."""
    wanted = len(numbers)
    place = min(have, wanted - 1)
    while place > 0 and squares[place - 1] > square:
        squares[place], numbers[place] = squares[place - 1], numbers[place - 1]
        place -= 1
    squares[place], numbers[place] = square, point
    have = min(have + 1, wanted)
    return have, (squares[wanted - 1] if have == wanted else math.inf)


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


@kernel
def extend_rows(old, sources, targets, lengths, first, cursors, shifts, neighbours, costs, given, opposite, entries):
    """Fill compressed sparse rows from `old` ones and further edges, each of which has an end that is a new vertex.

    The result is that of `fill_rows` for all edges: as new vertices have the largest numbers, a row begins with the old
    row. `old` is a tuple of the same arrays (first, neighbours, costs, given, opposite); `sources`, `targets` and
    `lengths` are those of all edges. `first` begins with a zero, `cursors` with zeros. `shifts` is scratch with an
    entry for each old vertex, `entries` with one for each new edge, at first -1.

    Returns
    -------
    bool
        Whether no edge comes twice.
    """
    old_first, old_neighbours, old_costs, old_given, old_opposite = old
    known, count, old_edges = len(shifts), len(cursors), len(old_given) // 2
    for edge in range(old_edges, len(sources)):
        cursors[sources[edge]] += 1
        cursors[targets[edge]] += 1
    for vertex in range(known):
        shifts[vertex] = first[vertex] - old_first[vertex]
        first[vertex + 1] = first[vertex] + old_first[vertex + 1] - old_first[vertex] + cursors[vertex]
    for vertex in range(known, count):
        first[vertex + 1] = first[vertex] + cursors[vertex]
    vertex = 0
    while vertex < known:
        # The rows of several vertices are copied at once, up to one with a new edge.
        end, shift = vertex + 1, shifts[vertex]
        while end < known and cursors[end - 1] == 0:
            end += 1
        begin, finish = old_first[vertex], old_first[end]
        _copy(old_neighbours, begin, finish, neighbours, shift)
        _copy(old_costs, begin, finish, costs, shift)
        _copy(old_given, begin, finish, given, shift)
        for entry in range(begin, finish):
            opposite[entry + shift] = old_opposite[entry] + shifts[old_neighbours[entry]]
        vertex = end
    for vertex in range(count):
        cursors[vertex] = first[vertex + 1] - cursors[vertex]
    for edge in range(old_edges, len(sources)):
        _append(targets[edge], sources[edge], edge, cursors, neighbours, given)
    for edge in range(old_edges, len(sources)):
        _append(sources[edge], targets[edge], edge, cursors, neighbours, given)
    distinct = True
    for vertex in range(count):
        begin, end = first[vertex], first[vertex + 1]
        if vertex < known:
            begin += old_first[vertex + 1] - old_first[vertex]
        _sort_row(begin, end, neighbours, given)
        for entry in range(begin, end):
            if entry > begin and neighbours[entry] == neighbours[entry - 1]:
                distinct = False
            edge = given[entry]
            costs[entry] = lengths[edge]
            other = entries[edge - old_edges]
            if other < 0:
                entries[edge - old_edges] = entry
            else:
                opposite[entry], opposite[other] = other, entry
    return distinct


@inlined
def _copy(old, begin, end, new, shift):
    # Slices, because indices that may be negative would be tested one by one.
    copied, room = old[begin:end], new[begin + shift : end + shift]
    for entry in range(len(copied)):
        room[entry] = copied[entry]


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
