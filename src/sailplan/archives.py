"""Arrays in files (`.npz`, `.npy`): what they unpack to is limited before anything is unpacked.

A few bytes can expand to a thousand times as many, and the sizes in a file may lie. No more is allocated or unpacked
than a file of its size may sensibly hold, and only the arrays that are asked for.
"""

from __future__ import annotations

import io
import math
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import IO, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sailplan.errors import SailplanError
from sailplan.files import FilePath, atomic_write, fault_line, file_bytes

LARGEST_UNPACKED = 2**31
"""Size in bytes of the largest contents that are unpacked into memory."""
ALWAYS_UNPACKED = 2**24
"""Size in bytes up to which contents are unpacked, however small the file is."""
LARGEST_RATIO = 100
"""A larger file is unpacked up to this many times its size. Arrays of worlds reach 70; a bomb, 1000 and more."""
ALWAYS_UNPACKED_BITS = 2**26
"""As `ALWAYS_UNPACKED`, for bits: worlds that resemble each other have 2000 cells in a byte."""
_COMPRESSIONS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
"""What NumPy writes. The other kinds cannot be unpacked in small steps."""
_LONGEST_HEADER = 65536
_STEP = 1 << 20


def most_unpacked(size: int) -> int:
    """Return the number of bytes that compressed data of this size is unpacked to at most.

    Examples
    --------
    >>> most_unpacked(10), most_unpacked(1_000_000), most_unpacked(1_000_000_000)
    (16777216, 100000000, 2147483648)
    """
    return min(LARGEST_UNPACKED, max(ALWAYS_UNPACKED, LARGEST_RATIO * size))


class Declared(NamedTuple):
    """What the header of an array says, which is read before the array is unpacked."""

    shape: tuple[int, ...]
    kind: np.dtype[Any]

    @property
    def size(self) -> int:
        """The number of elements."""
        return math.prod(self.shape)

    @property
    def holds_numbers(self) -> bool:
        """Whether the elements are real numbers or booleans."""
        return self.kind.kind in "biuf"


class ArrayFile:
    """An `.npz` file, of which arrays are unpacked when they are asked for, without pickle.

    Parameters
    ----------
    path
        The file.
    error
        The exception to raise.
    kind
        What the file should be, for the message of the exception.

    Raises
    ------
    SailplanError
        The given one, with one line that names the file, if it cannot be read or is damaged.
    """

    def __init__(self, path: FilePath, *, error: type[SailplanError], kind: str = "an .npz file") -> None:
        self.path = path
        self._error, self._kind = error, kind
        contents = file_bytes(path, error=error)
        self.size = len(contents)
        """The size of the file in bytes."""
        with self._named_faults():
            self._archive = zipfile.ZipFile(io.BytesIO(contents))
            members = self._archive.infolist()
        self._members = {member.filename.removesuffix(".npy"): member for member in members}

    def __contains__(self, name: str) -> bool:
        return name in self._members

    def declared(self, name: str) -> Declared:
        """Return the shape and type of an array, which is not unpacked; raises the error if it is damaged."""
        with self._named_faults(), self._open(name) as stream:
            return _read_header(stream, self._members[name].file_size).declared

    def read(self, names: Iterable[str]) -> dict[str, NDArray[Any]]:
        """Unpack arrays.

        Parameters
        ----------
        names
            The names of the arrays. Names that the file does not have are ignored.

        Returns
        -------
        dict
            The arrays by name.

        Raises
        ------
        SailplanError
            If an array is damaged, or they unpack to more than `most_unpacked` of the size of the file.
        """
        found = [name for name in names if name in self]
        unpacked, most = sum(self._members[name].file_size for name in found), most_unpacked(self.size)
        if unpacked > most:
            raise self._error(
                f"{self.path}: unpacks to {unpacked} bytes, and at most {most} are read of a file of its size"
            )
        return {name: self._unpack(name) for name in found}

    def _unpack(self, name: str) -> NDArray[Any]:
        with self._named_faults(), self._open(name) as stream:
            return _read_array(stream, self._members[name].file_size)

    def _open(self, name: str) -> IO[bytes]:
        """Return a stream that ends after the size that an array declares, whatever the file contains."""
        if self._members[name].compress_type not in _COMPRESSIONS:
            raise ValueError(f"{name} is compressed by another method than deflate")
        return self._archive.open(self._members[name])

    @contextmanager
    def _named_faults(self) -> Iterator[None]:
        try:
            yield
        # The parsers of zip and npy raise nearly any exception on damaged files.
        except Exception as fault:
            raise self._error(f"{self.path}: not {self._kind}, or a damaged one ({fault_line(fault)})") from fault


def file_arrays(
    path: FilePath, names: Iterable[str], *, error: type[SailplanError], kind: str = "an .npz file"
) -> dict[str, NDArray[Any]]:
    """Read those of some arrays that an `.npz` file has; raises `error` as an `ArrayFile` does."""
    return ArrayFile(path, error=error, kind=kind).read(names)


