from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from sailplan.errors import TrainingError
from sailplan.experiments import runs as module
from sailplan.experiments.reproduction import QUICK_MOST, Reproduction
from sailplan.experiments.runs import Run, ensure_runs, runs_of
from sailplan.learning.algorithms import ALGORITHMS
from sailplan.learning.run_folder import RunFolder, read_metrics, read_plan
from sailplan.learning.train import run_training
from tests.experiments.tiny import FAMILIES, TRAINED, tiny


def _all(asked: Reproduction) -> list[Run]:
    return runs_of(asked, asked.trained, asked.families)


def _sail(asked: Reproduction) -> Run:
    return runs_of(asked, [asked.system("sail")], FAMILIES)[0]


def test_every_system_is_trained_on_every_family_under_its_own_name(made: Reproduction) -> None:
    expected = {f"{system}-{family}-0" for system in TRAINED for family in FAMILIES}
    assert {folder.name for folder in (made.out / "runs").iterdir()} == expected
    for run in _all(made):
        assert read_plan(run.folder) == run.plan
        assert len(read_metrics(run.folder)) == run.plan.settings.rounds
        assert run.seconds > 0


def test_full_runs_have_the_papers_settings_and_quick_ones_no_larger(tmp_path: Path) -> None:
    full, quick = Reproduction(tmp_path), Reproduction(tmp_path, quick=True)
    for name in ("sail", "sl", "cem", "ql"):
        system = full.system(name)
        assert full.plan(system, "forest").settings == ALGORITHMS[system.algorithm or "sail"].presets["paper"]
        small = quick.plan(system, "forest").settings
        for name in ("rounds", "training_worlds", "worlds_per_round", "validation_worlds"):
            assert getattr(small, name, 0) <= QUICK_MOST[name]
        assert getattr(small, "features", None) == getattr(full.plan(system, "forest").settings, "features", None)
    default = full.system("sail_default")
    assert full.plan(default, "forest").settings == ALGORITHMS["sail"].presets["default"]
    small = quick.plan(default, "forest").settings
    for name in ("rounds", "training_worlds", "steps", "routes", "search_steps", "search_pairs"):
        assert getattr(small, name) <= QUICK_MOST[name]


def test_runs_that_are_there_are_not_trained_again(made: Reproduction, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "run_training", lambda *plan, **options: pytest.fail("trained again"))
    ensure_runs(_all(made))


def test_only_what_is_missing_is_trained(copied: Reproduction, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = _sail(copied)
    for file in [*gone.folder.rglob("*.*")]:
        file.unlink()
    trained = []

    def noted(plan: object, folder: Path, **options: object) -> object:
        trained.append(folder.name)
        return run_training(plan, folder, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(module, "run_training", noted)
    ensure_runs(_all(copied))
    assert trained == [gone.folder.name]


def test_a_run_that_was_stopped_goes_on_and_ends_the_same(
    made: Reproduction, worlds: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = _sail(tiny(tmp_path / "out", worlds))
    save = RunFolder.save

    def save_and_stop(self: RunFolder, progress: object) -> None:
        save(self, progress)  # type: ignore[arg-type]
        raise KeyboardInterrupt

    monkeypatch.setattr(RunFolder, "save", save_and_stop)
    with pytest.raises(KeyboardInterrupt):
        ensure_runs([broken])
    monkeypatch.undo()
    first = (broken.folder / "rounds" / "001.safetensors").stat()
    assert len(read_metrics(broken.folder)) == 1
    ensure_runs([broken])
    assert (broken.folder / "rounds" / "001.safetensors").stat().st_mtime_ns == first.st_mtime_ns
    model = "model.safetensors"
    assert (broken.folder / model).read_bytes() == (_sail(made).folder / model).read_bytes()


def test_processes_train_the_same(made: Reproduction, worlds: Path, tmp_path: Path) -> None:
    asked = tiny(tmp_path / "out", worlds)
    ensure_runs(runs_of(asked, [asked.system("sl")], FAMILIES), jobs=2)
    for family in FAMILIES:
        name = f"sl-{family}-0/model.safetensors"
        assert (asked.out / "runs" / name).read_bytes() == (made.out / "runs" / name).read_bytes()


def test_another_seed_is_another_run(copied: Reproduction) -> None:
    other = _sail(replace(copied, seed=3))
    ensure_runs([other])
    assert other.folder.name == "sail-shifting_gaps-3"
    assert read_plan(other.folder).seed == 3


@pytest.mark.parametrize(
    ("change", "word"),
    [({"settings": {"rounds": 9}}, "rounds"), ({"data": "elsewhere"}, "data"), ({"seed": 5}, "seed")],
)
def test_a_run_of_other_settings_is_refused(copied: Reproduction, change: dict[str, object], word: str) -> None:
    run = _sail(copied)
    file = run.folder / "settings.json"
    told = json.loads(file.read_text())
    for name, value in change.items():
        told[name] = {**told[name], **value} if isinstance(value, dict) else value
    file.write_text(json.dumps(told))
    with pytest.raises(
        TrainingError, match=rf"{run.folder.name}: trained with other settings .*\({word}\); remove .* --out"
    ):
        ensure_runs([run])


def test_a_run_on_other_worlds_is_refused(worlds: Path, tmp_path: Path) -> None:
    shutil.copytree(worlds, tmp_path / "worlds")
    asked = tiny(tmp_path / "out", tmp_path / "worlds")
    run = _sail(asked)
    ensure_runs([run])
    ensure_runs([run])
    for one, other in (("0", "1"), ("1", "0")):
        shutil.copy(
            worlds / run.family / "train" / f"{one}.png", tmp_path / "worlds" / run.family / "train" / f"{other}.png"
        )
    with pytest.raises(TrainingError, match=r"trained on other worlds than .* holds now; remove .* --out"):
        ensure_runs([run])


@pytest.mark.parametrize(
    ("gone", "words"),
    [
        ("settings.json", "incomplete: metrics.csv without settings.json"),
        ("model.safetensors", "incomplete: all rounds, but no model.safetensors"),
    ],
)
def test_a_run_that_is_half_there_is_refused(copied: Reproduction, gone: str, words: str) -> None:
    run = _sail(copied)
    (run.folder / gone).unlink()
    with pytest.raises(TrainingError, match=rf"{run.folder.name}: {words}; remove .*{run.folder.name}"):
        ensure_runs([run])


@pytest.mark.parametrize("name", ["settings.json", "metrics.csv", "model.safetensors"])
def test_a_damaged_run_is_refused(copied: Reproduction, name: str) -> None:
    run = _sail(copied)
    (run.folder / name).write_bytes(b"\x00 not this \xff")
    with pytest.raises(TrainingError, match=rf"{run.folder.name}.{name}.*; remove .* to train it again"):
        ensure_runs([run])


def test_damage_that_shows_only_when_a_run_goes_on_is_refused_too(copied: Reproduction) -> None:
    run = _sail(copied)
    lines = (run.folder / "metrics.csv").read_text().splitlines()
    (run.folder / "metrics.csv").write_text("\n".join(lines[:2]) + "\n")
    (run.folder / "rounds" / "001.npz").write_bytes(b"not this")
    with pytest.raises(
        TrainingError, match=r"001.npz: not an .npz file, or a damaged one .*; remove .* train it again"
    ):
        ensure_runs([run])
