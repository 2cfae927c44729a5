from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
_LINT = "import sys; from importlinter.cli import lint_imports; sys.exit(lint_imports(no_cache=True))"


def test_imports_go_down_only() -> None:
    done = subprocess.run([sys.executable, "-c", _LINT], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


ALLOWED_IN_KERNELS = {"numpy", "numba", "llvmlite", *sys.stdlib_module_names}


def test_kernels_import_numpy_numba_and_other_kernels_only() -> None:
    package = ROOT / "src" / "sailplan"
    kernels = [path for path in package.rglob("*.py") if "kernel" in (path.stem, path.parent.name)]
    assert len(kernels) > 20
    for path in kernels:
        for node in ast.walk(ast.parse(path.read_text())):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            for name in names:
                root, *parts = name.split(".")
                assert root in ALLOWED_IN_KERNELS or (root == "sailplan" and "kernel" in parts), f"{path}: {name}"
