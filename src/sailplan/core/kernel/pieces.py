"""Compilation of the functions that only kernels call: typed and lowered, but not turned into machine code.

Numba optimises every function and generates machine code for it, with all that it calls, before it does the same again
for the caller. Python never calls a piece of a kernel, so this is left to the kernel, which is optimised as a whole.
Only the passes over single functions run on a piece: without them a kernel would be so large that it takes longer.
"""

from __future__ import annotations

from llvmlite import binding
from numba import _dynfunc
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import register_pass
from numba.core.typed_passes import AnnotateTypes, NativeLowering


class PieceLibrary(JITCodeLibrary):
    """The code of one piece. What it calls is linked into kernels beside it, not into it: most pieces call others."""

    def finalize(self):
        """Leave it to the kernel to link, to optimise and to generate machine code."""
        for function in self._final_module.functions:
            if not function.is_declaration:
                # It may be linked several times, and is removed from a kernel in which it is inlined everywhere.
                function.linkage = "linkonce_odr"
        self._finalize_dynamic_globals()
        self._finalized = True

    def _get_module_for_linking(self):
        """Return the code with all that it calls, for callers that are no kernels."""
        module = self._final_module.clone()
        for library in callers_first(self._linking_libraries):
            is_piece = isinstance(library, PieceLibrary)
            module.link_in(library._final_module if is_piece else library._get_module_for_linking(), preserve=True)
        return module


class KernelLibrary(JITCodeLibrary):
    """The code of a kernel with all its pieces."""

    def finalize(self):
        """Link all pieces, then what else is called, optimise it and generate machine code."""
        libraries = callers_first(self._linking_libraries)
        for library in libraries:
            if isinstance(library, PieceLibrary):
                self._final_module.link_in(library._final_module, preserve=True)
        self._linking_libraries = [library for library in libraries if not isinstance(library, PieceLibrary)]
        super().finalize()

    def serialize_using_object_code(self):
        """Return the machine code, and the code for callers, which is not kept: few kernels have callers."""
        data = super().serialize_using_object_code()
        self._shared_module = None
        return data


def callers_first(libraries):
    """Return libraries and those that they need, each once, and after all that need it.

    LLVM leaves out a function that nothing calls which has been linked before it.
    """
    callees_first = {}

    def visit(library):
        if library not in callees_first:
            for one in library._linking_libraries if isinstance(library, PieceLibrary) else ():
                visit(one)
            callees_first[library] = None

    for library in libraries:
        visit(library)
    return list(reversed(callees_first))


@register_pass(mutates_CFG=True, analysis_only=False)
class KernelLowering(NativeLowering):
    """Lower a function that Python calls."""

    _name = "kernel_lowering"

    def run_pass(self, state):
        """Lower the function, and generate machine code."""
        state.library = KernelLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library.enable_object_caching()
        return super().run_pass(state)


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


class KernelCompiler(CompilerBase):
    """The passes of Numba, with another last one."""

    lowering = KernelLowering

    def define_pipelines(self):
        """Return the pipeline of a kernel or a piece."""
        passes = DefaultPassBuilder.define_nopython_pipeline(self.state)
        passes.passes = [
            (self.lowering, "lowering") if one is NativeLowering else (one, text)
            for one, text in passes.passes
            if one is not AnnotateTypes
        ]
        passes.finalize()
        return [passes]


class PieceCompiler(KernelCompiler):
    """The same for pieces."""

    lowering = PieceLowering


def free_pass_managers():
    """Let llvmlite free the passes that a function was compiled with, and their tables.

    Its pass managers inherit a method that frees them, but before it one that does nothing.
    """
    managers = getattr(binding, "newpassmanagers", None)
    if managers and "_dispose" in vars(managers.NewPassManager):
        for kind in (managers.ModulePassManager, managers.FunctionPassManager):
            kind._dispose = managers.NewPassManager._dispose


free_pass_managers()
