from __future__ import annotations

import errno
import json
import os
import sys
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from sailplan import locks
from sailplan.core import Limits, search
from sailplan.datasets import GeneratedWorlds, World, generate_world, write_png
from sailplan.datasets.labelled import training_problems
from sailplan.datasets.tasks import Choice
from sailplan.learning import CrossEntropySettings, NetworkSettings, PlannerSettings, QLearningSettings, SailSettings
from sailplan.learning.run_folder import RunFolder, digest_of, read_metrics, read_plan
from sailplan.locks import LOCK
from sailplan.policies import load_policy
from sailplan.policies.lazy.policy import LazyPolicy
from sailplan.policies.learned.network import DenseNetwork
from sailplan.policies.learned.policy import LearnedPolicy
from sailplan.policies.mixture.policy import OneOfMany
from sailplan.policies.replanning.policy import ReplanningPolicy
from tests.cli.conftest import Ran, Run, assert_one_line

QUICK: list[object] = ["--rounds", 2, "--worlds-per-round", 3, "--samples-per-world", 6, "--max-expansions", 60]
QUICK += ["--validation-expansions", 300, "--hidden", "8,4", "--epochs", 1, "--features", "relative"]
QUICK += ["--preset", "paper"]


def _write(folder: Path, count: int, family: str = "multiple_bugtraps", size: int = 17) -> Path:
    for index, world in enumerate(GeneratedWorlds(family, count, seed=4, width=size, height=size)):
        write_png(world, folder / f"{index}.png")
    return folder


@pytest.fixture
def worlds(tmp_path: Path) -> Path:
    """Return a folder of splits."""
    for split, count in (("train", 4), ("validation", 2), ("test", 2)):
        _write(tmp_path / "worlds" / split, count)
    return tmp_path / "worlds"


def _train(run: Run, data: object, out: Path, *options: object) -> Ran:
    return run("train", "--data", data, "--out", out, *QUICK, *options)


def _facts(ran: Ran) -> dict[str, object]:
    assert ran.code == 0, ran.error
    facts = json.loads(ran.out)
    assert isinstance(facts, dict)
    return facts


