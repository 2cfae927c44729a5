from __future__ import annotations

import gc
import mmap
import sys
from pathlib import Path
from typing import Literal

import numpy as np
import pytest

from sailplan import Limits, load_policy, search
from sailplan.core.state import MANY, sparse_empty, sparse_zeros
from sailplan.datasets import generate_world
from sailplan.graphs import grid_problem
from sailplan.policies import CATALOGUE
from sailplan.testing import draw_problem
from tests.same import assert_same_result


@pytest.mark.parametrize("shape", [5, (3, 7), (MANY, 2), (2, MANY), MANY])
@pytest.mark.parametrize("dtype", [np.uint8, np.int32, np.float64])
def test_arrays_are_as_those_of_numpy(shape: int | tuple[int, ...], dtype: type[np.generic]) -> None:
    zeros, empty = sparse_zeros(shape, dtype), sparse_empty(shape, dtype)
    expected = np.zeros(shape, dtype)
    for array in (zeros, empty):
        assert (array.shape, array.dtype) == (expected.shape, expected.dtype)
        assert array.flags.writeable
        assert array.flags.c_contiguous
        assert array.flags.aligned
    assert not zeros.any()


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads the resident memory from /proc")
def test_memory_is_used_where_it_is_touched() -> None:
    before = _resident_bytes()
    array = sparse_zeros(1 << 28, np.float64)
    array[:: 1 << 22] = 1.0
    # 64 places in two gigabytes; huge pages would take 128 MB.
    assert _resident_bytes() - before < 32e6
    assert array.sum() == 64


def _resident_bytes() -> int:
    return int(Path("/proc/self/statm").read_text(encoding="utf-8").split()[1]) * mmap.PAGESIZE


@pytest.mark.parametrize("policy", ["a_star", "optimistic", "lazy"])
def test_searches_are_the_same_in_mapped_memory(policy: str, monkeypatch: pytest.MonkeyPatch) -> None:
    problem = draw_problem("""
        S.#..
        ..#..
        ....G
    """)
    expected = search(problem, load_policy(policy), Limits())
    monkeypatch.setattr("sailplan.core.state.MANY", 1)
    assert_same_result(search(problem, load_policy(policy), Limits()), expected)


LEARNED = ("sail:forest", "lazy-sail:forest", "belief:forest", "lazy-belief:forest")


@pytest.mark.parametrize("engine", ["reference", "compiled"])
@pytest.mark.parametrize("name", [*CATALOGUE, *LEARNED])
def test_a_search_is_released_without_the_garbage_collector(
    name: str, engine: Literal["reference", "compiled"]
) -> None:
    """Cycles would keep its arrays, which may take gigabytes, until the collector runs."""
    problem = grid_problem(generate_world("bugtrap_forest", 3, 0, width=41, height=41))
    policy = load_policy(name)
    search(problem, policy, engine=engine)
    gc.collect()
    gc.disable()
    try:
        search(problem, policy, engine=engine)
        gc.set_debug(gc.DEBUG_SAVEALL)
        gc.collect()
        found = [one for one in gc.garbage if type(one).__module__.startswith("sailplan")]
    finally:
        gc.set_debug(0)
        gc.garbage.clear()
        gc.enable()
    assert not found
