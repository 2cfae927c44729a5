"""Locks on folders: one process, and in it one thread, writes a folder at a time.

The system releases the lock of a process that ends, however it ends. The file `.lock` that a killed process leaves
behind locks nothing.
"""

from __future__ import annotations

import errno
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from sailplan.errors import SailplanError
from sailplan.files import FilePath

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

LOCK = ".lock"
"""The file in a folder that is locked."""
_TAKEN = (errno.EACCES, errno.EAGAIN, errno.EDEADLK)
_UNSUPPORTED = (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP, errno.ENOTSUP)


class _Held(threading.local):
    """The folders that this thread has locked."""

    def __init__(self) -> None:
        self.folders: set[Path] = set()


_held = _Held()


@contextmanager
def locked(folder: FilePath, *, error: type[SailplanError]) -> Iterator[bool]:
    """Lock a folder while the block runs; a thread that has locked it may lock it again.

    A missing folder is created.

    Parameters
    ----------
    folder
        The folder.
    error
        Raised if the folder is locked.

    Yields
    ------
    bool
        Whether the folder is locked; False on a file system that has no locks, which protects nothing.

    Raises
    ------
    SailplanError
        If another process, or another thread of this one, has locked the folder: an `error` of one line.
    OSError
        If the lock file cannot be created, for example in a folder that is read-only.

    Examples
    --------
    >>> import tempfile
    >>> with locked(tempfile.mkdtemp(), error=SailplanError) as is_locked:
    ...     is_locked
    True
    """
    path = Path(folder).resolve()
    if path in _held.folders:
        yield True
        return
    opened = _open_locked(path)
    if opened is None:
        raise error(f"{folder}: another process works in this folder; wait until it ends, or choose another")
    descriptor, is_locked = opened
    _held.folders.add(path)
    try:
        yield is_locked
    finally:
        _held.folders.remove(path)
        _release(descriptor, path)


def _open_locked(folder: Path) -> tuple[int, bool] | None:
    """Return the descriptor of the lock file and whether it is locked; None if another holds the lock."""
    while True:
        folder.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT, 0o666)
        try:
            _lock(descriptor)
        except OSError as fault:
            if fault.errno in _UNSUPPORTED:
                return descriptor, False
            os.close(descriptor)
            if fault.errno in _TAKEN:
                return None
            raise
        if _is_file(descriptor, folder / LOCK):
            return descriptor, True
        # The holder has removed the file after it was opened here: this lock is worth nothing.
        os.close(descriptor)


def _lock(descriptor: int) -> None:
    if fcntl:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    else:
        import msvcrt

        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]


def _release(descriptor: int, folder: Path) -> None:
    """Remove the lock file and release the lock."""
    if fcntl:
        # While the lock is held: whoever has opened the file will see that it is gone. Windows removes no open file.
        with suppress(OSError):
            (folder / LOCK).unlink()
    os.close(descriptor)


def _is_file(descriptor: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except FileNotFoundError:
        return False
