"""The cycle counter of the processor, which measures the phases of a compiled search."""

from __future__ import annotations

import platform
from time import perf_counter_ns

from llvmlite import ir
from numba import config, types
from numba.extending import intrinsic

_HAS_COUNTER = platform.machine().lower() in ("x86_64", "amd64", "i386", "i686")
"""Other processors do not allow user programs to read the counter; there every reading is zero."""


@intrinsic
def cycles(typing_context):
    """Return the current cycle count; only differences are meaningful."""

    def read(context, builder, signature, arguments):
        word = ir.IntType(64)
        if not _HAS_COUNTER:
            return word(0)
        counter = builder.module.declare_intrinsic("llvm.readcyclecounter", fnty=ir.FunctionType(word, []))
        return builder.call(counter, [])

    return types.int64(), read


if config.DISABLE_JIT:
    cycles = perf_counter_ns
