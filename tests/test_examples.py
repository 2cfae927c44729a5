"""Every example runs."""

from __future__ import annotations

import os
import runpy
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SHORTER = {"train_an_agent": ["--steps", "256", "--worlds", "2"]}
"""Arguments that make a long example short."""
FOLDER = Path(__file__).parents[1] / "examples"
EXAMPLES = sorted(path for path in FOLDER.glob("*.py") if "__main__" in path.read_text())


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(path.parent)
    monkeypatch.setattr("sys.argv", [str(path), *SHORTER.get(path.stem, [])])
    runpy.run_path(str(path), run_name="__main__")
    assert capsys.readouterr().out


def test_there_are_examples() -> None:
    assert len(EXAMPLES) >= 3


COUNT_COMPILATIONS = """
import numpy as np
from hexagons import DepthFirst, HexGraph
from sailplan.core import Problem, search
from sailplan.core.kernel.loop import advance
from sailplan.policies import breadth_first
from sailplan.testing import draw_problem

hexagons = Problem(HexGraph(np.zeros((4, 4), bool)), 0, 15)
for problem, policy in [(hexagons, breadth_first()), (hexagons, DepthFirst()), (draw_problem("S.G"), DepthFirst())]:
    assert search(problem, policy, engine="compiled").found
print(sum(advance.stats.cache_misses.values()))
"""
"""A graph from outside the package, a policy from outside, and both; each has to be compiled on its own."""


def test_kinds_from_outside_the_package_are_compiled_once(tmp_path: Path) -> None:
    shutil.copytree(FOLDER, tmp_path / "examples")
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "cache")}

    def compilations() -> int:
        command = [sys.executable, "-c", COUNT_COMPILATIONS]
        done = subprocess.run(command, cwd=tmp_path / "examples", env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return int(done.stdout)

    assert compilations() == 3
    assert compilations() == 0
    with (tmp_path / "examples" / "hexagons.py").open("a") as file:
        file.write("\n# An edit.\n")
    assert compilations() == 3
