"""Compiled code on disk: what is damaged is compiled again, and processes do not disturb each other."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numba import types

from sailplan.core.kernel import cache
from sailplan.core.kernel.cache import CodeFiles
from sailplan.core.kernel.compile import kernel
from tests.core.kernel.test_compile import RUN_ONE_KERNEL

ARRAY = types.Array(types.float64, 1, "C")
KEY: Any = ((types.int64, ARRAY), ("triple", "cpu", "features"), ("code", "variables"))


def _files(folder: Path, stamp: object = "stamp") -> CodeFiles:
    return CodeFiles(str(folder), "kernel.f-1.py311", stamp)  # type: ignore[no-untyped-call]


def _hits_and_misses(folder: Path) -> str:
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(folder)}
    command = [sys.executable, "-c", RUN_ONE_KERNEL]
    return subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout.strip()


def test_damaged_code_is_compiled_again(tmp_path: Path) -> None:
    assert _hits_and_misses(tmp_path) == "0 1"
    (file,) = [path for path in tmp_path.rglob("*.nbc") if "_flood" in path.name]
    whole = file.read_bytes()
    file.write_bytes(whole[: len(whole) // 2])
    assert _hits_and_misses(tmp_path) == "0 1"
    assert _hits_and_misses(tmp_path) == "1 0"


@pytest.mark.parametrize("place", [0, 40, 64, 70, -1])
def test_a_flipped_bit_is_noticed(place: int, tmp_path: Path) -> None:
    files = _files(tmp_path)
    files.save(KEY, ("machine code", 1))
    assert files.load(KEY) == ("machine code", 1)
    (path,) = tmp_path.iterdir()
    contents = bytearray(path.read_bytes())
    contents[place] ^= 1
    path.write_bytes(contents)
    assert files.load(KEY) is None


@pytest.mark.parametrize("contents", [b"", b"no code", bytes(64), bytes(4096)])
def test_other_contents_are_no_code(contents: bytes, tmp_path: Path) -> None:
    files = _files(tmp_path)
    files.save(KEY, "machine code")
    (path,) = tmp_path.iterdir()
    path.write_bytes(contents)
    assert files.load(KEY) is None
    files.save(KEY, "machine code")
    assert files.load(KEY) == "machine code"


def test_code_of_other_sources_is_not_loaded(tmp_path: Path) -> None:
    _files(tmp_path).save(KEY, "machine code")
    assert _files(tmp_path, "another stamp").load(KEY) is None
    _files(tmp_path, "another stamp").save(KEY, "newer code")
    assert _files(tmp_path, "another stamp").load(KEY) == "newer code"
    assert len(list(tmp_path.iterdir())) == 1


def test_writers_at_the_same_time_keep_their_own_code(tmp_path: Path) -> None:
    keys = [((types.int64,) * number, *KEY[1:]) for number in range(1, 33)]

    def write(number: int) -> None:
        _files(tmp_path).save(keys[number], f"code {number}")

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(write, range(len(keys))))
    assert [_files(tmp_path).load(key) for key in keys] == [f"code {number}" for number in range(len(keys))]


def test_a_read_only_array_is_another_signature(tmp_path: Path) -> None:
    _files(tmp_path).save(KEY, "machine code")
    frozen = types.Array(types.float64, 1, "C", readonly=True)
    assert _files(tmp_path).load(((types.int64, frozen), *KEY[1:])) is None


def test_a_full_disk_does_not_end_a_search(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(CodeFiles, "save", refuse)
    monkeypatch.setattr(cache, "cache_problem", [])

    @kernel
    def total(numbers):  # type: ignore[no-untyped-def]
        return numbers[0] + numbers[1]

    assert total(np.array([1.0, 2.0])) == 3.0
    assert len(cache.cache_problem) == 1
    assert "No space left on device" in cache.cache_problem[0]
