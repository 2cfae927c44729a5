from __future__ import annotations

from sailplan.parallel.job import Pace


def test_chunks_take_about_the_same_time_and_the_last_ones_less() -> None:
    pace = Pace()
    assert [pace.chunk_size("new", left, 2) for left in (None, 1000, 50, 1)] == [1, 32, 4, 1]
    assert pace.chunks_ahead("new", 32) == 3
    pace.keep("steady", 0.01)
    assert [pace.chunk_size("steady", left, 2) for left in (None, 1000, 40, 12, 4, 1)] == [25, 25, 10, 5, 2, 1]
    # Three quarters of a second of work are sent ahead, but not more than 32 chunks.
    assert [pace.chunks_ahead("steady", size) for size in (25, 15, 5, 1)] == [3, 5, 15, 32]


def test_the_pace_of_items_falls_at_once_and_rises_by_degrees() -> None:
    pace = Pace()
    for seconds in (8.0, 0.25, 8.0, 8.0):
        pace.keep("varied", seconds)
    assert pace.chunk_size("varied", None, 1) == 1
    assert pace._seconds["varied"] == 1.0
