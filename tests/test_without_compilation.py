"""With NUMBA_DISABLE_JIT=1 every kernel is plain Python and does the same; so it can be stepped through."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).parent / "plain_kernels.py"


def test_every_kernel_runs_as_plain_python() -> None:
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    command = [sys.executable, "-W", "error", str(SCRIPT)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
