"""What systems other than Linux ask for: modules that Unix alone has, the encoding of texts, names of files."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

import sailplan
from sailplan.datasets import FAMILIES
from sailplan.errors import ModelError
from sailplan.experiments.systems import SYSTEMS
from sailplan.learning import ALGORITHMS
from sailplan.policies import load_policy

PACKAGE = Path(sailplan.__path__[0])
SOURCES = [*PACKAGE.rglob("*.py"), *(Path(__file__).parents[1] / "examples").glob("*.py")]
OPTIONAL = ("gymnasium", "matplotlib", "networkx", "pygame", "roboplan", "starlette", "torch", "uvicorn", "yaml")

IMPORT_EVERYTHING = """
import importlib, pkgutil, sys

for name in ("fcntl", "resource", "termios", "pwd", "grp", "pty", "tty"):
    sys.modules[name] = None
import sailplan

missing = set(sys.argv[1:])
# Dask itself imports what the system has.
with_dask = {f"sailplan.parallel.{name}" for name in ("cluster", "job", "local")}
for module in pkgutil.walk_packages(sailplan.__path__, "sailplan."):
    if module.name == "sailplan.__main__" or module.name in with_dask:
        continue
    try:
        importlib.import_module(module.name)
    except ModuleNotFoundError as error:
        if error.name not in missing:
            raise
"""


def test_no_module_needs_what_only_unix_has() -> None:
    missing = [name for name in OPTIONAL if find_spec(name) is None]
    command = [sys.executable, "-c", IMPORT_EVERYTHING, *missing]
    done = subprocess.run(command, env={**os.environ, "NUMBA_DISABLE_JIT": "1"}, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def _texts_without_encoding(tree: ast.Module) -> Iterator[int]:
    """Yield the lines of calls that read or write text in the encoding of the system."""
    for call in ast.walk(tree):
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute | ast.Name):
            named = {keyword.arg for keyword in call.keywords}
            name = call.func.attr if isinstance(call.func, ast.Attribute) else call.func.id
            mode = "".join(str(one.value) for one in call.args if isinstance(one, ast.Constant))
            opens = name in ("fdopen", "NamedTemporaryFile") or (name == "open" and mode in ("r", "w", "a", "x", "r+"))
            texts = name in ("read_text", "write_text") and isinstance(call.func, ast.Attribute)
            if (opens or texts or "text" in named) and "encoding" not in named:
                yield call.lineno


def test_texts_do_not_depend_on_the_encoding_of_the_system() -> None:
    trees = {path: ast.parse(path.read_text(encoding="utf-8")) for path in SOURCES}
    assert not [f"{path}:{line}" for path, tree in trees.items() for line in _texts_without_encoding(tree)]


def test_names_that_become_names_of_files_are_allowed_on_windows() -> None:
    names = [*(system.name for system in SYSTEMS), *ALGORITHMS, *FAMILIES]
    assert all(re.fullmatch("[a-z][a-z0-9_]*", name) for name in names)


def test_model_files_are_named_with_slashes_on_every_system(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sep", "\\")
    with pytest.raises(ModelError, match="runs/mine"):
        load_policy("runs/mine")
