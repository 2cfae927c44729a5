from __future__ import annotations

import pickle

import numpy as np

from sailplan.parallel.packing import LARGE_ARRAY, Shipment, pack, pack_beside, unpack
from sailplan.testing import draw_problem

PROBLEM = draw_problem("S..G")


def test_problems_are_only_referred_to() -> None:
    data, parts = pack([PROBLEM, ("a", PROBLEM)])
    assert len(parts) == 1
    assert parts[0] is PROBLEM
    assert b"GridGraph" not in data
    first, (_, second) = unpack(data, [PROBLEM])
    assert first is second is PROBLEM


def test_what_is_sent_by_itself_does_not_refer_to_itself() -> None:
    data, parts = pack(PROBLEM)
    assert parts == []
    found = unpack(data, parts)
    assert (found.start, found.goal) == (PROBLEM.start, PROBLEM.goal)


def test_local_functions_and_what_they_refer_to_are_packed() -> None:
    factor = 3
    data, parts = pack(lambda number: factor * number + PROBLEM.goal)
    assert parts == [PROBLEM]
    assert unpack(data, parts)(2) == 6 + PROBLEM.goal


def test_arrays_remain_read_only() -> None:
    frozen, free = np.arange(5), np.arange(5)
    frozen.flags.writeable = False
    data, parts = pack((frozen, free))
    found = unpack(data, parts)
    assert [array.flags.writeable for array in found] == [False, True]
    assert all(np.array_equal(array, np.arange(5)) for array in found)


def test_large_arrays_are_sent_by_themselves_if_nobody_can_change_them() -> None:
    frozen, free = np.zeros(LARGE_ARRAY, np.uint8), np.zeros(LARGE_ARRAY, np.uint8)
    frozen.flags.writeable = False
    data, parts = pack((frozen, free))
    assert [id(part) for part in parts] == [id(frozen)]
    assert len(data) < 1.1 * LARGE_ARRAY
    assert unpack(data, [frozen])[0] is frozen


def test_results_refer_to_what_the_receiver_has() -> None:
    data = pack_beside({"problem": PROBLEM, "length": 3}, ["something else", PROBLEM])
    assert unpack(data, ["something else", PROBLEM])["problem"] is PROBLEM


def test_a_shipment_is_read_once_and_travels_on() -> None:
    inner = Shipment(pack(PROBLEM).data, [])
    outer = Shipment(pack({"problem": PROBLEM}).data, [inner])
    assert outer.value["problem"] is inner.value
    assert outer.value is outer.value
    moved = pickle.loads(pickle.dumps(outer))
    assert moved.value["problem"].goal == PROBLEM.goal
