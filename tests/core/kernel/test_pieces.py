"""Pieces of kernels are compiled into the functions that call them, and only there."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np

from sailplan.core.kernel.compile import inlined, piece
from sailplan.core.kernel.pieces import PieceLibrary


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
