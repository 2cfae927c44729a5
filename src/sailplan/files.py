"""Atomic writes, and reads that fail with a one-line error."""

from __future__ import annotations

import csv
import io
import os
import secrets
import shutil
import stat
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from sailplan.errors import SailplanError

FilePath = str | os.PathLike[str]
"""A path of a file."""

LARGEST_FILE = 2**30
"""Size in bytes of the largest file that is read into memory."""
LARGEST_UNPACKED = 2**31
"""Size in bytes of the largest archive that is unpacked into memory."""


@contextmanager
def atomic_write(path: FilePath) -> Iterator[BinaryIO]:
    """Open a temporary file for writing that replaces the file at `path` when the block ends.

    If the block raises, an existing file is left unmodified and the temporary file is removed. A missing folder is
    created. Devices and pipes are written directly.

    Parameters
    ----------
    path
        The file to write.

    Yields
    ------
    BinaryIO
        A binary file handle.

    Raises
    ------
    OSError
        If the file cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "results" / "notes.txt"
    >>> with atomic_write(path) as handle:
    ...     _ = handle.write(b"done")
    >>> path.read_text()
    'done'
    """
    target = Path(path).resolve()
    target.parent.mkdir(parents=True, exist_ok=True)
    if _is_device(target):
        with target.open("wb") as handle:
            yield handle
    else:
        with _replacing(target) as handle:
            yield handle


def write_text(path: FilePath, text: str) -> None:
    """Write a text file as UTF-8, atomically."""
    with atomic_write(path) as handle:
        handle.write(text.encode("utf-8"))


def write_csv(path: FilePath, columns: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> None:
    """Write a CSV file with a header row, atomically."""
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    write_text(path, text.getvalue())


def file_bytes(path: FilePath, *, error: type[SailplanError]) -> bytes:
    """Read a file; if that fails, raise `error` with one line that names the file and the reason."""
    try:
        size = _readable_size(Path(path), error)
        if size > LARGEST_FILE:
            raise error(f"{path}: {size} bytes, and at most {LARGEST_FILE} are read")
        return Path(path).read_bytes()
    except OSError as fault:
        raise error(f"{path}: {fault_line(fault)}") from fault


def file_lines(path: FilePath, *, error: type[SailplanError]) -> list[str]:
    """Read the lines of a text file without line endings (Unix or Windows); undecodable bytes become U+FFFD."""
    return text_lines(file_bytes(path, error=error))


def text_lines(contents: bytes) -> list[str]:
    """Return the lines of a text file that is in memory, as `file_lines` does."""
    text = contents.decode("utf-8-sig", errors="replace")
    return [line.rstrip("\r") for line in text.split("\n")]


def file_arrays(path: FilePath, *, error: type[SailplanError]) -> dict[str, NDArray[Any]]:
    """Read all arrays of an `.npz` file, without pickle; raises `error` with one line if it is damaged or too large."""
    contents = file_bytes(path, error=error)
    try:
        with zipfile.ZipFile(io.BytesIO(contents)) as archive:
            unpacked = sum(member.file_size for member in archive.infolist())
        if unpacked > LARGEST_UNPACKED:
            raise error(f"{path}: unpacks to {unpacked} bytes, and at most {LARGEST_UNPACKED} are read")
        with np.load(io.BytesIO(contents), allow_pickle=False) as arrays:
            return {name: np.asarray(arrays[name]) for name in arrays.files}
    except error:
        raise
    # The parsers of zip and npy raise nearly any exception on damaged files.
    except Exception as fault:
        raise error(f"{path}: not an .npz file, or a damaged one ({fault_line(fault)})") from fault


def write_arrays(path: FilePath, arrays: Mapping[str, Any]) -> None:
    """Write a compressed `.npz` file, atomically."""
    with atomic_write(path) as handle:
        np.savez_compressed(handle, **arrays)


def fault_line(fault: Exception) -> str:
    """Describe an exception in one short line, for a message that already names the file."""
    if isinstance(fault, OSError) and fault.strerror:
        return fault.strerror.lower()
    return " ".join(str(fault).split())[:100] or type(fault).__name__


@contextmanager
def _replacing(target: Path) -> Iterator[BinaryIO]:
    if target.exists():
        # Raises for folders and write-protected files, which a rename would replace.
        target.open("r+b").close()
    temporary = target.with_name(f".{secrets.token_hex(8)}.tmp")
    try:
        with temporary.open("xb") as handle:
            yield handle
        if target.exists():
            shutil.copymode(target, temporary)
        temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _is_device(target: Path) -> bool:
    """Whether the target is a pipe or a device such as /dev/null, which a rename would destroy."""
    return target.exists() and not target.is_file() and not target.is_dir()


def _readable_size(path: Path, error: type[SailplanError]) -> int:
    try:
        status = path.stat()
    except ValueError as fault:
        raise error(f"{str(path)!r}: not a file name") from fault
    if not stat.S_ISREG(status.st_mode) and not stat.S_ISDIR(status.st_mode):
        raise error(f"{path}: not a regular file")
    return status.st_size
