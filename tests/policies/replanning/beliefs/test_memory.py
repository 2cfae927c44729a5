from __future__ import annotations

import zlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sailplan.datasets import GeneratedWorlds
from sailplan.errors import ModelError
from sailplan.policies.replanning.beliefs.posterior import Memory


@given(st.integers(1, 5), st.integers(1, 40), st.integers(0, 1000))
def test_what_is_unpacked_is_what_was_packed(worlds: int, cells: int, seed: int) -> None:
    memory = Memory(np.random.default_rng(seed).integers(0, 2, (worlds, cells), np.uint8))
    read = Memory.unpacked(memory.packed(), worlds, cells)
    assert np.array_equal(read.by_world, memory.by_world)
    assert np.array_equal(read.by_cell.T, memory.by_world)
    assert read.frequencies == pytest.approx(memory.by_world.mean(axis=0))


def test_worlds_take_little_room() -> None:
    memory = Memory.of(list(GeneratedWorlds("single_bugtrap", 20, seed=1)))
    assert len(memory.packed()) < 20 * 400


@pytest.mark.parametrize(
    ("packed", "told"),
    [
        (b"nonsense", "damaged worlds"),
        (zlib.compress(b"1"), "damaged worlds .1 bytes where 3 are needed"),
        (zlib.compress(b"1" * 10_000), "damaged worlds .4 bytes where 3 are needed"),
    ],
)
def test_damaged_worlds(packed: bytes, told: str) -> None:
    with pytest.raises(ModelError, match=told):
        Memory.unpacked(np.frombuffer(packed, np.uint8), 2, 12)


def test_worlds_that_expand_to_gigabytes_are_refused_before() -> None:
    packed = np.frombuffer(zlib.compress(bytes(32 * 2**20)), np.uint8)
    with pytest.raises(ModelError, match=r"damaged worlds \(268435456 cells are expected, and at most 67108864 are"):
        Memory.unpacked(packed, 1024, 8 * 2**15)
