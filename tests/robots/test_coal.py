"""The sphere checker agrees with coal on the same model, where coal and pinocchio are installed."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

from tests.robots.arms import GROUPS

for package in ("coal", "pinocchio", "yaml"):
    pytest.importorskip(package)

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "sphere_checker.py"


@pytest.mark.parametrize("name", GROUPS)
def test_verdicts_are_those_of_coal(name: str, shared_data: Path) -> None:
    counts = runpy.run_path(str(SCRIPT))["compare"](shared_data / "arms", name, 700, 7, {})
    assert counts["both valid"] + counts["both invalid"] == 700
    assert min(counts["both valid"], counts["both invalid"]) > 50
