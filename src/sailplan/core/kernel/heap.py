"""Priority queues ordered by (key, insertion number): the open list of the compiled engine.

An entry is a pair of integers. Its rank is the bits of the key, arranged to have the same order as the key (integers
compare faster than floats); its tag is the insertion number in the upper bits and the vertex in the lower ones. Entries
are removed from the top only: a vertex whose key changes is inserted again. If keys never increase, the vertex of an
outdated entry is closed when the entry reaches the top; otherwise the caller of `pop_entry` compares insertion numbers.

A queue has two parts in one row of memory. Near entries, whose rank is at most a limit, form a four-ary heap at the
left end; far entries are stored unsorted at the right end. When no near entry is left, the limit is raised to include a
share of the far entries, and outdated ones among them are dropped. This keeps the heap small: most entries are far when
they are inserted, which is cheap.

Many keys are equal if costs are whole numbers. The near entries of one rank, that of the first entry when the limit was
raised, are therefore not in the heap but in a third part, in the order of their insertion, which is that of removal.
"""

from __future__ import annotations

import numpy as np
from numba import uint64

from sailplan.core.kernel.arrays import (
    FAR,
    FIRST_TIE,
    LIMIT,
    NEAR,
    NO_VERTEX,
    SPAN,
    TIE_RANK,
    TIES,
    SingleQueueArrays,
)
from sailplan.core.kernel.compile import dispatched, inlined

VERTEX_BITS = 28
"""Vertices are below 2^28 (268 million), insertion numbers below 2^35, which suffices for an hour of insertions."""
_VERTEX_MASK = (1 << VERTEX_BITS) - 1
LARGEST = (1 << 63) - 1
NO_TAG = -1

FIRST_SPAN = 1 << 40
_LARGEST_SPAN = 1 << 51
"""Largest increase of the limit: the rank of infinity plus this does not overflow."""
_FEWEST, _MOST = 8, 3
"""Each increase of the limit should include between an eighth and a third of the far entries."""

FIRST_ROOM = 4096
"""Initial room of a queue: in a search that needs more, the time to enlarge it is negligible."""

# Unsigned indices save the test for negative indices.
_ONE, _TWO, _THREE, _FOUR = uint64(1), uint64(2), uint64(3), uint64(4)


@dispatched("queue", default=True)
def queue_count(queue):
    """Return the number of queues; a constant for a single queue, which saves a tenth of the time."""
    return len(queue.levels)


@queue_count.register(SingleQueueArrays)
def _single_queue(queue):
    return 1


@inlined
def has_room(queue, count):
    """Return whether every queue has room for `count` more entries."""
    for row in range(queue_count(queue)):
        # Twice, as all entries may be popped and inserted again as far entries, and be copied to the heap.
        entries = queue.levels[row, NEAR] + queue.levels[row, FAR] + queue.levels[row, TIES]
        if 2 * (entries + count) > queue.ranks.shape[1]:
            return False
    return True


@inlined
def offer(queue, row, vertex, key):
    """Insert a vertex with a key that is not NaN; the caller ensures that there is room."""
    queue.issued[0] += 1
    put(queue, row, rank_of(key), tag_of(queue.issued[0], vertex))


@inlined
def put(queue, row, rank, tag):
    """Insert an existing entry, such as one that `pop_entry` returned."""
    ranks, tags, ties, levels = queue.ranks[row], queue.tags[row], queue.ties[row], queue.levels[row]
    if rank == levels[TIE_RANK] and _follows_ties(ties, levels, tag):
        _add_tie(ties, levels, tag)
    elif rank <= levels[LIMIT]:
        _sift_up(ranks, tags, uint64(levels[NEAR]), rank, tag)
        levels[NEAR] += 1
    else:
        levels[FAR] += 1
        place = uint64(len(ranks) - levels[FAR])
        ranks[place], tags[place] = rank, tag


@inlined
def pop(queue, row, marks, live):
    """Remove and return the first vertex whose mark equals `live`; NO_VERTEX if there is none."""
    tag = pop_entry(queue, row, marks, live)[1]
    return NO_VERTEX if tag == NO_TAG else vertex_of(tag)


@inlined
def pop_entry(queue, row, marks, live):
    """Remove the first entry whose vertex is live and return its rank and tag; NO_TAG if there is none."""
    ranks, tags, ties, levels = queue.ranks[row], queue.tags[row], queue.ties[row], queue.levels[row]
    while True:
        if _tie_is_first(ranks, tags, ties, levels):
            rank, tag = levels[TIE_RANK], ties[uint64(levels[FIRST_TIE])]
            levels[FIRST_TIE] += 1
            levels[TIES] -= 1
        elif levels[NEAR] > 0:
            rank, tag = ranks[0], tags[0]
            levels[NEAR] -= 1
            size = uint64(levels[NEAR])
            _sift_down(ranks, tags, size, ranks[size], tags[size])
        elif levels[FAR] > 0:
            _raise_limit(ranks, tags, ties, levels, marks, live)
            continue
        else:
            return np.int64(0), np.int64(NO_TAG)
        if marks[vertex_of(tag)] == live:
            return rank, tag


