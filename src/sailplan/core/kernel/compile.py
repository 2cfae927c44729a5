"""Compilation of kernels, and dispatch on the classes of graphs and policies.

With `NUMBA_DISABLE_JIT=1` every kernel runs as plain Python, for debugging and for measuring coverage.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from threading import local
from time import perf_counter
from typing import Any

from numba import config, njit
from numba.core.errors import TypingError
from numba.extending import overload

from sailplan.core.kernel.cache import KernelCache, cache_problem, registered_files
from sailplan.core.kernel.pieces import KernelCompiler, PieceCompiler

_KERNEL: dict[str, Any] = {
    "nogil": True,
    "error_model": "numpy",
    # Kernels allocate nothing and need no reference counts. With them, every call that passes a record of arrays
    # would update the counts of all arrays, which takes several times as long as the work itself.
    "_nrt": False,
    "pipeline_class": KernelCompiler,
}
_PIECE: dict[str, Any] = {
    **_KERNEL,
    # Python never calls a piece directly; its wrappers would only add to the compile time.
    "no_cpython_wrapper": True,
    "no_cfunc_wrapper": True,
    "pipeline_class": PieceCompiler,
}
_INLINED: dict[str, Any] = {**_PIECE, "forceinline": True}

inlined = njit(**_INLINED)
"""Decorator for a short function that only kernels call; it is inlined."""

piece = njit(**_PIECE)
"""Decorator for a long function that only kernels call; it is not inlined."""


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
    compiled.compile = _measured(compiled.compile)
    try:
        compiled._cache = KernelCache(function)
    except RuntimeError:
        # Neither the folder of the package nor the cache folder of the user is writable.
        cache_problem[:] = ["no folder for compiled code is writable (set NUMBA_CACHE_DIR to one that is)"]
    return compiled


class _Compilation(local):
    """What each thread has spent to compile kernels."""

    seconds = 0.0
    """Time in which this thread has compiled or loaded kernels, or has waited for another thread that did."""
    active = False


compilation = _Compilation()


def _measured(compile_for: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function of Numba that compiles a kernel or loads it from the cache, and measure its time."""

    @wraps(compile_for)
    def compile_measured(*arguments: Any) -> Any:
        # A kernel that calls another kernel compiles it as well; its time is counted once.
        if compilation.active:
            return compile_for(*arguments)
        began = perf_counter()
        compilation.active = True
        try:
            return compile_for(*arguments)
        finally:
            compilation.active = False
            compilation.seconds += perf_counter() - began

    return compile_measured


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
                    registered_files.setdefault(kind, set()).add(inspect.getfile(body))
                return body

            return add

        overload(call, jit_options=_INLINED, strict=False)(pick)
        call.register = register  # type: ignore[attr-defined]
        return call

    return declare
