"""A command passes few files, so that a reader can follow it."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).parents[1] / "benchmarks" / "ways.py"
MOST_FILES = {"plan": 19, "train_paper": 40, "train_default": 50}


def test_plan_and_train_enter_few_files() -> None:
    done = subprocess.run([sys.executable, SCRIPT], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    counts = {name: int(files) for name, files in re.findall(r"^(\w+): (\d+) files", done.stdout, re.MULTILINE)}
    assert counts.keys() == MOST_FILES.keys()
    assert all(counts[name] <= most for name, most in MOST_FILES.items()), done.stdout
