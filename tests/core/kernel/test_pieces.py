"""Pieces of kernels are compiled into the functions that call them, and only there."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np

from sailplan.core.kernel.compile import inlined, piece
from sailplan.core.kernel.pieces import PieceLibrary

# Not a `kernel`, which would be loaded from the cache the second time.
njit: Any = numba.njit


@inlined
def _square(number: Any) -> Any:
    return number * number


@piece
def _sum_of_squares(numbers: Any) -> Any:
    total = 0.0
    for number in numbers:
        total += _square(number)
    return total


@njit
def _root(numbers: Any) -> Any:
    return np.sqrt(_sum_of_squares(numbers))


@njit
def _mean(numbers: Any) -> Any:
    return _sum_of_squares(numbers) / len(numbers)


def test_functions_share_pieces() -> None:
    numbers = np.array([3.0, 4.0])
    assert (_root(numbers), _mean(numbers)) == (5.0, 12.5)
    assert _root(numbers.astype(np.int64)) == 5.0
    for function in (_square, _sum_of_squares):
        compiled = list(function.overloads.values())
        assert len(compiled) == 2
        assert {type(one.library) for one in compiled} == {PieceLibrary}


def test_machine_code_is_generated_for_the_caller_only() -> None:
    _root(np.array([3.0]))
    for one in _sum_of_squares.overloads.values():
        # It is inlined, and nothing else has its symbol.
        assert not one.library._codegen._engine.is_symbol_defined(one.fndesc.llvm_func_name)
