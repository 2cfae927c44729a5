from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sailplan.kernels.arrays import NO_VERTEX, QueueArrays
from sailplan.kernels.heap import VERTEX_BITS, allocate_queues, enlarge_queues, has_room, offer, pop
from tests.naive.sorted_queue import SortedQueue

FEW_KEYS = st.sampled_from([-math.inf, -2.5, -1e-310, -0.0, 0.0, 5e-324, 1.0, math.nextafter(1.0, 2.0), 7.0, math.inf])
ANY_KEYS = st.floats(allow_nan=False)
POP = st.none()


def _pop_all(queue: QueueArrays, row: int = 0) -> list[int]:
    popped = iter(lambda: int(pop(queue, row)), NO_VERTEX)
    return list(popped)


@given(st.lists(st.one_of(FEW_KEYS, ANY_KEYS, POP), max_size=200))
def test_like_a_sorted_list(steps: list[float | None]) -> None:
    queue, naive = allocate_queues(1, 200), SortedQueue()
    for vertex, key in enumerate(steps):
        if key is None:
            expected = naive.pop()
            assert pop(queue, 0) == (NO_VERTEX if expected is None else expected)
        else:
            offer(queue, 0, vertex, key)
            naive.offer(vertex, key)
    rest = iter(naive.pop, None)
    assert _pop_all(queue) == list(rest)


def test_equal_keys_come_out_in_the_order_of_insertion() -> None:
    queue = allocate_queues(1, 50)
    for vertex in reversed(range(50)):
        offer(queue, 0, vertex, -0.0 if vertex % 2 else 0.0)
    assert _pop_all(queue) == list(reversed(range(50)))


def test_the_largest_vertex_comes_out_as_it_went_in() -> None:
    queue = allocate_queues(1, 2)
    queue.issued[0] = (1 << 63 - VERTEX_BITS) - 3
    offer(queue, 0, (1 << VERTEX_BITS) - 1, 0.0)
    offer(queue, 0, 0, 0.0)
    assert _pop_all(queue) == [(1 << VERTEX_BITS) - 1, 0]


def test_queues_are_apart_but_number_their_insertions_together() -> None:
    queue = allocate_queues(2, 3)
    for vertex, key in ((0, 1.0), (1, 0.0)):
        offer(queue, 0, vertex, key)
        offer(queue, 1, vertex, -key)
    assert _pop_all(queue, 1) == [0, 1]
    assert _pop_all(queue, 0) == [1, 0]
    assert queue.issued.tolist() == [4]


@pytest.mark.parametrize("room", [1, 2, 5, 16])
def test_enlarged_queues_hold_what_they_held(room: int) -> None:
    queue = allocate_queues(2, room)
    for vertex in range(room):
        offer(queue, 0, vertex, float(-vertex))
    assert not has_room(queue, 1)
    queue = enlarge_queues(queue)
    assert has_room(queue, room)
    assert not has_room(queue, room + 1)
    for vertex in range(room, 2 * room):
        offer(queue, 0, vertex, float(-vertex))
    assert _pop_all(queue) == list(reversed(range(2 * room)))
    assert _pop_all(queue, 1) == []
