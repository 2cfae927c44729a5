"""A user who may write nothing but the results: a read-only package, and no folder for caches."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import sailplan
from sailplan.datasets import generate_world, write_png
from tests.cli.conftest import Ran

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="takes the rights of root away by setpriv")

TINY = (
    *("--algorithm", "cem", "--rounds", "1", "--vectors", "2", "--worlds-per-vector", "1", "--hidden", "2"),
    *("--features", "relative", "--max-expansions", "20", "--validation-expansions", "20", "--jobs", "1"),
)


@pytest.fixture(scope="module")
def closed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder with a copy of the package, an empty home and some maps, none of which can be written to."""
    folder = tmp_path_factory.mktemp("closed")
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(sailplan.__path__[0], folder / "package" / "sailplan", ignore=ignored)
    (folder / "home").mkdir()
    for index in range(4):
        write_png(generate_world("forest", 0, index, width=9, height=9), folder / "maps" / f"{index}.png")
    inside = [folder, *folder.rglob("*")]
    for path in inside:
        path.chmod(0o555 if path.is_dir() else 0o444)
    yield folder
    for path in inside:
        path.chmod(0o755)


def run_closed(closed: Path, cwd: Path, *arguments: object, home: bool = True, compiled: bool = False) -> Ran:
    """Run the command line as a user whom permissions bind, which they do not root."""
    bound = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"] if os.geteuid() == 0 else []
    command = [*bound, sys.executable, "-m", "sailplan", *map(str, arguments)]
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(closed / "package")}
    environment |= {"HOME": str(closed / "home")} if home else {}
    # Compilation takes long where it cannot be cached, so that one test has to do.
    environment |= {} if compiled else {"NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False)
    return Ran(done.returncode, done.stdout, done.stderr)


def test_the_version_is_printed_without_a_home(closed: Path, tmp_path: Path) -> None:
    assert run_closed(closed, tmp_path, "--version", home=False) == Ran(0, f"sailplan {sailplan.__version__}\n", "")


def test_a_plan_has_one_note(closed: Path, tmp_path: Path) -> None:
    ran = run_closed(closed, tmp_path, "plan", closed / "maps" / "0.png", "--policy", "h_euc", compiled=True)
    assert ran.code == 0, ran.error
    assert ran.error.startswith("note: no folder for compiled code is writable")
    assert ran.error.count("\n") == 1


def test_a_policy_is_trained_and_evaluated_without_a_word(closed: Path, tmp_path: Path) -> None:
    trained = run_closed(closed, tmp_path, "train", "--data", closed / "maps", *TINY, "--out", "run")
    assert (trained.code, trained.error) == (0, "")
    assert (tmp_path / "run" / "convergence.png").exists()
    policies = "h_euc,run/model.safetensors"
    evaluated = run_closed(closed, tmp_path, "evaluate", "--data", closed / "maps", "--policies", policies)
    assert (evaluated.code, evaluated.error) == (0, "")
