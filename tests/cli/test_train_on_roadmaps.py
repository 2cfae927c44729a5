from __future__ import annotations

import json
from pathlib import Path

import pytest

from sailplan.datasets.edge_worlds import write_edge_worlds
from sailplan.learning.algorithms import ALGORITHMS, AlgorithmName
from sailplan.learning.run_folder import read_plan
from sailplan.policies import load_policy
from sailplan.policies.learned.policy import LearnedPolicy
from tests.cli.conftest import Run, assert_one_line
from tests.roadmaps import corridors, random_roadmap

QUICK: list[object] = ["--worlds-per-round", 6, "--samples-per-world", 6, "--hidden", "8,4", "--epochs", 1]


def _write(path: Path, *, coordinates: bool = True) -> Path:
    write_edge_worlds(corridors(40, count=12, coordinates=coordinates, sizes=(25, 10)), path)
    return path


@pytest.mark.parametrize("coordinates", [True, False])
def test_from_edge_worlds_to_a_table(coordinates: bool, run: Run, tmp_path: Path) -> None:
    data, out = _write(tmp_path / "corridors.npz", coordinates=coordinates), tmp_path / "run"
    ran = run("train", "--data", data, "--out", out, "--rounds", 2, *QUICK, "--json")
    assert ran.code == 0, ran.error
    facts = json.loads(ran.out)
    assert set(facts["baselines"]) == {"optimistic", *(["h_euc"] if coordinates else [])}
    policy = load_policy(out)
    assert isinstance(policy, LearnedPolicy)
    assert policy.features.name == "roadmap"
    for options in ([], ["--endpoints", "random"]):
        options = ["--split", "validation", "--policies", f"dijkstra,optimistic,{out}", *options]
        ran = run("evaluate", "--data", data, *options, "--json")
        assert ran.code == 0, ran.error
        plain, _, learned = json.loads(ran.out)
        assert learned["solved"] == plain["solved"] > 5
        assert learned["mean_expansions"] < plain["mean_expansions"]


@pytest.mark.parametrize("algorithm", ["sail", "sl"])
def test_the_features_of_roadmaps_are_the_default_on_edge_worlds(
    algorithm: AlgorithmName, run: Run, tmp_path: Path
) -> None:
    data, options = _write(tmp_path / "corridors.npz"), ["--algorithm", algorithm, "--rounds", 1, *QUICK]
    expected = ALGORITHMS[algorithm].on_roadmaps
    assert expected is not None
    for name, features in {"default": [], "named": ["--features", "roadmap"]}.items():
        ran = run("train", "--data", data, "--out", tmp_path / name, *options, *features)
        assert ran.code == 0, ran.error
        settings = read_plan(tmp_path / name).settings
        assert (settings.as_json()["features"], settings.as_json()["rescore"]) == ("roadmap", "full")
        assert settings.training_worlds == expected.training_worlds
    ran = run("train", "--data", data, "--out", tmp_path / "other", *options, "--features", "relative")
    assert ran.code == 0, ran.error
    assert read_plan(tmp_path / "other").settings.as_json()["features"] == "relative"


def test_a_run_is_continued(run: Run, tmp_path: Path) -> None:
    data = _write(tmp_path / "corridors.npz")
    for name in ("whole", "parts"):
        assert run("train", "--data", data, "--out", tmp_path / name, "--rounds", 3, *QUICK).code == 0
    rounds = (tmp_path / "parts" / "metrics.csv").read_text().splitlines(keepends=True)
    (tmp_path / "parts" / "metrics.csv").write_text("".join(rounds[:2]))
    assert run("train", "--resume", tmp_path / "parts").code == 0
    whole, parts = ((tmp_path / name / "rounds" / "003.safetensors").read_bytes() for name in ("whole", "parts"))
    assert whole == parts


def test_bad_input_in_one_line(run: Run, tmp_path: Path) -> None:
    out = tmp_path / "run"
    assert_one_line(run("train", "--data", "mazes", "--features", "roadmap", "--out", out), "worlds of a roadmap")
    (tmp_path / "broken.npz").write_bytes(b"PK")
    assert_one_line(run("train", "--data", tmp_path / "broken.npz", "--out", out), "broken.npz")
    assert_one_line(run("train", "--data", tmp_path / "none.npz", "--out", out), "none.npz")
    data = _write(tmp_path / "corridors.npz")
    assert run("train", "--data", data, "--out", out, "--rounds", 1, *QUICK).code == 0
    write_edge_worlds(random_roadmap(0), tmp_path / "other.npz")
    ran = run("evaluate", "--data", tmp_path / "other.npz", "--split", "train", "--policies", out)
    assert_one_line(ran, "another roadmap")
