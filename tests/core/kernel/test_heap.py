from __future__ import annotations

import math
from typing import Any

import numba
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sailplan.core.kernel import heap
from sailplan.core.kernel.arrays import NO_VERTEX, QueueArrays
from sailplan.core.kernel.heap import NO_TAG, VERTEX_BITS
from sailplan.core.state import allocate_queues, enlarge_queues
from tests.naive.sorted_queue import SortedQueue

njit: Any = numba.njit


def _for_python(function: Any) -> Any:
    """A function that kernels alone may call, so that Python may, too."""
    return njit(lambda *arguments: function(*arguments))


has_room, number_of, offer, pop = map(_for_python, (heap.has_room, heap.number_of, heap.offer, heap.pop))
clear = _for_python(heap.clear)
pop_entry, put, vertex_of = map(_for_python, (heap.pop_entry, heap.put, heap.vertex_of))

FEW_KEYS = st.sampled_from([-math.inf, -2.5, -1e-310, -0.0, 0.0, 5e-324, 1.0, math.nextafter(1.0, 2.0), 7.0, math.inf])
ANY_KEYS = st.floats(allow_nan=False)
POP = st.none()


ALL_LIVE = np.zeros(1 << VERTEX_BITS, np.uint8)
"""Marks that call every vertex live; zeros, so that the system gives them no memory."""


def _pop(queue: QueueArrays, row: int = 0) -> int:
    return int(pop(queue, row, ALL_LIVE, 0))


def _pop_all(queue: QueueArrays, row: int = 0) -> list[int]:
    return list(iter(lambda: _pop(queue, row), NO_VERTEX))


@pytest.mark.parametrize("queues", [1, 2])
@given(steps=st.lists(st.one_of(FEW_KEYS, ANY_KEYS, POP), max_size=200))
def test_like_a_sorted_list(queues: int, steps: list[float | None]) -> None:
    queue, naive = allocate_queues(queues, 400), SortedQueue()
    for vertex, key in enumerate(steps):
        if key is None:
            expected = naive.pop()
            assert _pop(queue) == (NO_VERTEX if expected is None else expected)
        else:
            offer(queue, 0, vertex, key)
            naive.offer(vertex, key)
    assert _pop_all(queue) == list(iter(naive.pop, None))


@given(seed=st.integers(0, 2**32 - 1), spread=st.sampled_from([0.0, 1e-9, 1.0, 1e6]))
def test_like_a_sorted_list_over_a_long_search(seed: int, spread: float) -> None:
    rng = np.random.default_rng(seed)
    queue, naive = allocate_queues(1, 4000), SortedQueue()
    marks = rng.integers(0, 2, 2000).astype(np.uint8)
    last = 0.0
    for vertex in range(2000):
        key = last + spread * rng.exponential() * rng.integers(0, 2)
        offer(queue, 0, vertex, key)
        if marks[vertex] == 1:
            naive.offer(vertex, key)
        if rng.random() < 0.4:
            popped, expected = int(pop(queue, 0, marks, 1)), naive.pop()
            assert popped == (NO_VERTEX if expected is None else expected)
            last += spread * 0.1
    rest = list(iter(lambda: int(pop(queue, 0, marks, 1)), NO_VERTEX))
    assert rest == list(iter(naive.pop, None))


def test_what_is_no_longer_live_is_passed_over() -> None:
    queue = allocate_queues(1, 20)
    for vertex in range(6):
        offer(queue, 0, vertex, float(vertex))
    marks = np.array([0, 1, 0, 0, 1, 0], np.uint8)
    assert [int(pop(queue, 0, marks, 1)) for _ in range(3)] == [1, 4, NO_VERTEX]


def test_equal_keys_come_out_in_the_order_of_insertion() -> None:
    queue = allocate_queues(1, 100)
    for vertex in reversed(range(50)):
        offer(queue, 0, vertex, -0.0 if vertex % 2 else 0.0)
    assert _pop_all(queue) == list(reversed(range(50)))


def test_equal_keys_are_in_order_however_often_the_row_is_used_up() -> None:
    queue = allocate_queues(1, 20)
    for vertex in range(5):
        offer(queue, 0, vertex, 1.0)
    popped = []
    for vertex in range(5, 100):
        popped.append(_pop(queue))
        offer(queue, 0, vertex, 1.0)
    assert popped + _pop_all(queue) == list(range(100))


