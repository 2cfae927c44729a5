"""Arrays in files (`.npz`, `.npy`): what they unpack to is limited before anything is unpacked.

A few bytes can expand to a thousand times as many, and the sizes in a file may lie. No more is allocated or unpacked
than a file of its size may sensibly hold.
"""

from __future__ import annotations

import io
import math
import zipfile
import zlib
from collections.abc import Mapping
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from sailplan.errors import SailplanError
from sailplan.files import FilePath, atomic_write, fault_line, file_bytes

LARGEST_UNPACKED = 2**31
"""Size in bytes of the largest archive that is unpacked into memory."""
ALWAYS_UNPACKED = 2**24
"""Size in bytes up to which an archive is unpacked, however small it is."""
LARGEST_RATIO = 200
"""A larger archive is unpacked up to this many times its size. Arrays of worlds reach 70; a bomb, 1000 and more."""
_COMPRESSIONS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
"""What NumPy writes. The other kinds cannot be unpacked in small steps."""
_LONGEST_HEADER = 65536
_STEP = 1 << 20


def most_unpacked(size: int) -> int:
    """Return the number of bytes that compressed data of this size is unpacked to at most.

    Examples
    --------
    >>> most_unpacked(10), most_unpacked(1_000_000), most_unpacked(1_000_000_000)
    (16777216, 200000000, 2147483648)
    """
    return min(LARGEST_UNPACKED, max(ALWAYS_UNPACKED, LARGEST_RATIO * size))


def file_arrays(path: FilePath, *, error: type[SailplanError], kind: str = "an .npz file") -> dict[str, NDArray[Any]]:
    """Read all arrays of an `.npz` file, without pickle.

    Parameters
    ----------
    path
        The file.
    error
        The exception to raise.
    kind
        What the file should be, for the message of the exception.

    Returns
    -------
    dict
        The arrays by name.

    Raises
    ------
    SailplanError
        The given one, with one line that names the file, if it cannot be read, is damaged, or unpacks to more than
        `most_unpacked` of its size.
    """
    contents = file_bytes(path, error=error)
    try:
        with zipfile.ZipFile(io.BytesIO(contents)) as archive:
            members = archive.infolist()
            unpacked, most = _unpacked_size(archive), most_unpacked(len(contents))
            if unpacked > most:
                raise error(f"{path}: unpacks to {unpacked} bytes, and at most {most} are read of a file of its size")
            return {member.filename.removesuffix(".npy"): _read_member(archive, member) for member in members}
    except error:
        raise
    # The parsers of zip and npy raise nearly any exception on damaged files.
    except Exception as fault:
        raise error(f"{path}: not {kind}, or a damaged one ({fault_line(fault)})") from fault


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
        is_readable = _unpacked_size(archive) <= most_unpacked(len(contents.getbuffer()))
    if not is_readable:
        contents = io.BytesIO()
        np.savez(contents, **arrays)
    with atomic_write(path) as handle:
        handle.write(contents.getbuffer())


def pack_bytes(contents: bytes) -> bytes:
    """Compress bytes by zlib so that `unpack_bytes` accepts them: not at all, if they would become too small."""
    packed = zlib.compress(contents, 9)
    return packed if len(contents) <= most_unpacked(len(packed)) else zlib.compress(contents, 0)


def unpack_bytes(packed: bytes, size: int) -> bytes:
    """Unpack what `pack_bytes` returned.

    Parameters
    ----------
    packed
        The compressed bytes.
    size
        The number of bytes that they must expand to.

    Returns
    -------
    bytes
        The contents.

    Raises
    ------
    ValueError
        If the bytes are damaged, expand to another size, or to more than `most_unpacked` of their number.

    Examples
    --------
    >>> unpack_bytes(pack_bytes(b"worlds"), 6)
    b'worlds'
    """
    most = most_unpacked(len(packed))
    if size > most:
        raise ValueError(f"{size} bytes are expected, and at most {most} are unpacked from {len(packed)}")
    try:
        contents = zlib.decompressobj().decompress(packed, size + 1)
    except zlib.error as fault:
        raise ValueError(str(fault)) from fault
    if len(contents) != size:
        raise ValueError(f"{len(contents)} bytes where {size} are needed")
    return contents


def _unpacked_size(archive: zipfile.ZipFile) -> int:
    """Return the number of bytes that an archive declares to unpack to."""
    return sum(member.file_size for member in archive.infolist())


def _read_member(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> NDArray[Any]:
    if member.compress_type not in _COMPRESSIONS:
        raise ValueError(f"{member.filename} is compressed by another method than deflate")
    # The stream ends after the size that the member declares, whatever it contains.
    with archive.open(member) as stream:
        return _read_array(stream, member.file_size)


def _read_array(stream: IO[bytes], size: int) -> NDArray[Any]:
    """Read an array from `size` bytes in the format of `.npy`; its header is checked before memory is allocated."""
    prefix = stream.read(min(size, _LONGEST_HEADER))
    header = io.BytesIO(prefix)
    version = np.lib.format.read_magic(header)
    read_header = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}
    shape, by_columns, kind = read_header[version](header)
    if kind.hasobject:
        raise ValueError("it contains pickled objects")
    count, began = math.prod(shape), header.tell()
    if min(shape, default=0) < 0 or count * kind.itemsize != size - began:
        raise ValueError(f"an array of shape {shape} and type {kind} does not have {size - began} bytes")
    room = np.empty(size - began, np.uint8)
    room[: len(prefix) - began] = np.frombuffer(prefix, np.uint8, offset=began)
    _fill(room[len(prefix) - began :], stream)
    if count == 0 or kind.itemsize == 0:
        return np.empty(shape, kind)
    return room.view(kind).reshape(shape, order="F" if by_columns else "C")


def _fill(room: NDArray[np.uint8], stream: IO[bytes]) -> None:
    """Fill an array with bytes, in steps, so that they are not in memory twice."""
    for first in range(0, len(room), _STEP):
        read = stream.read(min(len(room) - first, _STEP))
        # Raises ValueError if the stream has ended.
        room[first : first + _STEP] = np.frombuffer(read, np.uint8)
