"""Compilation of kernels, their cache on disk, and dispatch on the classes of graphs and policies.

With `NUMBA_DISABLE_JIT=1` every kernel runs as plain Python, for debugging and for measuring coverage.
"""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Callable, Iterator
from functools import lru_cache, wraps
from pathlib import Path
from pickle import UnpicklingError
from typing import Any

from numba import config, njit, types
from numba.core.caching import FunctionCache, IndexDataCacheFile
from numba.core.errors import TypingError
from numba.extending import overload

_PACKAGE = Path(__file__).parents[2]
_SOURCES = sorted([*_PACKAGE.rglob("kernel.py"), *_PACKAGE.rglob("kernel/*.py")])
_STAMP = tuple((str(path.relative_to(_PACKAGE)), path.stat().st_mtime_ns, path.stat().st_size) for path in _SOURCES)

_KERNEL: dict[str, Any] = {
    "nogil": True,
    "error_model": "numpy",
    # Kernels allocate nothing and need no reference counts. With them, every call that passes a record of arrays
    # would update the counts of all arrays, which takes several times as long as the work itself.
    "_nrt": False,
}
_PIECE: dict[str, Any] = {
    **_KERNEL,
    # Python never calls a piece directly; its wrappers would only add to the compile time.
    "no_cpython_wrapper": True,
    "no_cfunc_wrapper": True,
}
_INLINED: dict[str, Any] = {**_PIECE, "forceinline": True}

inlined = njit(**_INLINED)
"""Decorator for a short function that only kernels call; it is inlined."""

piece = njit(**_PIECE)
"""Decorator for a long function that only kernels call; it is not inlined."""

cache_problem: list[str] = []
"""The reason why compiled kernels cannot be cached on disk, in a single entry; empty if they can."""


def kernel(function: Callable[..., Any]) -> Any:
    """Compile a function on its first call, and cache the machine code on disk if possible.

    The compiled function releases the global interpreter lock.

    Parameters
    ----------
    function
        A function of numbers, arrays and records of arrays.

    Returns
    -------
    callable
        The compiled function.
    """
    compiled = njit(**_KERNEL)(function)
    if config.DISABLE_JIT:
        return compiled
    try:
        compiled._cache = _KernelCache(function)
    except RuntimeError:
        # Neither the folder of the package nor the cache folder of the user is writable.
        cache_problem[:] = ["no folder for compiled code is writable (set NUMBA_CACHE_DIR to one that is)"]
    return compiled


def dispatched(on: str, *, default: bool = False) -> Callable[[Callable[..., Any]], Any]:
    """Declare a function that is dispatched on the class of one of its arguments, a record of arrays.

    `function.register(SomeArrays)` is a decorator that adds the implementation for a class and its subclasses. Any
    module can use it, also outside of this package. Numba selects the implementation when it compiles the caller.

    Parameters
    ----------
    on
        The name of the argument.
    default
        Whether the declared function is the implementation for classes that register none.

    Returns
    -------
    callable
        A decorator for the declared function.

    Raises
    ------
    numba.core.errors.TypingError
        When the function is called with a class that has no implementation.

    Examples
    --------
    >>> from typing import NamedTuple
    >>> class Disc(NamedTuple):
    ...     radius: float
    >>> @dispatched("shape")
    ... def area(shape):
    ...     '''Return the area of a shape.'''
    >>> @area.register(Disc)
    ... def _(shape):
    ...     return 3.14 * shape.radius ** 2
    >>> area(Disc(2.0))
    12.56
    """

    def declare(function: Callable[..., Any]) -> Any:
        position = list(inspect.signature(function).parameters).index(on)
        bodies: dict[type, Callable[..., Any]] = {}

        def body_for(kind: type) -> Callable[..., Any]:
            for one in kind.__mro__:
                if one in bodies:
                    return bodies[one]
            if default:
                return function
            raise TypingError(f"{kind.__name__} registers no implementation of {function.__name__}()")

        @wraps(function)
        def call(*arguments: Any) -> Any:
            return body_for(type(arguments[position]))(*arguments)

        def pick(*arguments: Any) -> Any:
            kind = getattr(arguments[position], "instance_class", None)
            return None if kind is None else body_for(kind)

        def register(*kinds: type) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
            def add(body: Callable[..., Any]) -> Callable[..., Any]:
                for kind in kinds:
                    bodies[kind] = body
                    _FILES.setdefault(kind, set()).add(inspect.getfile(body))
                return body

            return add

        overload(call, jit_options=_INLINED, strict=False)(pick)
        call.register = register  # type: ignore[attr-defined]
        return call

    return declare


_FILES: dict[type, set[str]] = {}
"""The files with the implementations that are registered for each class."""


class _KernelCache(FunctionCache):  # type: ignore[misc]
    """The cache of the compiled code of one kernel.

    Numba invalidates cached code when the file of the kernel changes, but not when a file that it calls changes. Here
    the stamp covers all kernel files. Code that was compiled for classes from outside of the package is stored in a
    separate index, named by these classes and stamped with their files: other programs cannot read it, because they
    lack the classes.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        self._files = lru_cache(maxsize=None)(self._file_for)
        self._cache_file = self._files(())

    def _file_for(self, foreign: tuple[tuple[str, ...], ...]) -> _IndexFile:
        name: str = self._impl.filename_base
        if foreign:
            name += "." + hashlib.sha256(repr(foreign).encode()).hexdigest()[:16]
        return _IndexFile(self._cache_path, name, (_STAMP, foreign))

    def _load_overload(self, signature: Any, target_context: Any) -> Any:
        return super()._load_overload(signature, target_context) if self._open_file(signature) else None

    def _save_overload(self, signature: Any, data: Any) -> None:
        if self._open_file(signature):
            super()._save_overload(signature, data)

    def _open_file(self, signature: Any) -> bool:
        """Select the index for a signature; false if a class belongs to a script and cannot be imported."""
        foreign = _foreign_kinds(signature)
        if any(module == "__main__" for module, *_ in foreign):
            return False
        self._cache_file = self._files(foreign)
        return True


class _IndexFile(IndexDataCacheFile):  # type: ignore[misc]
    """An index that is empty if it cannot be read, for example because it names classes of another version."""

    def _load_index(self) -> Any:
        try:
            return super()._load_index()
        except (AttributeError, ImportError, EOFError, UnpicklingError):
            return {}


def _foreign_kinds(signature: Any) -> tuple[tuple[str, ...], ...]:
    """Return the classes of records in a signature that are not from this package, with a stamp of their files."""
    arguments = signature if isinstance(signature, tuple) else signature.args
    kinds = {kind for one in arguments for kind in _record_classes(one)}
    foreign = []
    for kind in kinds:
        if kind.__module__.partition(".")[0] != __name__.partition(".")[0]:
            files = sorted(_FILES.get(kind, ()))
            stamps = [f"{file} {Path(file).stat().st_mtime_ns}" for file in files]
            foreign.append((kind.__module__, kind.__qualname__, *stamps))
    return tuple(sorted(foreign))


def _record_classes(kind: Any) -> Iterator[type]:
    if isinstance(kind, types.BaseNamedTuple):
        yield kind.instance_class
    if isinstance(kind, types.BaseTuple):
        for one in kind:
            yield from _record_classes(one)
