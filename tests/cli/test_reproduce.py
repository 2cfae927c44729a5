from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path

import pytest

from sailplan import locks
from sailplan.cli import reproduce as module
from sailplan.experiments import reproduce as experiments
from sailplan.experiments import runs
from sailplan.experiments.reproduction import QUICK_LABEL, Part, Reproduction
from sailplan.locks import LOCK
from tests.cli.conftest import Ran, Run, assert_one_line
from tests.experiments.tiny import FAMILIES, FEW, write_worlds


@pytest.fixture(autouse=True)
def few_systems(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "SYSTEMS", FEW)


@pytest.fixture(scope="session")
def worlds(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_worlds(tmp_path_factory.mktemp("data") / "worlds")


def _reproduce(run: Run, what: str, data: Path, out: Path, *options: object) -> Ran:
    common: list[object] = ["--data", data, "--out", out, "--families", ",".join(FAMILIES), "--jobs", 1, "--quick"]
    return run("reproduce", what, *common, *options)


def _without_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runs, "run_training", lambda *plan, **options: pytest.fail("trained"))


def test_all_then_each_part_from_what_is_there(
    run: Run, worlds: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "out"
    ran = _reproduce(run, "all", worlds, out)
    assert ran.code == 0, ran.error
    assert ran.error == ""
    assert str(out / "report.html") in ran.out
    for family in FAMILIES:
        assert f"{family}: 5 worlds, {QUICK_LABEL}" in ran.out
    assert "…" not in ran.out
    for page in ("report.html", "snapshots.html"):
        assert (out / page).read_text(encoding="utf-8").count('class="scene"') == len(FAMILIES)
    _without_runs(monkeypatch)
    for what, files in {
        "table": ["table.csv", "table.md", "table.tex"],
        "snapshots": ["snapshots.png", "snapshots.html"],
        "adaptation": ["adaptation_bugtrap.png"],
        "convergence": ["convergence.csv", "convergence.png", "convergence_families.png"],
    }.items():
        for name in files:
            (out / name).unlink()
        ran = _reproduce(run, what, worlds, out)
        assert ran.code == 0, ran.error
        assert ran.out.splitlines()[-1] == f"{QUICK_LABEL}: {', '.join(str(out / name) for name in files)}"
        assert all((out / name).exists() for name in files)
        rows = json.loads(_reproduce(run, what, worlds, out, "--json").out)
        assert {row["settings"] for row in rows} == {QUICK_LABEL}
    told = json.loads(_reproduce(run, "all", worlds, out, "--json").out)
    assert list(told) == ["table", "snapshots", "adaptation", "convergence"]


def test_generated_worlds_are_the_default(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    heard: list[Reproduction] = []

    def listen(asked: Reproduction, *rest: object) -> dict[str, Part]:
        heard.append(asked)
        return {}

    monkeypatch.setattr(experiments, "reproduce_all", listen)
    monkeypatch.chdir(tmp_path)
    assert run("reproduce", "all").code == 0
    assert heard == [Reproduction(Path("reproduction"), systems=FEW)]
    assert (heard[0].data, heard[0].split, heard[0].quick, len(heard[0].families)) == (None, "test", False, 8)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--families", "forest,lagoon"], ["no family lagoon", "single_bugtrap"]),
        (["--families", ","], ["at least one"]),
        (["--families", "mazes"], ["worlds", "no folder mazes", "--families"]),
        (["--split", "dev"], ["shifting_gaps", "no split 'dev'", "train, validation, test"]),
        (["--data", "nowhere"], ["nowhere", "no such folder"]),
        (["--data", __file__], ["test_reproduce.py", "no such folder"]),
        (["--jobs", 0], ["--jobs"]),
        (["--seed", -1], ["--seed"]),
    ],
)
def test_bad_options_are_one_line(
    run: Run, worlds: Path, tmp_path: Path, options: list[object], words: list[str]
) -> None:
    assert_one_line(_reproduce(run, "table", worlds, tmp_path / "out", *options), *words)
    assert not (tmp_path / "out").exists()


