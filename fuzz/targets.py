"""The targets by name."""

from __future__ import annotations

import importlib
import os
import sys
from dataclasses import dataclass
from pathlib import Path

from fuzz.target import Target


@dataclass(frozen=True)
class Entry:
    """Where a target is, and how it is run. It is imported by the process that needs it."""

    module: str
    name: str
    plain: bool = True
    """Whether kernels run as plain Python: nothing is compiled, and an index outside of an array is an exception."""

    def make(self, folder: Path) -> Target:
        """Make the target; it may write to the folder."""
        if self.plain and "numba" not in sys.modules:
            os.environ["NUMBA_DISABLE_JIT"] = "1"
        target: Target = getattr(importlib.import_module(self.module), self.name)(folder)
        return target


TARGETS: dict[str, Entry] = {
    "engines": Entry("fuzz.engines", "Engines", plain=False),
    "kernels": Entry("fuzz.engines", "Kernels"),
    "readers": Entry("fuzz.readers", "Readers"),
    "models": Entry("fuzz.models", "Models"),
    "arguments": Entry("fuzz.arguments", "Arguments"),
    "run_folders": Entry("fuzz.run_folders", "RunFolders"),
}
"""The targets."""


def entry_of(name: str) -> Entry:
    """Return the target of a name, or of a class that is named as `module:Class`."""
    module, _, kind = name.partition(":")
    return Entry(module, kind) if kind else TARGETS[name]