def test_an_older_entry_of_an_equal_key_is_put_back_before_newer_ones() -> None:
    queue = allocate_queues(1, 40)
    for vertex in range(6):
        offer(queue, 0, vertex, 1.0)
    first, second = (pop_entry(queue, 0, ALL_LIVE, 0) for _ in range(2))
    put(queue, 0, *second)
    offer(queue, 0, 6, 1.0)
    put(queue, 0, *first)
    assert _pop_all(queue) == list(range(7))


def test_a_cleared_queue_knows_nothing_of_earlier_keys() -> None:
    queue = allocate_queues(1, 40)
    for key in (3.0, 3.0, 4.0):
        offer(queue, 0, 0, key)
    assert _pop(queue) == 0
    clear(queue, 0)
    for vertex, key in enumerate((3.0, 2.0, 3.0)):
        offer(queue, 0, vertex, key)
    assert _pop_all(queue) == [1, 0, 2]


def test_the_largest_vertex_comes_out_as_it_went_in() -> None:
    queue = allocate_queues(1, 4)
    queue.issued[0] = (1 << 63 - VERTEX_BITS) - 3
    offer(queue, 0, (1 << VERTEX_BITS) - 1, 0.0)
    offer(queue, 0, 0, 0.0)
    assert _pop_all(queue) == [(1 << VERTEX_BITS) - 1, 0]


def test_queues_are_apart_but_number_their_insertions_together() -> None:
    queue = allocate_queues(2, 6)
    for vertex, key in ((0, 1.0), (1, 0.0)):
        offer(queue, 0, vertex, key)
        offer(queue, 1, vertex, -key)
    assert _pop_all(queue, 1) == [0, 1]
    assert _pop_all(queue, 0) == [1, 0]
    assert queue.issued.tolist() == [4]


@pytest.mark.parametrize("queues", [1, 2])
@given(steps=st.lists(st.one_of(FEW_KEYS, POP), max_size=120))
def test_queues_that_grow_when_they_are_full_lose_nothing(queues: int, steps: list[float | None]) -> None:
    queue, naive = allocate_queues(queues, 2), SortedQueue()
    for vertex, key in enumerate(steps):
        if key is None:
            expected = naive.pop()
            assert _pop(queue) == (NO_VERTEX if expected is None else expected)
            continue
        while not has_room(queue, 1):
            queue = enlarge_queues(queue)
        offer(queue, 0, vertex, key)
        naive.offer(vertex, key)
    assert _pop_all(queue) == list(iter(naive.pop, None))
    assert queues == 1 or _pop_all(queue, 1) == []


def test_a_tag_tells_the_vertex_and_the_number_of_its_insertion() -> None:
    queue = allocate_queues(1, 20)
    for vertex, key in ((5, 2.0), (7, 1.0), (5, 0.5)):
        offer(queue, 0, vertex, key)
    tags = [int(pop_entry(queue, 0, ALL_LIVE, 0)[1]) for _ in range(4)]
    assert [(vertex_of(tag), number_of(tag)) for tag in tags[:3]] == [(5, 3), (7, 2), (5, 1)]
    assert tags[3] == NO_TAG


@given(keys=st.lists(FEW_KEYS, max_size=60), last=st.integers(0, (1 << 35) - 61))
def test_tags_come_out_in_the_order_of_keys_and_insertions(keys: list[float], last: int) -> None:
    queue, marks = allocate_queues(1, 200), np.array([1, 0, 1, 1], np.uint8)
    queue.issued[0] = last
    for index, key in enumerate(keys):
        offer(queue, 0, index % 4, key)
    expected = [
        (index % 4, last + index + 1)
        for index in sorted(range(len(keys)), key=lambda index: (keys[index], index))
        if index % 4 != 1
    ]
    tags = iter(lambda: int(pop_entry(queue, 0, marks, 1)[1]), NO_TAG)
    assert [(vertex_of(tag), number_of(tag)) for tag in tags] == expected


@given(
    keys=st.lists(st.one_of(FEW_KEYS, ANY_KEYS), max_size=60),
    counts=st.lists(st.integers(1, 12), min_size=1, max_size=6),
)
def test_what_is_taken_out_and_put_back_is_where_it_was(keys: list[float], counts: list[int]) -> None:
    queue, naive = allocate_queues(1, 200), SortedQueue()
    for vertex, key in enumerate(keys):
        offer(queue, 0, vertex, key)
        naive.offer(vertex, key)
    for count in counts:
        taken = [pop_entry(queue, 0, ALL_LIVE, 0) for _ in range(count)]
        for rank, tag in taken:
            if tag != NO_TAG:
                put(queue, 0, rank, tag)
        assert _pop(queue) == (NO_VERTEX if (expected := naive.pop()) is None else expected)
    assert _pop_all(queue) == list(iter(naive.pop, None))
