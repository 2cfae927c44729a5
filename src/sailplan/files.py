"""Atomic writes, and reads that fail with a one-line error."""

from __future__ import annotations

import csv
import errno
import io
import os
import re
import secrets
import shutil
import stat
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import lru_cache
from pathlib import Path
from typing import Any, BinaryIO

from sailplan.errors import SailplanError

FilePath = str | os.PathLike[str]
"""A path of a file."""

LARGEST_FILE = 2**30
"""Size in bytes of the largest file that is read into memory."""

_IS_WINDOWS = os.name == "nt"
_TEMPORARY = re.compile(r"\.sailplan-[0-9a-f]{16}\.tmp")
"""Names of temporary files. They are valid on Windows, and no file of a user has one by accident."""
_SECONDS_UNTIL_STALE = 60.0
"""Age of a temporary file that may be removed. A younger one may not be locked yet, or not any more."""


@contextmanager
def atomic_write(path: FilePath) -> Iterator[BinaryIO]:
    """Open a temporary file for writing that replaces the file at `path` when the block ends.

    If the block raises, an existing file is left unmodified and the temporary file is removed. A process that is killed
    leaves its temporary file, which a later write in the same folder removes. The contents reach the disk before they
    replace the file, so that a loss of power leaves the old file or the new one. A missing folder is created. Devices
    and pipes are written directly.

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
    """Write a text file as UTF-8, atomically; what UTF-8 cannot encode is `escaped`."""
    with atomic_write(path) as handle:
        handle.write(escaped(text).encode("utf-8"))


def escaped(text: str) -> str:
    """Return a text to print or write: characters that UTF-8 cannot encode are escaped.

    Python's names of files that are not UTF-8 contain such characters.

    Examples
    --------
    >>> escaped(os.fsdecode(b"caf\\xe9"))
    'caf\\\\udce9'
    """
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def write_csv(path: FilePath, columns: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> None:
    """Write a CSV file with a header row, atomically."""
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    write_text(path, text.getvalue())


def exists(path: FilePath) -> bool:
    """Return whether there is a file or folder; there is none of a name that is too long for one."""
    return _of_any_name(Path(path).exists)


def is_folder(path: FilePath) -> bool:
    """Return whether there is a folder; there is none of a name that is too long for one."""
    return _of_any_name(Path(path).is_dir)


def _of_any_name(test: Callable[[], bool]) -> bool:
    try:
        return test()
    except OSError as fault:
        if fault.errno != errno.ENAMETOOLONG:
            raise
        return False


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
    _remove_stale_files(target.parent)
    temporary = target.with_name(f".sailplan-{secrets.token_hex(8)}.tmp")
    try:
        with temporary.open("xb") as handle:
            _lock(handle)
            yield handle
            handle.flush()
            os.fsync(handle.fileno())
            if target.exists():
                shutil.copymode(target, temporary)
            if not _IS_WINDOWS:
                # While it is locked, so that no other process takes it for a stale one.
                temporary.replace(target)
        if _IS_WINDOWS:
            # Which renames no file that is open.
            temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    _sync_folder(target.parent)


def _lock(handle: BinaryIO) -> bool:
    """Lock a file until it is closed or the process ends; False if another process has locked it."""
    if _IS_WINDOWS:
        # Which removes no file that is open.
        return True
    from fcntl import LOCK_EX, LOCK_NB, flock

    try:
        flock(handle, LOCK_EX | LOCK_NB)
    except OSError:
        return False
    return True


def _sync_folder(folder: Path) -> None:
    """Write the entries of a folder to the disk, where the system can."""
    if _IS_WINDOWS:
        return
    with suppress(OSError):
        opened = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(opened)
        finally:
            os.close(opened)


# Once for each folder: many files may be written to a large one.
@lru_cache(maxsize=1024)
def _remove_stale_files(folder: Path) -> None:
    """Remove the temporary files of processes that were killed."""
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if _TEMPORARY.fullmatch(entry.name):
                with suppress(OSError):
                    _remove_if_stale(Path(entry.path))


def _remove_if_stale(temporary: Path) -> None:
    if time.time() - temporary.stat().st_mtime <= _SECONDS_UNTIL_STALE:
        return
    with temporary.open("rb") as handle:
        is_stale = _lock(handle)
    if is_stale:
        temporary.unlink()


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
