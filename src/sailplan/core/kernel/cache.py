"""The cache of compiled kernels on disk: one file for each kernel and signature, with a digest of its contents.

Numba keeps an index of numbered files for each kernel. Two processes that add code to one index at the same time may
take the same number, and load each other's code; damaged files end the process. Here the name of a file depends on
the signature, so that there is no index, and code is loaded only if it is what was saved.
"""

from __future__ import annotations

import hashlib
import pickle
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from numba import types
from numba.core.caching import FunctionCache, IndexDataCacheFile

_PACKAGE = Path(__file__).parents[2]
_SOURCES = sorted([*_PACKAGE.rglob("kernel.py"), *_PACKAGE.rglob("kernel/*.py")])
_STAMP = tuple((str(path.relative_to(_PACKAGE)), path.stat().st_mtime_ns, path.stat().st_size) for path in _SOURCES)

registered_files: dict[type, set[str]] = {}
"""The files with the implementations that are registered for each class."""
cache_problem: list[str] = []
"""The reason why compiled kernels cannot be cached on disk, in a single entry; empty if they can."""


class KernelCache(FunctionCache):  # type: ignore[misc]
    """The cache of the compiled code of one kernel.

    Numba invalidates cached code when the file of the kernel changes, but not when a file that it calls changes. Here
    the stamp covers all kernel files, and the files of classes from outside of the package that the code is for.

    Raises
    ------
    RuntimeError
        If no folder for compiled code is writable.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        self._cache_file = CodeFiles(self._cache_path, self._impl.filename_base, _STAMP)

    def _load_overload(self, signature: Any, target_context: Any) -> Any:
        return super()._load_overload(signature, target_context) if _can_be_imported(signature) else None

    def _save_overload(self, signature: Any, data: Any) -> None:
        if not _can_be_imported(signature):
            return
        try:
            super()._save_overload(signature, data)
        except OSError as error:
            # For example a full disk: the kernel is compiled and can be used.
            cache_problem[:] = [f"compiled code cannot be kept in {self._cache_path} ({error.strerror})"]


class CodeFiles(IndexDataCacheFile):  # type: ignore[misc]
    """The files with the compiled code of one kernel.

    A file begins with two digests: of what the code was compiled from and for, and of the code. Files that lack them,
    because they are of another version or damaged, are compiled again and replaced. Files are written atomically.
    """

    def load(self, key: tuple[Any, ...]) -> Any:
        """Return the code for a key; None if there is none that can be used."""
        try:
            contents = self._path(key).read_bytes()
        except OSError:
            return None
        code = contents[2 * _DIGEST_BYTES :]
        return pickle.loads(code) if contents == self._head(key, code) + code else None

    def save(self, key: tuple[Any, ...], data: Any) -> None:
        """Keep the code for a key."""
        code = self._dump(data)
        with self._open_for_write(str(self._path(key))) as file:
            file.write(self._head(key, code) + code)

    def _path(self, key: tuple[Any, ...]) -> Path:
        name = self._index_name.removesuffix(".nbi")
        return Path(self._cache_path) / f"{name}.{_digest(_text(key)).hex()[:16]}.nbc"

    def _head(self, key: tuple[Any, ...], code: bytes) -> bytes:
        made_from = self._version, self._source_stamp, _foreign_files(key[0])
        return _digest(f"{made_from} {_text(key)}".encode()) + _digest(code)


_DIGEST_BYTES = 32


def _digest(contents: bytes) -> bytes:
    return hashlib.sha256(contents).digest()


def _text(key: tuple[Any, ...]) -> bytes:
    """Return a key as text; the names of types lack the modules of the classes of records."""
    modules = [kind.__module__ for kind in _record_classes(key[0])]
    return f"{key} {modules}".encode()


def _can_be_imported(signature: Any) -> bool:
    """Return whether no class belongs to a script: another process could not load code for it."""
    return all(kind.__module__ != "__main__" for kind in _record_classes(signature))


def _foreign_files(signature: Any) -> list[tuple[str, int]]:
    """Return the files of the classes of records that are not from this package, with their times."""
    package = __name__.partition(".")[0]
    foreign = {kind for kind in _record_classes(signature) if kind.__module__.partition(".")[0] != package}
    files = {file for kind in foreign for file in registered_files.get(kind, ())}
    return [(file, Path(file).stat().st_mtime_ns) for file in sorted(files)]


def _record_classes(signature: Any) -> Iterator[type]:
    for kind in signature if isinstance(signature, tuple | types.BaseTuple) else getattr(signature, "args", ()):
        if isinstance(kind, types.BaseNamedTuple):
            yield kind.instance_class
        if isinstance(kind, types.BaseTuple):
            yield from _record_classes(kind)
