from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

from sailplan.parallel.packing import LARGE_ARRAY, Crate, Packed, Place, pack, pack_beside, unpack
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


@pytest.mark.parametrize(
    "array",
    [
        np.arange(6.0).reshape(2, 3),
        np.arange(6, dtype=">i4").reshape(2, 3).T,
        np.arange(12).reshape(3, 4)[:, ::2],
        np.arange(3).astype(">f8"),
        np.zeros((0, 17), np.float32),
        np.array(2.5),
        np.array([True, False]),
        np.array(["2020-01-01", "2020-01-02"], "datetime64[D]"),
        np.array([{"a": 1}, None], dtype=object),
        np.array([(1, 2.0)], dtype=[("count", "i4"), ("cost", "f8")]),
    ],
    ids=lambda array: f"{array.dtype}{array.shape}",
)
@pytest.mark.parametrize("writeable", [True, False])
def test_arrays_of_any_kind_come_back(array: np.ndarray[Any, Any], writeable: bool) -> None:
    array = array.copy(order="K") if array.flags.f_contiguous else array
    array.flags.writeable = writeable
    data, parts = pack([array, array])
    first, second = unpack(data, parts)
    assert first is second
    assert (first.shape, first.dtype, first.flags.writeable) == (array.shape, array.dtype, writeable)
    assert first.flags.aligned
    assert first.tolist() == array.tolist()


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


def test_the_same_part_is_numbered_once() -> None:
    other = draw_problem("S.G")
    data, parts = pack([PROBLEM, other, PROBLEM, {"again": other}])
    assert [id(part) for part in parts] == [id(PROBLEM), id(other)]
    assert unpack(data, ["first", "second"]) == ["first", "second", "first", {"again": "second"}]


def test_a_reference_is_no_pickle_of_its_own() -> None:
    with pytest.raises(pickle.UnpicklingError, match="part 0 is not in this pickle"):
        pickle.loads(pack([PROBLEM]).data)


def test_what_is_in_a_crate_is_read_once_and_travels_on() -> None:
    first = Crate([Packed(pack(PROBLEM).data, [])], [])
    # The second object refers to the first one of the same crate, and that one to the other crate.
    inside = Packed(pack({"problem": PROBLEM}).data, [Place(1, 0)])
    second = Crate([inside, Packed(pack(["inside", PROBLEM]).data, [Place(0, 0)])], [first])
    assert second[0]["problem"] is first[0]
    assert second[1][1] is second[0]
    assert second[1] is second[1]
    moved = pickle.loads(pickle.dumps(second))
    assert moved[1][1]["problem"].goal == PROBLEM.goal
