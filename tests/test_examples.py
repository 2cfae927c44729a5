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
import runpy
from sailplan.core.kernel.loop import advance
runpy.run_path("my_compiled_kinds.py", run_name="__main__")
print(sum(advance.stats.cache_misses.values()), "compiled")
"""


def test_kinds_from_outside_the_package_are_compiled_once(tmp_path: Path) -> None:
    shutil.copytree(FOLDER, tmp_path / "examples")
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "cache")}

    def run() -> str:
        command = [sys.executable, "-c", COUNT_COMPILATIONS]
        done = subprocess.run(command, cwd=tmp_path / "examples", env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        assert "depth-first" in done.stdout
        return done.stdout.splitlines()[-1]

    assert run() != "0 compiled"
    assert run() == "0 compiled"
    with (tmp_path / "examples" / "hexagons.py").open("a") as file:
        file.write("\n# An edit.\n")
    assert run() != "0 compiled"