def file_array(path: FilePath, *, error: type[SailplanError]) -> NDArray[Any]:
    """Read the array of an `.npy` file, without pickle; raises `error` with one line if it is damaged."""
    contents = file_bytes(path, error=error)
    try:
        return _read_array(io.BytesIO(contents), len(contents))
    except Exception as fault:
        raise error(f"{path}: not a .npy file, or a damaged one ({fault_line(fault)})") from fault


def write_arrays(path: FilePath, arrays: Mapping[str, Any]) -> None:
    """Write an `.npz` file, atomically; it is compressed, unless that makes it too small to be read again."""
    contents = io.BytesIO()
    np.savez_compressed(contents, **arrays)
    with zipfile.ZipFile(contents) as archive:
        unpacked = sum(member.file_size for member in archive.infolist())
    if unpacked > most_unpacked(len(contents.getbuffer())):
        contents = io.BytesIO()
        np.savez(contents, **arrays)
    with atomic_write(path) as handle:
        handle.write(contents.getbuffer())


def pack_bits(bits: NDArray[Any]) -> NDArray[np.uint8]:
    """Compress booleans so that `unpack_bits` accepts them: not by zlib, if they would become too small.

    Parameters
    ----------
    bits
        An array of any shape; what is not 0 is 1.

    Returns
    -------
    array of uint8
        The compressed bytes.
    """
    contents = np.packbits(bits).tobytes()
    packed = zlib.compress(contents, 9)
    if bits.size > _most_bits(len(packed)):
        packed = zlib.compress(contents, 0)
    return np.frombuffer(packed, np.uint8)


def unpack_bits(packed: NDArray[np.uint8], count: int) -> NDArray[np.uint8]:
    """Unpack what `pack_bits` returned.

    Parameters
    ----------
    packed
        The compressed bytes.
    count
        The number of booleans that they must expand to.

    Returns
    -------
    array of uint8
        A 0 or 1 for each boolean.

    Raises
    ------
    ValueError
        If the bytes are damaged, expand to another number, or to more than a sensible multiple of their own number.

    Examples
    --------
    >>> unpack_bits(pack_bits(np.array([True, False, True])), 3).tolist()
    [1, 0, 1]
    """
    most, size = _most_bits(packed.size), -(-count // 8)
    if count > most:
        raise ValueError(f"{count} cells are expected, and at most {most} are unpacked from {packed.size} bytes")
    try:
        contents = zlib.decompressobj().decompress(packed.tobytes(), size + 1)
    except zlib.error as fault:
        raise ValueError(str(fault)) from fault
    if len(contents) != size:
        raise ValueError(f"{len(contents)} bytes where {size} are needed")
    return np.unpackbits(np.frombuffer(contents, np.uint8), count=count)


def _most_bits(size: int) -> int:
    return max(ALWAYS_UNPACKED_BITS, most_unpacked(size))


class _Header(NamedTuple):
    declared: Declared
    by_columns: bool
    start: bytes
    """The first bytes of the array, which were read with the header."""


def _read_header(stream: IO[bytes], size: int) -> _Header:
    """Read the header of an array that has `size` bytes in the format of `.npy`; raises ValueError if it lies."""
    prefix = stream.read(min(size, _LONGEST_HEADER))
    header = io.BytesIO(prefix)
    version = np.lib.format.read_magic(header)
    read_header = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}
    shape, by_columns, kind = read_header[version](header)
    if kind.hasobject:
        raise ValueError("it contains pickled objects")
    declared, length = Declared(shape, kind), size - header.tell()
    if min(shape, default=0) < 0 or declared.size * kind.itemsize != length:
        raise ValueError(f"an array of shape {shape} and type {kind} does not have {length} bytes")
    return _Header(declared, by_columns, prefix[header.tell() :])


def _read_array(stream: IO[bytes], size: int) -> NDArray[Any]:
    """Read an array from `size` bytes in the format of `.npy`; its header is checked before memory is allocated."""
    (shape, kind), by_columns, start = header = _read_header(stream, size)
    room = np.empty(header.declared.size * kind.itemsize, np.uint8)
    room[: len(start)] = np.frombuffer(start, np.uint8)
    _fill(room[len(start) :], stream)
    if not len(room):
        return np.empty(shape, kind)
    return room.view(kind).reshape(shape, order="F" if by_columns else "C")


def _fill(room: NDArray[np.uint8], stream: IO[bytes]) -> None:
    """Fill an array with bytes, in steps, so that they are not in memory twice."""
    for first in range(0, len(room), _STEP):
        read = stream.read(min(len(room) - first, _STEP))
        # Raises ValueError if the stream has ended.
        room[first : first + _STEP] = np.frombuffer(read, np.uint8)
