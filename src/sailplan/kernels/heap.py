"""Four-ary heaps ordered by (key, insertion number): the open list of the compiled engine.

An entry is two integers. Its rank is the key's bits, arranged so that they order as the key does (integers compare
faster than floats); its tag is the insertion number above the vertex. Nothing is ever taken out but from the top:
a vertex that gets a smaller key is put in again, and the entry that is left behind meets a closed vertex when it
comes up. Keys must therefore never rise.
"""

from __future__ import annotations

import numpy as np
from numba import uint64

from sailplan.kernels.arrays import NO_VERTEX, QueueArrays
from sailplan.kernels.compile import inlined

VERTEX_BITS = 28
"""Vertices below 2^28 (268 million), insertion numbers below 2^35: an hour of insertions."""
_VERTEX_MASK = (1 << VERTEX_BITS) - 1
_LARGEST = (1 << 63) - 1

# Unsigned indices spare the test for Python's negative ones.
_ONE, _TWO, _THREE, _FOUR = uint64(1), uint64(2), uint64(3), uint64(4)


def allocate_queues(queues: int, room: int) -> QueueArrays:
    """Empty queues with room for so many entries each; memory is touched only as they fill."""
    return QueueArrays(
        ranks=np.empty((queues, room), np.int64),
        tags=np.empty((queues, room), np.int64),
        sizes=np.zeros(queues, np.int64),
        issued=np.zeros(1, np.int64),
    )


def enlarge_queues(queue: QueueArrays) -> QueueArrays:
    """The same queues with twice the room."""
    used = queue.ranks.shape[1]
    larger = allocate_queues(len(queue.sizes), 2 * used)
    larger.ranks[:, :used] = queue.ranks
    larger.tags[:, :used] = queue.tags
    return larger._replace(sizes=queue.sizes, issued=queue.issued)


@inlined
def has_room(queue, count):
    """Whether every queue can take so many more entries."""
    for row in range(len(queue.sizes)):
        if queue.sizes[row] + count > queue.ranks.shape[1]:
            return False
    return True


@inlined
def offer(queue, row, vertex, key):
    """Put the vertex in under a key that is not NaN; the caller sees to it that there is room."""
    queue.issued[0] += 1
    rank = _rank(key)
    tag = (queue.issued[0] << VERTEX_BITS) | np.int64(vertex)
    ranks, tags = queue.ranks[row], queue.tags[row]
    place = uint64(queue.sizes[row])
    queue.sizes[row] += 1
    while place > 0:
        above = (place - _ONE) >> _TWO
        # Every other tag is smaller, so an equal rank comes before this one.
        if ranks[above] <= rank:
            break
        ranks[place], tags[place] = ranks[above], tags[above]
        place = above
    ranks[place], tags[place] = rank, tag


@inlined
def pop(queue, row):
    """Take out the first vertex; NO_VERTEX where the queue is empty."""
    if queue.sizes[row] == 0:
        return NO_VERTEX
    ranks, tags = queue.ranks[row], queue.tags[row]
    vertex = tags[0] & _VERTEX_MASK
    queue.sizes[row] -= 1
    size = uint64(queue.sizes[row])
    rank, tag = ranks[size], tags[size]
    place = uint64(0)
    while True:
        child = _first_child(ranks, tags, place, size)
        if child >= size or _before(rank, tag, ranks[child], tags[child]):
            break
        ranks[place], tags[place] = ranks[child], tags[child]
        place = child
    ranks[place], tags[place] = rank, tag
    return vertex


@inlined
def _rank(key):
    bits = np.float64(key + 0.0).view(np.int64)
    return bits if bits >= 0 else bits ^ _LARGEST


@inlined
def _before(rank, tag, other_rank, other_tag):
    # Without branches: which of two entries comes first is as good as random.
    return (rank < other_rank) | ((rank == other_rank) & (tag < other_tag))


@inlined
def _earlier(ranks, tags, one, two):
    return two if _before(ranks[two], tags[two], ranks[one], tags[one]) else one


@inlined
def _first_child(ranks, tags, place, size):
    """The child that comes first; `size` or more where there is none."""
    child = (place << _TWO) + _ONE
    if child + _THREE < size:
        return _earlier(
            ranks,
            tags,
            _earlier(ranks, tags, child, child + _ONE),
            _earlier(ranks, tags, child + _TWO, child + _THREE),
        )
    first = child
    for other in range(child + _ONE, size):
        first = _earlier(ranks, tags, first, other)
    return first
