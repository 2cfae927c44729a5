"""How kernels are compiled, cached on disk, and given bodies for each kind of graph and policy.

With `NUMBA_DISABLE_JIT=1` every kernel is plain Python, so that it can be stepped through and measured for coverage.
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
    # A kernel allocates nothing, so nothing in it needs reference counts: without this, every call that passes a
    # record of arrays would count references to each of them, which costs several times the work itself.
    "_nrt": False,
}
_PIECE: dict[str, Any] = {
    **_KERNEL,
    # Python never calls a piece directly; the wrappers would only add to the time of compilation.
    "no_cpython_wrapper": True,
    "no_cfunc_wrapper": True,
}
_INLINED: dict[str, Any] = {**_PIECE, "forceinline": True}

inlined = njit(**_INLINED)
"""Decorator of a short function that only kernels call; it is inlined."""

piece = njit(**_PIECE)
"""Decorator of a long function that only kernels call; it stays a function of its own."""

cache_problem: list[str] = []
"""Why compiled kernels cannot be kept on disk, in a single entry; empty where they can."""


def kernel(function: Callable[..., Any]) -> Any:
    """Compile on first call, without the interpreter lock, and keep the machine code on disk where that is possible."""
    compiled = njit(**_KERNEL)(function)
    if config.DISABLE_JIT:
        return compiled
    try:
        compiled._cache = _KernelCache(function)
    except RuntimeError:
        # Neither the package's folder nor a folder of the user's can be written to.
        cache_problem[:] = ["no folder for compiled code can be written to (set NUMBA_CACHE_DIR to one that can)"]
    return compiled


def dispatched(on: str, *, default: bool = False) -> Callable[[Callable[..., Any]], Any]:
    """Declare a function whose body depends on the class of one of its arguments, a record of arrays.

    `function.register(SomeArrays)` adds the body for a class and its subclasses; any module may do so, inside this
    package or outside. Numba picks the body when it compiles the caller. With `default` the declared body serves the
    classes that have none of their own.

    Parameters
    ----------
    on
        The name of the argument.
    default
        Whether the declared function has a body.

    Examples
    --------
    >>> from typing import NamedTuple
    >>> class Disc(NamedTuple):
    ...     radius: float
    >>> @dispatched("shape")
    ... def area(shape):
    ...     '''The area of a shape.'''
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
            raise TypingError(f"{kind.__name__} registers no body for {function.__name__}()")

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
"""The files with the bodies that are registered for each class."""


class _KernelCache(FunctionCache):  # type: ignore[misc]
    """The compiled code of one kernel on disk.

    Numba drops cached code when the kernel's own file changes, not when a file it calls into does. Here the stamp is
    that of all kernel files. Code that was compiled for classes from outside the package goes to an index of its own,
    named by these classes and stamped with their files too: other programs cannot read it, as they lack the classes.
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
        """Go to the index for a signature; false where a class belongs to a script, which nobody can import."""
        foreign = _foreign_kinds(signature)
        if any(module == "__main__" for module, *_ in foreign):
            return False
        self._cache_file = self._files(foreign)
        return True


class _IndexFile(IndexDataCacheFile):  # type: ignore[misc]
    """An index that is empty where it cannot be read, for example because it names records of another version."""

    def _load_index(self) -> Any:
        try:
            return super()._load_index()
        except (AttributeError, ImportError, EOFError, UnpicklingError):
            return {}


def _foreign_kinds(signature: Any) -> tuple[tuple[str, ...], ...]:
    """The classes of records in a signature that come from outside the package, with a stamp of their files."""
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
