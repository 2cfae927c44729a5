from __future__ import annotations

import io
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sailplan import archives
from sailplan.archives import ALWAYS_UNPACKED, ArrayFile, file_array, file_arrays, pack_bits, unpack_bits, write_arrays
from sailplan.core import Trace
from sailplan.errors import SailplanError, WorldError

ARRAYS = {
    "scalar": np.array(7),
    "empty": np.empty((0, 3), np.int32),
    "rows": np.arange(12.0).reshape(3, 4),
    "columns": np.asfortranarray(np.arange(6).reshape(2, 3)),
    "text": np.array("√2"),
    "records": np.array([(1, 2.0)], np.dtype([("a", "i4"), ("b", "f8")])),
}


@pytest.mark.parametrize("write", [np.savez, np.savez_compressed])
def test_arrays_are_what_numpy_wrote(tmp_path: Path, write: Callable[..., None]) -> None:
    write(tmp_path / "a.npz", **ARRAYS)
    file = ArrayFile(tmp_path / "a.npz", error=WorldError)
    read = file.read([*ARRAYS, "absent"])
    assert read.keys() == ARRAYS.keys()
    assert "absent" not in file
    for name, array in ARRAYS.items():
        assert file.declared(name) == (array.shape, array.dtype)
        assert read[name].dtype == array.dtype
        np.testing.assert_array_equal(read[name], array)
        np.save(tmp_path / "a.npy", array)
        np.testing.assert_array_equal(file_array(tmp_path / "a.npy", error=WorldError), array)


def _peak(function: Callable[[], object]) -> int:
    """The largest number of bytes that were allocated during a call that fails."""
    tracemalloc.start()
    try:
        with pytest.raises(SailplanError, match=r"^[^\n]+$"):
            function()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def _bomb(path: Path, size: int, method: int = zipfile.ZIP_DEFLATED) -> Path:
    """Write an archive with one array of zeros."""
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(header, {"descr": "|u1", "fortran_order": False, "shape": (size,)})
    with zipfile.ZipFile(path, "w", method) as archive, archive.open("expanded.npy", "w") as member:
        member.write(header.getvalue())
        for _ in range(size // 2**20):
            member.write(bytes(2**20))
    return path


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_bomb_is_refused_before_it_is_unpacked(tmp_path: Path, method: int) -> None:
    path = _bomb(tmp_path / "bomb.npz", 64 * 2**20, method)
    assert path.stat().st_size < 100_000
    assert _peak(lambda: file_arrays(path, ["expanded"], error=WorldError)) < 8 * 2**20
    assert _peak(lambda: Trace.load(path)) < 8 * 2**20
    # An array that nobody asks for is not unpacked.
    assert file_arrays(path, ["other"], error=WorldError) == {}


def test_a_size_that_lies_does_not_unpack_more(tmp_path: Path) -> None:
    path = _bomb(tmp_path / "bomb.npz", 64 * 2**20)
    contents = path.read_bytes()
    true, false = (size.to_bytes(4, "little") for size in (64 * 2**20 + 128, 1000))
    assert contents.count(true) >= 1
    path.write_bytes(contents.replace(true, false))
    assert _peak(lambda: file_arrays(path, ["expanded"], error=WorldError)) < 8 * 2**20


@pytest.mark.parametrize("shape", ["(10**12,)", "(-4,)", "(3,)", "(2**62, 4)", "(5,)"])
def test_a_header_that_lies_allocates_nothing(tmp_path: Path, shape: str) -> None:
    text = f"{{'descr': '<f8', 'fortran_order': False, 'shape': {eval(shape)}}}\n".encode()
    contents = b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text + bytes(4 * 8)
    (tmp_path / "a.npy").write_bytes(contents)
    assert _peak(lambda: file_array(tmp_path / "a.npy", error=WorldError)) < 2**20
    with zipfile.ZipFile(tmp_path / "a.npz", "w") as archive:
        archive.writestr("a.npy", contents)
    assert _peak(lambda: file_arrays(tmp_path / "a.npz", ["a"], error=WorldError)) < 2**20


def test_a_changed_byte_of_an_array_is_refused(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", a=np.arange(1000))
    contents = bytearray((tmp_path / "a.npz").read_bytes())
    contents[len(contents) // 2] ^= 1
    (tmp_path / "a.npz").write_bytes(contents)
    with pytest.raises(WorldError, match=r"a\.npz: not an \.npz file, or a damaged one \(Bad CRC"):
        file_arrays(tmp_path / "a.npz", ["a"], error=WorldError)


def test_what_is_written_can_be_read(tmp_path: Path) -> None:
    zeros = np.zeros(2 * ALWAYS_UNPACKED, np.uint8)
    write_arrays(tmp_path / "a.npz", {"zeros": zeros})
    assert len(file_arrays(tmp_path / "a.npz", ["zeros"], error=WorldError)["zeros"]) == len(zeros)


@pytest.mark.parametrize("count", [0, 3, 8, 1001])
def test_bits_survive_packing(count: int) -> None:
    bits = np.random.default_rng(count).integers(2, size=count).astype(np.uint8)
    np.testing.assert_array_equal(unpack_bits(pack_bits(bits), count), bits)
    with pytest.raises(ValueError, match=r"^\d+ bytes where \d+ are needed$"):
        unpack_bits(pack_bits(bits), count + 8)


def test_bits_are_unpacked_up_to_a_multiple_of_their_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    zeros = np.zeros(10**6, np.uint8)
    packed = pack_bits(zeros)
    np.testing.assert_array_equal(unpack_bits(packed, 10**6), zeros)
    for limit in ("ALWAYS_UNPACKED", "ALWAYS_UNPACKED_BITS"):
        monkeypatch.setattr(archives, limit, 1000)
    with pytest.raises(ValueError, match=r"^1000000 cells are expected, and at most \d+ are unpacked from \d+ bytes$"):
        unpack_bits(packed, 10**6)
    # What is packed now is not compressed, so that it can be read again.
    np.testing.assert_array_equal(unpack_bits(pack_bits(zeros), 10**6), zeros)


def test_an_archive_is_written_to_devices(tmp_path: Path) -> None:
    arrays: dict[str, Any] = {"a": np.arange(3)}
    write_arrays("/dev/null", arrays)
    Trace(0, 1, np.arange(3, dtype=np.int32)).save("/dev/null")
