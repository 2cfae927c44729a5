"""The fuzzer finds what is wrong, and a few hundred inputs of each target find nothing."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from pathlib import Path

import pytest
from fuzz.readers import formats

ROOT = Path(__file__).resolve().parents[1]
PLAIN = {"kernels": 60, "readers": 300, "models": 300, "arguments": 100, "run_folders": 60}
"""The targets that compile nothing, and how many inputs of each are tried."""


def _fuzz(out: Path, *options: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "fuzz", "--seed", "0", "--jobs", "1", "--minutes", "50", "--out", str(out)]
    command += map(str, options)
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("target", PLAIN)
def test_a_few_inputs_of_each_target(target: str, tmp_path: Path) -> None:
    done = _fuzz(tmp_path, "--targets", target, "--inputs", PLAIN[target], "--json", tmp_path / "counts.json")
    assert done.returncode == 0, done.stdout + done.stderr
    (row,) = json.loads((tmp_path / "counts.json").read_text())["targets"]
    assert row["inputs"] == PLAIN[target]
    assert 0 < row["refused"] < row["inputs"]


@pytest.mark.parametrize(("target", "number"), [("kernels", 178), ("readers", 27891)])
def test_what_was_found_before(target: str, number: int) -> None:
    """A kernel wrote beyond its scratch arrays; a URDF with a link that is given twice ended in StopIteration."""
    command = [sys.executable, "-m", "fuzz", "--targets", target, "--seed", "1616", "--only", str(number)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_faults_are_found_saved_and_repeated(tmp_path: Path) -> None:
    name = "tests.faulty_targets:Faulty"
    done = _fuzz(tmp_path, "--targets", name, "--inputs", 10)
    assert done.returncode == 1, done.stderr
    assert "9 inputs, 2 faults" in done.stdout
    assert "input 5: the worker ended with code -11" in done.stdout
    assert f"python -m fuzz --targets {name} --seed 0 --only 3" in done.stdout
    (saved,) = (tmp_path / "0").glob("*.bin")
    assert saved.read_bytes() == b"!"
    assert "ZeroDivisionError" in _fuzz(tmp_path, "--targets", name, "--only", 3).stdout


def test_a_target_that_cannot_be_made_is_tried_once(tmp_path: Path) -> None:
    done = _fuzz(tmp_path, "--targets", "tests.faulty_targets:Unmade")
    assert done.returncode == 1, done.stderr
    assert done.stdout.count("input 0: the worker ended with code 1 before its first input: ") == 1
    assert "ValueError: no target today" in done.stdout


def test_mutations_depend_on_the_seed_alone(tmp_path: Path) -> None:
    for one in formats(tmp_path / "seeds"):
        for change in one.mutations:
            drawn = [change(one.seeds[0], random.Random(7), list(one.seeds)) for _ in range(2)]
            assert drawn[0] == drawn[1]
