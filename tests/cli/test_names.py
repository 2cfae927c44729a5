"""Names of files that are not UTF-8 are escaped where they are printed or written."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from sailplan.datasets import GeneratedWorlds, write_png
from tests.cli.conftest import Run

pytestmark = pytest.mark.skipif(sys.platform in ("darwin", "win32"), reason="names of files are Unicode there")

NAME = os.fsdecode(b"caf\xe9")
SHOWN = r"caf\udce9"


@pytest.fixture
def maps(tmp_path: Path) -> Path:
    folder = tmp_path / NAME
    for index, world in enumerate(GeneratedWorlds("forest", 2, 0, 11, 11)):
        write_png(world, folder / f"{NAME}{index}.png")
    return folder


def test_a_plan(run: Run, maps: Path) -> None:
    outputs = [f"--{kind}={maps / NAME}.{kind}" for kind in ("png", "html", "csv", "trace")]
    assert run("plan", maps / f"{NAME}0.png", "--policy", "dijkstra", *outputs).out.startswith(f"{SHOWN}0: goal_")
    facts = json.loads(run("plan", maps / f"{NAME}0.png", "--policy", "dijkstra", "--json").out)
    assert facts["map"] == f"{NAME}0"
    assert SHOWN in run("plan", maps / "absent.png").error


def test_an_evaluation_and_its_report(run: Run, maps: Path, tmp_path: Path) -> None:
    records = tmp_path / f"{NAME}.csv"
    ran = run("evaluate", "--data", maps, "--policies", "dijkstra", "--out", records)
    assert ran.code == 0
    assert SHOWN in ran.out
    assert f"{SHOWN},{SHOWN}0" in records.read_text(encoding="utf-8").replace("/", ",")
    page = tmp_path / f"{NAME}.html"
    assert run("report", records, "--replay", maps, "--out", page).code == 0
    assert SHOWN in page.read_text(encoding="utf-8")


def test_a_training(run: Run, tmp_path: Path) -> None:
    for split in ("train", "validation"):
        for index, world in enumerate(GeneratedWorlds("forest", 4, 0, 11, 11)):
            write_png(world, tmp_path / NAME / split / f"{NAME}{index}.png")
    sizes = ["--training-worlds", 4, "--validation-worlds", 1, "--rounds", 1]
    ran = run("train", "--data", tmp_path / NAME, "--algorithm", "belief", "--out", tmp_path / f"{NAME}run", *sizes)
    assert ran.code == 0, ran.error
    assert f"{SHOWN}run: round 1 of 1 is best" in ran.out
