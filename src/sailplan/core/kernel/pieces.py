"""Compilation of the functions that only kernels call: typed and lowered, but not turned into machine code.

Numba optimises every function and generates machine code for it, with all that it calls, before it does the same again
for the caller. Python never calls a piece of a kernel, so this is left to the kernel, which is optimised as a whole.
Only the passes over single functions run on a piece: without them a kernel would be so large that it takes longer.
"""

from __future__ import annotations

from numba import _dynfunc
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import register_pass
from numba.core.typed_passes import AnnotateTypes, NativeLowering


class PieceLibrary(JITCodeLibrary):
    """The code of a piece, which is linked into that of its callers."""

    def _optimize_final_module(self):
        """Leave it to the kernel."""

    def _finalize_final_module(self):
        """Generate no machine code."""
        self._finalize_dynamic_globals()
        self._finalized = True


@register_pass(mutates_CFG=True, analysis_only=False)
class PieceLowering(NativeLowering):
    """Lower a function, and make it known to its callers."""

    _name = "piece_lowering"

    def run_pass(self, state):
        """Lower the function without a pointer to machine code."""
        state.library = PieceLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        state.flags.no_compile = True
        super().run_pass(state)
        lowered, library = state.cr, state.library
        name = lowered.fndesc.qualname
        # Callers look a piece up by this object; it cannot be called.
        entry = _dynfunc.make_function(lowered.fndesc.lookup_module(), name, name, 0, lowered.env, (library,))
        state.targetctx.insert_user_function(entry, lowered.fndesc, [library])
        state.cr = lowered._replace(cfunc=entry)
        return True


class PieceCompiler(CompilerBase):
    """The passes of Numba, with another last one."""

    def define_pipelines(self):
        """Return the pipeline of a piece."""
        passes = DefaultPassBuilder.define_nopython_pipeline(self.state)
        passes.passes = [
            (PieceLowering, "lower a piece") if one is NativeLowering else (one, text)
            for one, text in passes.passes
            if one is not AnnotateTypes
        ]
        passes.finalize()
        return [passes]
