"""With NUMBA_DISABLE_JIT=1 every kernel is plain Python and does the same; so it can be stepped through."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from sailplan.datasets import write_png
from sailplan.testing import draw_world

SCRIPT = Path(__file__).parent / "plain_kernels.py"


def test_every_kernel_runs_as_plain_python() -> None:
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    command = [sys.executable, "-W", "error", str(SCRIPT)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


PLAN_WITHOUT_A_CACHE = """
import sys

from numba.core.caching import CacheImpl

CacheImpl._locator_classes = []  # as where neither the package nor a folder of the user's can be written to
from sailplan.cli.main import main

main(["plan", sys.argv[1], "--policy", "h_euc"])
"""


def test_without_a_folder_for_compiled_code_everything_runs_with_a_note(tmp_path: Path) -> None:
    write_png(draw_world("..."), tmp_path / "map.png")
    command = [sys.executable, "-c", PLAN_WITHOUT_A_CACHE, str(tmp_path / "map.png")]
    environment = {name: value for name, value in os.environ.items() if name != "HOME"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "3 cells, cost 2.0" in done.stdout
    assert done.stderr.startswith("note: no folder for compiled code is writable")
    assert done.stderr.count("\n") == 1
