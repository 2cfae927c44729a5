from __future__ import annotations

from heapq import heappop, heappush

import pytest

from sailplan.parallel.job import Pace


def test_chunks_take_about_the_same_time_and_the_last_ones_less() -> None:
    pace = Pace()
    assert [pace.chunk_size("new", left, 2) for left in (None, 1000, 50, 1)] == [1, 32, 4, 1]
    assert pace.chunks_ahead("new", 32) == 2
    pace.keep("steady", 0.001)
    assert [pace.chunk_size("steady", left, 2) for left in (None, 2000, 400, 40, 4)] == [250, 250, 100, 20, 2]
    # A chunk that is worked on and one that waits; more only of short ones, but not more than 32.
    assert [pace.chunks_ahead("steady", size) for size in (250, 25, 10, 1)] == [2, 2, 5, 32]


@pytest.mark.parametrize("slower", [1.0, 1.25, 1.5])
@pytest.mark.parametrize("seconds", [0.0005, 0.002])
def test_threads_end_at_about_the_same_time(seconds: float, slower: float) -> None:
    pace, left = Pace(), 2000
    pace.keep("work", seconds)
    ends, sent = [0.0, 0.0], [(0.0, thread) for thread in (0, 1, 0, 1)]
    assert len(sent) == 2 * pace.chunks_ahead("work", left)
    while left:
        # A thread that ends a chunk goes on with the one that it has, and gets another.
        _, thread = heappop(sent)
        size = min(left, pace.chunk_size("work", left, 2))
        ends[thread] += size * seconds * (1.0, slower)[thread]
        heappush(sent, (ends[thread], thread))
        left -= size
    assert abs(ends[0] - ends[1]) < 0.06


def test_the_last_items_are_shared_although_they_were_quick_before() -> None:
    pace = Pace()
    pace.keep("uneven", 0.0005)
    assert pace.chunk_size("uneven", 30, 8) == 4


def test_the_pace_of_items_falls_at_once_and_rises_by_degrees() -> None:
    pace = Pace()
    for seconds in (8.0, 0.25, 8.0, 8.0):
        pace.keep("varied", seconds)
    assert pace.chunk_size("varied", None, 1) == 1
    assert pace._seconds["varied"] == 1.0
