from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import sailplan
from sailplan.datasets import FAMILIES
from sailplan.learning import DEFAULT
from sailplan.policies import CATALOGUE, PRETRAINED, policy_groups
from sailplan.policies.catalogue import PRETRAINED_KINDS
from tests.cli.conftest import Run, assert_one_line


def test_version_and_help(run: Run) -> None:
    assert run("--version").out == f"sailplan {sailplan.__version__}\n"
    for arguments in (["--help"], ["plan", "--help"], ["worlds", "generate", "--help"]):
        ran = run(*arguments)
        assert ran.code == 0
        assert "Usage" in ran.out


def test_no_command_shows_the_help(run: Run) -> None:
    ran = run()
    assert "Usage" in ran.out + ran.error
    assert ran.code == 2


def test_an_unknown_command_is_one_line(run: Run) -> None:
    assert_one_line(run("fly"), "fly")


def test_policies_lists_the_catalogue(run: Run) -> None:
    listed = json.loads(run("policies", "--json").out)
    assert {one["policy"] for one in listed} == {*CATALOGUE, *PRETRAINED}
    assert len(listed) == len(CATALOGUE) + len(PRETRAINED)
    assert all(one.keys() == {"policy", "summary", "group"} and one["summary"] for one in listed)
    assert all(one["group"] == CATALOGUE[one["policy"]].group for one in listed if one["policy"] in CATALOGUE)


@pytest.mark.parametrize("width", [60, 80, 120])
def test_policies_are_readable_in_groups(run: Run, monkeypatch: pytest.MonkeyPatch, width: int) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    lines = run("policies").out.splitlines()
    assert max(map(len, lines)) <= width
    text = " ".join(" ".join(lines).split())
    assert "…" not in text
    assert text.count("sail:") < 4, "the pretrained policies are folded"
    words = re.findall(r"[\w:*-]+", text)
    assert {*CATALOGUE, *FAMILIES, *(f"{kind}:FAMILY" for kind in PRETRAINED_KINDS), "sail:any"} <= set(words)
    for group in policy_groups():
        assert f"{group.title} {group.guidance}" in text


def test_the_demo_leaves_what_it_says(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shorter = DEFAULT.changed(training_worlds=6, worlds_per_round=4, validation_worlds=2, steps=2, routes=3)
    shorter = shorter.changed(search_steps=2, search_pairs=2)
    monkeypatch.setattr("sailplan.cli.demo.SETTINGS", shorter)
    monkeypatch.setitem(sys.modules, "torch", None)  # it is not needed
    ran = run("demo", "--out", tmp_path / "tour", "--worlds", 2, "--rounds", 1)
    assert ran.code == 0
    assert str(tmp_path / "tour") in ran.out
    made = {path.name for path in (tmp_path / "tour").iterdir()}
    assert {"records.csv", "table.md", "report.html", "mazes.png", "alternating_gaps.gif", "training"} <= made
    assert (tmp_path / "tour" / "training" / "model.safetensors").exists()
    assert (tmp_path / "tour" / "report.html").read_text(encoding="utf-8").count('class="scene"') == 3


def test_ctrl_c_is_one_line_and_leaves_no_file(tmp_path: Path) -> None:
    records = tmp_path / "records.csv"
    command = ["evaluate", "--data", "gaps_and_forest", "--policies", "dijkstra,mha_star", "--limit", "100000"]
    process = subprocess.Popen(
        [sys.executable, "-m", "sailplan", *command, "--out", records],
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "TERM": "dumb"},
        # A shell lets what it runs in the background ignore interrupts, and its children with it.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    try:
        time.sleep(4.0)
        process.send_signal(signal.SIGINT)
        out, error = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 130, error
    assert b"Traceback" not in error
    assert error.strip().splitlines()[-1] == b"sailplan: interrupted"
    assert out == b""
    assert list(tmp_path.iterdir()) == []


def test_a_reader_that_has_enough_is_no_fault() -> None:
    process = subprocess.run(
        f"{sys.executable} -m sailplan policies | head -n 1",
        shell=True,
        capture_output=True,
        check=True,
    )
    assert process.stderr == b""


@pytest.mark.parametrize("command", ["--version", "policies", "policies --json"])
@pytest.mark.parametrize("output", ["| true", ">&-", ">&- 2>&-"])
def test_closed_output_is_no_fault(command: str, output: str) -> None:
    program = f"{sys.executable} -m sailplan {command} {output}; echo ${{PIPESTATUS[0]}} >&2"
    script = f"exec 3>&2; ({program.replace('>&2', '>&3')})"
    process = subprocess.run(["bash", "-c", script], capture_output=True, check=True)
    assert process.stderr == b"0\n"
