"""The page of results agrees with its records."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


def test_the_results_are_those_of_the_records(tmp_path: Path) -> None:
    """The page is what `make results` writes from the records, and no figure in it was typed."""
    page = tmp_path / "results.md"
    command = [sys.executable, "benchmarks/results.py", "page", "--out", str(page)]
    subprocess.run(command, cwd=ROOT, check=True)
    assert page.read_text(encoding="utf-8") == (ROOT / "docs" / "results.md").read_text(encoding="utf-8")
    for figure in ("results_expansions.png", "results_evaluations.png"):
        assert (tmp_path / figure).exists()
        assert (ROOT / "docs" / figure).exists()
