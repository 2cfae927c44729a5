"""The ways a kernel and its pieces are compiled."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from pickle import UnpicklingError
from typing import Any

from numba import njit
from numba.extending import overload

_SOURCES = sorted(Path(__file__).parent.glob("*.py"))
_STAMP = tuple((path.name, path.stat().st_mtime_ns, path.stat().st_size) for path in _SOURCES)

# A kernel allocates nothing, so nothing in it needs counting: without this, every call that passes a record of
# arrays would count references to each of them, which costs several times the work itself.
_WITHOUT_REFERENCE_COUNTS = {"_nrt": False}

_INLINED = {"forceinline": True, "nogil": True, "error_model": "numpy", **_WITHOUT_REFERENCE_COUNTS}

inlined = njit(**_INLINED)
"""Decorator of a short piece of a kernel."""

piece = njit(nogil=True, error_model="numpy", **_WITHOUT_REFERENCE_COUNTS)
"""Decorator of a long piece of a kernel, which stays a function of its own."""


def inlined_overload(function: Callable[..., Any]) -> Any:
    """Decorator of what picks the body of `function` by the types of its arguments; the body is inlined."""
    return overload(function, jit_options=_INLINED)


def kernel(function: Callable[..., Any]) -> Any:
    """Compile on first call, without the interpreter lock, and keep the machine code on disk.

    Numba drops a cached kernel when its own file changes, not when a file it calls into does. The stamp of the
    cache is therefore that of all kernel files, so that an edit to one never leaves another stale. A cache that cannot
    be read, because it names records that another version had, is an empty one.
    """
    compiled = njit(cache=True, nogil=True, error_model="numpy", **_WITHOUT_REFERENCE_COUNTS)(function)
    file = compiled._cache._cache_file
    file._source_stamp = _STAMP
    load_index = file._load_index

    def load_index_if_readable() -> Any:
        try:
            return load_index()
        except (AttributeError, ImportError, EOFError, UnpicklingError):
            return {}

    file._load_index = load_index_if_readable
    return compiled
