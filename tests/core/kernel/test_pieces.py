"""Pieces of kernels are compiled into the functions that call them, and only there."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
import pytest
from llvmlite.binding import ffi, newpassmanagers
from numba.core.caching import NullCache
from numba.core.codegen import JITCodeLibrary

from sailplan.core.kernel.compile import inlined, kernel, piece
from sailplan.core.kernel.pieces import KernelLibrary, PieceLibrary


def _plain_sum_of_squares(numbers: Any) -> float:
    total = 0.0
    for number in numbers:
        total += square(number)
    return total


square: Any = inlined(lambda number: number * number)
sum_of_squares: Any = piece(_plain_sum_of_squares)
# No kernels, which would be loaded from the cache the second time.
root: Any = numba.njit(lambda numbers: np.sqrt(sum_of_squares(numbers)))
mean: Any = numba.njit(lambda numbers: sum_of_squares(numbers) / len(numbers))


def _plain_never_adds(number: float) -> float:
    times = 0
    # LLVM removes the call.
    return float(plus_one(number) if times > 1 else number)


def _plain_add_one(number: float) -> float:
    return number + 1.0


plus_one: Any = piece(lambda number: number + 1.0)
never_adds: Any = piece(_plain_never_adds)
adds_twice: Any = piece(lambda number: plus_one(plus_one(number)))


def test_functions_share_pieces() -> None:
    numbers = np.array([3.0, 4.0])
    assert (root(numbers), mean(numbers)) == (5.0, 12.5)
    assert root(numbers.astype(np.int64)) == 5.0
    for function in (square, sum_of_squares):
        compiled = list(function.overloads.values())
        assert len(compiled) == 2
        assert {type(one.library) for one in compiled} == {PieceLibrary}


def test_machine_code_is_generated_for_the_caller_only() -> None:
    root(np.array([3.0]))
    for one in sum_of_squares.overloads.values():
        # It is inlined, and nothing else has its symbol.
        assert not one.library._codegen._engine.is_symbol_defined(one.fndesc.llvm_func_name)


@pytest.mark.parametrize("compiled_by", [kernel, numba.njit])
def test_a_piece_is_linked_after_all_that_may_call_it(compiled_by: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first piece that names `plus_one` does not call it any more; the second one does."""
    add = compiled_by(lambda number: never_adds(number) + adds_twice(number))
    monkeypatch.setattr(add, "_cache", NullCache())
    assert add(1.0) == 4.0
    library = KernelLibrary if compiled_by is kernel else JITCodeLibrary
    assert [type(one.library) for one in add.overloads.values()] == [library]


def test_a_piece_holds_its_own_code_only() -> None:
    root(np.array([3.0]))
    for one in sum_of_squares.overloads.values():
        defined = {function.name for function in one.library.get_defined_functions()}
        assert defined == {one.fndesc.llvm_func_name}


def test_passes_are_freed(monkeypatch: pytest.MonkeyPatch) -> None:
    """In a long run they would take more memory than the code."""
    freed: list[object] = []
    for name in ("LLVMPY_DisposeNewModulePassManger", "LLVMPY_DisposeNewFunctionPassManger"):
        monkeypatch.setitem(ffi.lib._fntab, name, freed.append)
    assert numba.njit(lambda number: number + 1.0)(1.0) == 2.0
    kinds = {type(one) for one in freed}
    assert kinds == {newpassmanagers.ModulePassManager, newpassmanagers.FunctionPassManager}


def test_a_kernel_does_not_keep_a_copy_for_callers(monkeypatch: pytest.MonkeyPatch) -> None:
    add_one = kernel(_plain_add_one)
    monkeypatch.setattr(add_one, "_cache", NullCache())
    assert add_one(1.0) == 2.0
    (library,) = (one.library for one in add_one.overloads.values())
    assert library.serialize_using_object_code()[1] == "object"
    assert library._shared_module is None
    calls = numba.njit(lambda number: add_one(number) * 2.0)
    assert calls(1.0) == 4.0
