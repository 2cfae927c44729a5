"""Small runs of the benchmarks of the server: load, and malformed requests."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).parents[2] / "benchmarks"


def _run(script: str, *options: str) -> str:
    command = [sys.executable, str(FOLDER / script), *options]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Traceback" not in done.stderr, done.stderr
    return done.stdout


def test_load() -> None:
    printed = _run("web_load.py", "--searches", "200", "--policy", "h_euc", "--side", "61", "--queue", "16")
    assert "'200': 200" in printed


def test_malformed_requests() -> None:
    assert _run("web_fuzz.py", "--count", "400", "--seed", "11", "--quick").endswith("passed\n")