def test_families_that_nothing_is_compared_on_leave_no_folder(run: Run, worlds: Path, tmp_path: Path) -> None:
    ran = _reproduce(run, "adaptation", worlds, tmp_path / "out", "--families", FAMILIES[0])
    assert_one_line(ran, "adaptation compares", "--families")
    assert not (tmp_path / "out").exists()


def test_a_part_that_does_not_exist(run: Run, tmp_path: Path) -> None:
    assert_one_line(run("reproduce", "figures", "--out", tmp_path / "out"), "figures", "snapshots")


@pytest.mark.parametrize("split", ["train", "validation", "test"])
def test_data_without_a_split(run: Run, worlds: Path, tmp_path: Path, split: str) -> None:
    shutil.copytree(worlds, tmp_path / "worlds")
    shutil.rmtree(tmp_path / "worlds" / FAMILIES[1] / split)
    ran = _reproduce(run, "table", tmp_path / "worlds", tmp_path / "out")
    assert_one_line(ran, FAMILIES[1], f"no split {split!r}")
    assert not (tmp_path / "out").exists()


def test_a_folder_in_place_of_a_generated_family(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "forest").mkdir()
    assert_one_line(run("reproduce", "table", "--families", "forest"), "forest", "--data")


def test_quick_and_full_do_not_mix(run: Run, worlds: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _without_runs(monkeypatch)
    common = ["--data", worlds, "--families", ",".join(FAMILIES), "--out"]
    for name, quick in (("quick", True), ("full", False)):
        (tmp_path / name).mkdir()
        told = {"quick": quick, "data": str(worlds.resolve())}
        (tmp_path / name / "reproduction.json").write_text(json.dumps(told))
    into_full = run("reproduce", "table", *common, tmp_path / "full", "--quick")
    assert_one_line(into_full, "full", "holds full runs, and these are quick ones; choose another --out")
    into_quick = run("reproduce", "table", *common, tmp_path / "quick")
    assert_one_line(into_quick, "quick", "holds quick runs, and these are full ones; choose another --out")


def test_other_worlds_into_the_same_folder(run: Run, worlds: Path, tmp_path: Path) -> None:
    (tmp_path / "reproduction.json").write_text(json.dumps({"quick": True, "data": "/elsewhere"}))
    assert_one_line(_reproduce(run, "table", worlds, tmp_path), "made from other worlds (/elsewhere)", "--out")
    (tmp_path / "reproduction.json").write_text("{")
    assert_one_line(_reproduce(run, "table", worlds, tmp_path), "reproduction.json", "damaged")


def test_a_folder_that_another_process_works_in(run: Run, worlds: Path, tmp_path: Path) -> None:
    # A lock on another open file counts as one of another process.
    descriptor = os.open(tmp_path / LOCK, os.O_RDWR | os.O_CREAT)
    locks._lock(descriptor)
    for what in ("table", "all"):
        assert_one_line(_reproduce(run, what, worlds, tmp_path), "another process works in this folder")
    os.close(descriptor)
    assert not (tmp_path / "reproduction.json").exists()


def test_a_folder_that_cannot_be_written(run: Run, worlds: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    assert_one_line(_reproduce(run, "table", worlds, tmp_path / "file"), "file")


def test_a_damaged_run_is_one_line(run: Run, worlds: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    folder = out / "runs" / f"sail-{FAMILIES[0]}-0"
    folder.mkdir(parents=True)
    (folder / "settings.json").write_text("{")
    ran = _reproduce(run, "table", worlds, out)
    assert_one_line(ran, folder.name, "settings.json: damaged", "to train it again")


def test_without_torch(run: Run, worlds: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "sailplan.learning.regressors.torch_network", raising=False)
    monkeypatch.setitem(sys.modules, "torch", None)
    assert_one_line(_reproduce(run, "snapshots", worlds, tmp_path / "out"), ".[train]")
    assert not list((tmp_path / "out" / "runs").rglob("settings.json"))


def test_without_matplotlib(run: Run, worlds: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "sailplan.learning.convergence", raising=False)
    for name in ("matplotlib", "matplotlib.axes"):
        monkeypatch.setitem(sys.modules, name, None)
    for what in ("convergence", "all"):
        assert_one_line(_reproduce(run, what, worlds, tmp_path / "out"), ".[plot]")
    assert not (tmp_path / "out" / "runs").exists()