def test_a_training_its_files_and_its_facts(run: Run, worlds: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    facts = _facts(_train(run, worlds, out, "--json", "--seed", 3))
    rounds, plan = read_metrics(out), read_plan(out)
    assert (facts["run"], facts["model"]) == (str(out), str(out / "model.safetensors"))
    assert (facts["rounds"], facts["examples"]) == (2, 2 * 3 * 6)
    best = min(rounds, key=lambda one: one.validation_expansions)
    assert (facts["best_round"], facts["validation_expansions"]) == (best.number, best.validation_expansions)
    assert isinstance(plan.settings, SailSettings)
    assert (plan.algorithm, plan.data, plan.seed) == ("sail", str(worlds), 3)
    with Image.open(out / "convergence.png") as image:
        assert image.size == (768, 480)
    assert facts["picture"] == str(out / "convergence.png")
    policy = load_policy(out / "model.safetensors")
    assert isinstance(policy, LearnedPolicy)
    assert isinstance(policy.model, DenseNetwork)
    assert [len(biases) for _, biases in policy.model.layers] == [8, 4, 1]


THROUGH_THE_PLANNER: list[object] = ["--rounds", 2, "--worlds-per-round", 3, "--samples-per-world", 4, "--steps", 2]
THROUGH_THE_PLANNER += ["--batch-size", 4, "--components", 3, "--routes", 3, "--search-steps", 2, "--search-pairs", 2]
THROUGH_THE_PLANNER += ["--max-expansions", 60]


def test_the_default_is_trained_through_the_planner(run: Run, worlds: Path, tmp_path: Path) -> None:
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    for out in (whole, broken):
        facts = _facts(run("train", "--data", worlds, "--out", out, *THROUGH_THE_PLANNER, "--json"))
        assert (facts["rounds"], facts["examples"]) == (2, 2 * 3 * 4)
    plan = read_plan(whole)
    assert isinstance(plan.settings, PlannerSettings)
    assert (plan.settings.steps, plan.settings.components) == (2, 3)
    # As if it had been killed in its second round, before the row was written.
    metrics = broken / "metrics.csv"
    metrics.write_text("\n".join(metrics.read_text().splitlines()[:2]) + "\n")
    assert _facts(run("train", "--resume", broken, "--json"))["rounds"] == 2
    assert (whole / "model.safetensors").read_bytes() == (broken / "model.safetensors").read_bytes()
    ran = run("plan", worlds / "test" / "0.png", "--policy", whole, "--json")
    assert (ran.code, json.loads(ran.out)["engine"]) == (0, "compiled")


def test_the_default_needs_no_torch(run: Run, worlds: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "sailplan.learning.regressors.torch_network", raising=False)
    monkeypatch.setitem(sys.modules, "torch", None)
    assert run("train", "--data", worlds, "--out", tmp_path / "run", *THROUGH_THE_PLANNER).code == 0
    assert isinstance(load_policy(tmp_path / "run"), ReplanningPolicy)


def test_what_is_printed_without_json(run: Run, worlds: Path, tmp_path: Path) -> None:
    ran = _train(run, worlds, tmp_path / "run")
    assert ran.code == 0
    assert ran.error == ""
    for word in ("of 2 is best", "validation", "expansions on average", "36", str(tmp_path / "run/model.safetensors")):
        assert word in ran.out


def test_the_seed_and_nothing_else_decides(run: Run, worlds: Path, tmp_path: Path) -> None:
    for name, options in {"a": ["--jobs", 1], "b": ["--jobs", 2], "c": ["--seed", 1]}.items():
        assert _train(run, worlds, tmp_path / name, *options).code == 0
    models = [(tmp_path / name / "model.safetensors").read_bytes() for name in "abc"]
    assert models[0] == models[1] != models[2]


def test_a_flat_folder_is_parted(run: Run, tmp_path: Path) -> None:
    data = _write(tmp_path / "flat", 6)
    facts = _facts(_train(run, data, tmp_path / "run", "--json", "--worlds-per-round", 99))
    assert facts["examples"] == 2 * 5 * 6


def test_maps_of_mixed_sizes(run: Run, tmp_path: Path) -> None:
    data = tmp_path / "mixed"
    for index, (width, height) in enumerate([(9, 9), (21, 13), (13, 21), (30, 5), (1, 1), (17, 17)]):
        write_png(generate_world("forest", 2, index, width=width, height=height), data / f"{index}.png")
    for features in ("paper17", "relative", "patch"):
        ran = _train(run, data, tmp_path / features, "--features", features, "--rounds", 1, "--json")
        assert _facts(ran)["rounds"] == 1


def test_a_family_is_generated(run: Run, tmp_path: Path) -> None:
    few = ["--training-worlds", 2, "--validation-worlds", 1, "--rounds", 1, "--json"]
    facts = [_facts(_train(run, "forest", tmp_path / name, *few, "--data-seed", seed)) for name, seed in ("a0", "b1")]
    assert [one["rounds"] for one in facts] == [1, 1]
    settings = [json.loads((tmp_path / name / "settings.json").read_text()) for name in "ab"]
    assert settings[0]["digest"] != settings[1]["digest"]


def test_random_endpoints(run: Run, worlds: Path, tmp_path: Path) -> None:
    digests = set()
    runs: dict[str, list[object]] = {
        "a": [],
        "b": ["--endpoints", "random"],
        "c": ["--endpoints", "random", "--data-seed", 1],
    }
    for name, options in runs.items():
        assert _train(run, worlds, tmp_path / name, "--rounds", 1, *options).code == 0
        digests.add(json.loads((tmp_path / name / "settings.json").read_text())["digest"])
        assert run("train", "--resume", tmp_path / name).code == 0
    assert len(digests) == 3


def test_resume_ends_where_an_unbroken_run_does(
    run: Run, worlds: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _facts(_train(run, worlds, tmp_path / "whole", "--json"))
    save = RunFolder.save

    def save_and_stop(self: RunFolder, progress: object) -> None:
        save(self, progress)  # type: ignore[arg-type]
        raise KeyboardInterrupt

    monkeypatch.setattr(RunFolder, "save", save_and_stop)
    ran = _train(run, worlds, tmp_path / "broken")
    monkeypatch.undo()
    assert_one_line(ran, "interrupted", code=130)
    assert len(read_metrics(tmp_path / "broken")) == 1
    facts = _facts(run("train", "--resume", tmp_path / "broken", "--json"))
    assert facts["rounds"] == 2
    names = ["model.safetensors", "rounds/001.safetensors", "rounds/002.safetensors"]
    for name in names:
        assert (tmp_path / "whole" / name).read_bytes() == (tmp_path / "broken" / name).read_bytes()


def test_a_folder_that_another_process_works_in(run: Run, worlds: Path, tmp_path: Path) -> None:
    assert _train(run, worlds, tmp_path / "run").code == 0
    before = {path: path.stat().st_mtime_ns for path in (tmp_path / "run").rglob("*")}
    # A lock on another open file counts as one of another process.
    descriptor = os.open(tmp_path / "run" / LOCK, os.O_RDWR | os.O_CREAT)
    locks._lock(descriptor)
    for ran in (run("train", "--resume", tmp_path / "run"), _train(run, worlds, tmp_path / "run")):
        assert_one_line(ran, f"{tmp_path / 'run'}: another process works in this folder")
    os.close(descriptor)
    assert {path: path.stat().st_mtime_ns for path in before} == before
    assert run("train", "--resume", tmp_path / "run").code == 0


def test_a_file_system_without_locks_is_noted(
    run: Run, worlds: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(descriptor: int) -> None:
        raise OSError(errno.ENOLCK, "no locks available")

    monkeypatch.setattr(locks, "_lock", refuse)
    ran = _train(run, worlds, tmp_path / "run", "--rounds", 1)
    assert ran.code == 0
    assert "this file system has no locks; start no other training in this folder" in ran.error


def test_a_finished_run_is_resumed_to_itself(run: Run, worlds: Path, tmp_path: Path) -> None:
    assert _train(run, worlds, tmp_path / "run").code == 0
    before = (tmp_path / "run" / "model.safetensors").read_bytes()
    assert _facts(run("train", "--resume", tmp_path / "run", "--json"))["rounds"] == 2
    assert (tmp_path / "run" / "model.safetensors").read_bytes() == before


def test_cloning(run: Run, worlds: Path, tmp_path: Path) -> None:
    facts = _facts(_train(run, worlds, tmp_path / "run", "--algorithm", "sl", "--rounds", 1, "--json"))
    assert facts["rounds"] == 1
    assert read_metrics(tmp_path / "run")[0].mixing == 1.0
    assert _facts(run("train", "--resume", tmp_path / "run", "--json"))["rounds"] == 1


OF_THE_OTHERS = {
    "cem": ["--vectors", 4, "--worlds-per-vector", 2, "--elite", 0.5, "--hidden", 4],
    "ql": ["--worlds-per-round", 3, "--samples-per-world", 6, "--hidden", "8,4", "--epochs", 1, "--exploration", 0.5],
}
COMMON = ["--features", "relative", "--rounds", 2, "--max-expansions", 60, "--validation-expansions", 300]


@pytest.mark.parametrize("algorithm", OF_THE_OTHERS)
def test_the_other_algorithms_break_off_and_go_on(run: Run, worlds: Path, tmp_path: Path, algorithm: str) -> None:
    options = ["--data", worlds, "--algorithm", algorithm, *COMMON, *OF_THE_OTHERS[algorithm], "--json"]
    facts = _facts(run("train", *options, "--out", tmp_path / "run"))
    assert (facts["rounds"], facts["examples"]) == (2, {"cem": 8, "ql": 36}[algorithm])
    policy = load_policy(tmp_path / "run" / "model.safetensors")
    assert isinstance(policy, LearnedPolicy)
    _, validation, _ = training_problems(str(worlds), Choice("train"), Choice("validation"))
    assert all(search(problem, policy).found for problem in validation)
    whole = (tmp_path / "run" / "model.safetensors").read_bytes()
    # As if it had been killed in its second round, before the row was written.
    metrics = tmp_path / "run" / "metrics.csv"
    metrics.write_text("\n".join(metrics.read_text().splitlines()[:2]) + "\n")
    (tmp_path / "run" / "rounds" / "002.npz").unlink()
    assert _facts(run("train", "--resume", tmp_path / "run", "--json"))["rounds"] == 2
    assert (tmp_path / "run" / "model.safetensors").read_bytes() == whole


@pytest.mark.parametrize("option", ["--features", "--hidden", "--epochs"])
def test_a_setting_of_the_other_preset(run: Run, worlds: Path, tmp_path: Path, option: str) -> None:
    ran = run("train", "--data", worlds, option, 1, "--out", tmp_path / "run")
    assert (ran.code, ran.error) == (2, f"sailplan: {option[2:]}: with --preset paper only\n")


@pytest.mark.parametrize(("algorithm", "option"), [("cem", "--epochs"), ("ql", "--vectors"), ("sail", "--exploration")])
def test_a_setting_of_another_algorithm(run: Run, worlds: Path, tmp_path: Path, algorithm: str, option: str) -> None:
    ran = run("train", "--data", worlds, "--algorithm", algorithm, option, 1, "--out", tmp_path / "run")
    assert (ran.code, ran.error) == (2, f"sailplan: {option[2:]}: not a setting of this algorithm\n")
    assert not (tmp_path / "run").exists()


def test_settings_are_options(run: Run, worlds: Path, tmp_path: Path) -> None:
    options: list[object] = ["--rescore", "lazy", "--target", "detour", "--result", "mixture"]
    options += ["--optimiser", "adam", "--learning-rate", 0.02, "--batch-size", 7, "--averaging", 0, "--decay"]
    options += ["--oracle-probability", 0.25, "--training-worlds", 3, "--validation-worlds", 1]
    assert _train(run, worlds, tmp_path / "run", *options).code == 0
    expected = SailSettings(
        rounds=2,
        training_worlds=3,
        validation_worlds=1,
        worlds_per_round=3,
        samples_per_world=6,
        oracle_probability=0.25,
        max_expansions=60,
        validation_expansions=300,
        features="relative",
        rescore="lazy",
        target="detour",
        result="mixture",
        network=NetworkSettings(
            hidden=(8, 4),
            optimiser="adam",
            learning_rate=0.02,
            decay=True,
            batch_size=7,
            epochs=1,
            averaging=0.0,
        ),
    )
    assert read_plan(tmp_path / "run").settings == expected
    assert isinstance(load_policy(tmp_path / "run" / "model.safetensors"), OneOfMany)


def test_as_many_worlds_as_were_asked_for(run: Run, worlds: Path, tmp_path: Path) -> None:
    few = ["--training-worlds", 3, "--validation-worlds", 1, "--rounds", 1]
    assert _train(run, worlds, tmp_path / "run", *few).code == 0
    train, validation, _ = training_problems(str(worlds), Choice("train", 3), Choice("validation", 1))
    assert (len(train), len(validation)) == (3, 1)
    settings = json.loads((tmp_path / "run" / "settings.json").read_text())
    assert settings["digest"] == digest_of([*train, *validation])


def test_the_help_has_every_setting_with_its_sentence(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "250")
    told = run("train", "--help").out
    kinds = (SailSettings, PlannerSettings, NetworkSettings, QLearningSettings, CrossEntropySettings)
    sentences: dict[str, list[str]] = {}
    for one in [one for kind in kinds for one in fields(kind) if one.name != "network"]:
        sentences.setdefault(one.name, []).append(one.metadata["help"][:30])
    for name, several in sentences.items():
        # Algorithms may have a setting of the same name, with a sentence of their own.
        assert "--" + name.replace("_", "-") in told
        assert any(sentence in told for sentence in several)


def test_the_model_is_a_policy(run: Run, worlds: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    assert _train(run, worlds, out).code == 0
    ran = run("evaluate", "--data", worlds, "--policies", f"h_euc,{out}", "--json")
    rows = json.loads(ran.out)
    assert ran.code == 0
    assert [(row["policy"], row["worlds"], row["solved"]) for row in rows] == [("h_euc", 2, 2), (str(out), 2, 2)]
    model = out / "model.safetensors"
    ran = run("plan", worlds / "test" / "0.png", "--policy", model, "--json")
    facts = json.loads(ran.out)
    assert (ran.code, facts["engine"]) == (0, "compiled")
    assert (facts["path"][0], facts["path"][-1]) == ([0, 0], [16, 16])
    again = json.loads(run("plan", worlds / "test" / "0.png", "--policy", out, "--engine", "reference", "--json").out)
    assert again["path"] == facts["path"]


def test_generated_worlds_of_a_size_and_random_endpoints(run: Run, worlds: Path, tmp_path: Path) -> None:
    assert _train(run, worlds, tmp_path / "run", "--rounds", 1).code == 0
    names = f"oracle,{tmp_path / 'run'}"
    options: list[object] = ["--limit", 3, "--size", 15, "--json"]
    corners = json.loads(run("evaluate", "--data", "forest", "--policies", names, *options).out)
    assert all(row["solved"] == 3 for row in corners)
    random = run("evaluate", "--data", "forest", "--policies", names, *options, "--endpoints", "random")
    ran_again = run("evaluate", "--data", "forest", "--policies", names, *options, "--endpoints", "random")
    untimed = [
        [{key: value for key, value in row.items() if not key.startswith("ms")} for row in json.loads(ran.out)]
        for ran in (random, ran_again)
    ]
    assert untimed[0] == untimed[1]
    assert untimed[0][0]["mean_expansions"] != corners[0]["mean_expansions"]


def test_a_train_split_alone_is_refused(run: Run, tmp_path: Path) -> None:
    _write(tmp_path / "worlds" / "train", 2)
    assert_one_line(_train(run, tmp_path / "worlds", tmp_path / "run"), "worlds", "no split 'validation'")


def _unsolvable(folder: Path, count: int) -> Path:
    blocked = np.zeros((7, 7), np.bool_)
    blocked[:, 3] = True
    for index in range(count):
        write_png(World(blocked), folder / f"{index}.png")
    return folder


def _several_families(tmp_path: Path) -> Path:
    for name in ("one", "two"):
        for split in ("train", "validation"):
            _write(tmp_path / "both" / name / split, 1)
    return tmp_path / "both"


def _blocked(folder: Path) -> Path:
    for index in range(3):
        write_png(World(np.ones((5, 5), np.bool_)), folder / f"{index}.png")
    return folder


def test_data_that_cannot_be_learned_from_is_one_line(run: Run, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "text.png").mkdir()
    (tmp_path / "text.png" / "0.png").write_text("hello")
    for data, words in (
        (tmp_path / "empty", ["empty", "no image"]),
        (tmp_path / "absent", ["absent", "neither a folder"]),
        (_write(tmp_path / "single", 1), ["at least one world to train on and another to validate on"]),
        (_unsolvable(tmp_path / "cut", 3), ["nothing to learn from", "none of 2 worlds has a path"]),
        (_blocked(tmp_path / "full"), ["worlds have a blocked start; use --endpoints random"]),
        (_several_families(tmp_path), ["both", "several families (one, two)"]),
        (tmp_path / "text.png", ["0.png"]),
    ):
        assert_one_line(_train(run, data, tmp_path / "run"), *words)
        assert not (tmp_path / "run").exists() or list((tmp_path / "run").iterdir()) == []
    assert _train(run, _write(tmp_path / "good", 3), tmp_path / "run").code == 0


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--features", "paper"], ["no feature set 'paper'", "paper17"]),
        (["--hidden", "a,b"], ["hidden", "'a,b'"]),
        (["--hidden", ""], ["hidden"]),
        (["--hidden", "3,,4"], ["hidden"]),
        (["--hidden", "0"], ["hidden", "whole numbers"]),
        (["--features", "walls"], ["features", "`walls` is a policy by itself"]),
        (["--trust", "1"], ["--trust"]),
        (["--rounds", 0], ["rounds", "positive"]),
        (["--rounds", "many"], ["--rounds", "integer"]),
        (["--rescore", "often"], ["rescore", "frozen"]),
        (["--algorithm", "dagger"], ["--algorithm"]),
        (["--algorithm", "sl", "--rounds", 3], ["rounds must be 1 in supervised learning, got 3"]),
        (["--preset", "best"], ["--preset", "best"]),
        (["--endpoints", "middle"], ["--endpoints", "middle"]),
        (["--seed", -1], ["--seed"]),
        (["--jobs", 0], ["--jobs"]),
        (["--oracle-probability", "nan"], ["oracle_probability"]),
        (["--colour", "red"], ["--colour"]),
    ],
)
def test_bad_options_are_one_line(
    run: Run, worlds: Path, tmp_path: Path, options: list[object], words: list[str]
) -> None:
    assert_one_line(_train(run, worlds, tmp_path / "run", *options), *words)
    assert not (tmp_path / "run").exists()


def test_where_to_and_from_where_must_be_said(run: Run, worlds: Path, tmp_path: Path) -> None:
    for options in ([], ["--data", worlds], ["--out", tmp_path / "run"]):
        assert_one_line(run("train", *options), "--data and --out, or --resume")


def test_folders_with_and_without_a_run(run: Run, worlds: Path, tmp_path: Path) -> None:
    assert_one_line(run("train", "--resume", tmp_path / "absent"), "absent", "no run in this folder")
    assert_one_line(run("train", "--resume", worlds), "worlds", "no run in this folder")
    assert _train(run, worlds, tmp_path / "run", "--rounds", 1).code == 0
    assert_one_line(_train(run, worlds, tmp_path / "run"), "there is a run in this folder", "--resume")
    (tmp_path / "file").write_text("in the way")
    assert_one_line(_train(run, worlds, tmp_path / "file"), "file")


def test_a_run_whose_data_has_changed_is_not_resumed(run: Run, worlds: Path, tmp_path: Path) -> None:
    assert _train(run, worlds, tmp_path / "run", "--rounds", 1).code == 0
    write_png(generate_world("forest", 9, 9, width=17, height=17), worlds / "train" / "0.png")
    assert_one_line(run("train", "--resume", tmp_path / "run"), "other worlds than when this run began")
    assert (tmp_path / "run" / "settings.json").exists()


@pytest.mark.parametrize("name", ["settings.json", "metrics.csv", "rounds/001.npz", "rounds/001.safetensors"])
def test_a_damaged_run_is_one_line(run: Run, worlds: Path, tmp_path: Path, name: str) -> None:
    assert _train(run, worlds, tmp_path / "run", "--rounds", 1).code == 0
    (tmp_path / "run" / name).write_bytes(b"\x00 not this \xff")
    assert_one_line(run("train", "--resume", tmp_path / "run"), name)
    assert (tmp_path / "run" / "settings.json").exists()


def test_without_torch_nothing_is_begun_and_nothing_lost(
    run: Run, worlds: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert _train(run, worlds, tmp_path / "old", "--rounds", 1).code == 0
    for name in ("metrics.csv", "model.safetensors"):
        (tmp_path / "old" / name).unlink()
    monkeypatch.delitem(sys.modules, "sailplan.learning.regressors.torch_network", raising=False)
    monkeypatch.setitem(sys.modules, "torch", None)
    assert_one_line(_train(run, worlds, tmp_path / "run"), ".[train]")
    assert not (tmp_path / "run" / "settings.json").exists()
    assert_one_line(run("train", "--resume", tmp_path / "old"), ".[train]")
    monkeypatch.undo()
    assert run("train", "--resume", tmp_path / "old").code == 0


@pytest.mark.parametrize("name", ["_run", "a$_$", "x y", "ünï"])
def test_odd_names_of_folders(run: Run, worlds: Path, tmp_path: Path, name: str) -> None:
    ran = _train(run, worlds, tmp_path / name, "--rounds", 1, "--json")
    assert _facts(ran)["run"] == str(tmp_path / name)
    assert ran.error == ""


def test_the_folder_where_one_is(run: Run, worlds: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    ran = _train(run, worlds, Path(), "--rounds", 1, "--json")
    assert _facts(ran)["rounds"] == 1
    assert ran.error == ""
    assert (tmp_path / "here" / "model.safetensors").exists()


def test_a_world_without_a_path_is_left_out_and_told(run: Run, worlds: Path, tmp_path: Path) -> None:
    blocked = np.zeros((17, 17), np.bool_)
    blocked[:, 8] = True
    write_png(World(blocked), worlds / "train" / "walled.png")
    assert _facts(_train(run, worlds, tmp_path / "json", "--json"))["worlds_without_path"] == 1
    assert "1 worlds without a path left out" in _train(run, worlds, tmp_path / "text").out


def test_a_run_is_resumed_from_any_folder(
    run: Run, worlds: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert _train(run, worlds.name, tmp_path / "run").code == 0
    monkeypatch.chdir(tmp_path / "run")
    assert run("train", "--resume", tmp_path / "run").code == 0


@pytest.mark.parametrize(
    "more",
    [
        ["--rounds", 5],
        ["--data", "mazes"],
        ["--out", "elsewhere"],
        ["--seed", 3],
        ["--algorithm", "cem"],
        ["--endpoints", "corners"],
    ],
)
def test_resume_takes_nothing_else(run: Run, worlds: Path, tmp_path: Path, more: list[object]) -> None:
    assert _train(run, worlds, tmp_path / "run").code == 0
    assert_one_line(run("train", "--resume", tmp_path / "run", *more), "give no other option")


def _walled(folder: Path, count: int) -> Path:
    """Write maps of mixed sizes with a wall all round, as scanned floors have."""
    rng = np.random.default_rng(0)
    for index in range(count):
        height, width = rng.integers(12, 30, size=2)
        blocked = rng.random((height, width)) < 0.15
        blocked[0] = blocked[-1] = blocked[:, 0] = blocked[:, -1] = True
        write_png(World(blocked), folder / f"{index}.png")
    return folder


def test_walled_maps_of_mixed_sizes(run: Run, tmp_path: Path) -> None:
    data = _walled(tmp_path / "maps", 60)
    ran = _train(run, data, tmp_path / "run", "--json")
    facts = _facts(ran)
    assert (facts["rounds"], facts["worlds_without_path"]) == (2, 0)
    assert ran.error == ("note: endpoints: 60 of 60 worlds have blocked corners; random free cells are used instead\n")
    assert json.loads((tmp_path / "run" / "settings.json").read_text())["endpoints"] == "auto"
    assert run("train", "--resume", tmp_path / "run").code == 0
    ran = run("evaluate", "--data", data, "--policies", f"h_euc,{tmp_path / 'run'}", "--json")
    assert [row["solved"] for row in json.loads(ran.out)] == [60, 60]


def test_walled_maps_with_corners_asked_for(run: Run, tmp_path: Path) -> None:
    data = _walled(tmp_path / "maps", 10)
    message = "sailplan: 10 of 10 worlds have a blocked start; use --endpoints random\n"
    ran = _train(run, data, tmp_path / "run", "--endpoints", "corners")
    assert (ran.code, ran.error) == (2, message)
    ran = run("evaluate", "--data", data, "--policies", "h_euc", "--endpoints", "corners")
    assert (ran.code, ran.out, ran.error) == (2, "", message)


def test_a_belief_needs_one_frame(run: Run, tmp_path: Path) -> None:
    data = _walled(tmp_path / "maps", 10)
    ran = run("train", "--data", data, "--algorithm", "belief", "--out", tmp_path / "run")
    assert_one_line(ran, "grids of one size with one start and goal")


def test_free_corners_are_written_down_as_before(run: Run, worlds: Path, tmp_path: Path) -> None:
    for name, options in {"auto": [], "corners": ["--endpoints", "corners"]}.items():
        assert _train(run, worlds, tmp_path / name, "--rounds", 1, *options).error == ""
    auto, corners = ((tmp_path / name / "settings.json").read_bytes() for name in ("auto", "corners"))
    assert auto == corners


def test_baselines_beside_what_was_trained(run: Run, worlds: Path, tmp_path: Path) -> None:
    facts = _facts(_train(run, worlds, tmp_path / "run", "--json"))
    means = facts["baselines"]
    assert isinstance(means, dict)
    _, validation, _ = training_problems(str(worlds), Choice("train"), Choice("validation"))
    for name, mean in means.items():
        counts = [search(problem, load_policy(name), Limits(300)).expansions for problem in validation]
        assert mean == sum(counts) / len(counts)
    expected = [name for name in means if means[name] < facts["validation_expansions"]]
    assert sorted(facts["better_baselines"]) == sorted(expected)  # type: ignore[call-overload]


def test_evaluations_where_they_are_the_objective(run: Run, worlds: Path, tmp_path: Path) -> None:
    few = ["--rounds", 1, "--vectors", 2, "--worlds-per-vector", 1, "--remembered", 0.5]
    base = ["train", "--data", worlds, "--algorithm", "belief", "--objective", "evaluations", "--jobs", 1, *few]
    facts = _facts(run(*base, "--out", tmp_path / "one", "--json"))
    assert (facts["objective"], facts["validation_expansions"]) == ("evaluations", 0.0)
    assert set(facts["baselines"]) == {"lazy", "optimistic"}  # type: ignore[call-overload]
    lines = run(*base, "--out", tmp_path / "two").out
    assert f"  validation  {facts['validation_evaluations']:.1f} evaluations on average" in lines
    assert "evaluations on the same worlds" in lines
    assert isinstance(load_policy(tmp_path / "one"), LazyPolicy)


def test_a_better_baseline_is_said_plainly(run: Run, worlds: Path, tmp_path: Path) -> None:
    untrained = ["--validation-expansions", 300, "--max-expansions", 1, "--samples-per-world", 1, "--rounds", 1]
    ran = _train(run, worlds, tmp_path / "run", *untrained)
    assert "  baselines   optimistic " in ran.out
    assert "  note        optimistic needs fewer expansions" in ran.out