@inlined
def _tie_is_first(ranks, tags, ties, levels):
    """Return whether the first near entry is not in the heap."""
    if levels[TIES] == 0:
        return False
    return levels[NEAR] == 0 or _before(levels[TIE_RANK], ties[uint64(levels[FIRST_TIE])], ranks[0], tags[0])


@inlined
def _follows_ties(ties, levels, tag):
    """Return whether a tag is larger than those of all ties; it may be that of an entry that was popped."""
    return levels[TIES] == 0 or ties[uint64(levels[FIRST_TIE] + levels[TIES] - 1)] < tag


@inlined
def _add_tie(ties, levels, tag):
    """Append an entry to the ties."""
    if levels[FIRST_TIE] + levels[TIES] == len(ties):
        # At most half of the row is used, so that this takes a constant time on average.
        for index in range(levels[TIES]):
            ties[index] = ties[levels[FIRST_TIE] + index]
        levels[FIRST_TIE] = 0
    ties[uint64(levels[FIRST_TIE] + levels[TIES])] = tag
    levels[TIES] += 1


@inlined
def tag_of(number, vertex):
    """Return the tag of an entry."""
    return (np.int64(number) << VERTEX_BITS) | np.int64(vertex)


@inlined
def clear(queue, row):
    """Remove all entries of a queue."""
    levels = queue.levels[row]
    levels[NEAR], levels[FAR], levels[TIES] = 0, 0, 0
    # The rank of ties is never above the limit: ties precede far entries.
    levels[LIMIT], levels[TIE_RANK] = -LARGEST, -LARGEST


@inlined
def vertex_of(tag):
    """Return the vertex of an entry."""
    return tag & _VERTEX_MASK


@inlined
def number_of(tag):
    """Return the insertion number of an entry."""
    return tag >> VERTEX_BITS


@inlined
def _raise_limit(ranks, tags, ties, levels, marks, live):
    """Fill the empty heap and the ties with the far entries up to a higher limit."""
    room, far = uint64(len(ranks)), levels[FAR]
    least = _least(ranks, room - uint64(far))
    limit = least + levels[SPAN]
    levels[TIE_RANK], levels[FIRST_TIE] = least, 0
    near, kept, place = uint64(0), room, room
    for _ in range(far):
        place -= _ONE
        rank, tag = ranks[place], tags[place]
        if rank > limit:
            kept -= _ONE
            ranks[kept], tags[kept] = rank, tag
        elif marks[tag & _VERTEX_MASK] == live:
            if rank == least and _follows_ties(ties, levels, tag):
                _add_tie(ties, levels, tag)
            else:
                _sift_up(ranks, tags, near, rank, tag)
                near += _ONE
    levels[NEAR], levels[FAR], levels[LIMIT] = near, room - kept, limit
    _fit_span(levels, far)


@inlined
def _fit_span(levels, far):
    """Increase the next step of the limit if it included few of the far entries, decrease it if many."""
    taken = far - levels[FAR]
    if taken * _FEWEST < far:
        levels[SPAN] = min(2 * levels[SPAN], _LARGEST_SPAN)
    elif taken * _MOST > far:
        levels[SPAN] = max(levels[SPAN] >> 1, 1)


@inlined
def _least(ranks, first):
    least = ranks[first]
    for place in range(first, uint64(len(ranks))):
        least = min(least, ranks[place])
    return least


@inlined
def rank_of(key):
    """Return an integer that has the same order as the key."""
    bits = np.float64(key + 0.0).view(np.int64)
    return bits if bits >= 0 else bits ^ LARGEST


@inlined
def _sift_up(ranks, tags, place, rank, tag):
    """Insert an entry at the end of a heap."""
    while place > 0:
        above = (place - _ONE) >> _TWO
        if not _before(rank, tag, ranks[above], tags[above]):
            break
        ranks[place], tags[place] = ranks[above], tags[above]
        place = above
    ranks[place], tags[place] = rank, tag


@inlined
def _sift_down(ranks, tags, size, rank, tag):
    """Insert an entry at the top of a heap."""
    place = uint64(0)
    while True:
        child = _first_child(ranks, tags, place, size)
        if child >= size or _before(rank, tag, ranks[child], tags[child]):
            break
        ranks[place], tags[place] = ranks[child], tags[child]
        place = child
    ranks[place], tags[place] = rank, tag


@inlined
def _before(rank, tag, other_rank, other_tag):
    # Without branches, which would be mispredicted half of the time.
    return (rank < other_rank) | ((rank == other_rank) & (tag < other_tag))


@inlined
def _earlier(ranks, tags, one, two):
    return two if _before(ranks[two], tags[two], ranks[one], tags[one]) else one


@inlined
def _first_child(ranks, tags, place, size):
    """Return the first child in the order of the heap; `size` or more if there is none."""
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
