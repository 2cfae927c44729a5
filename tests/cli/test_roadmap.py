from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from sailplan.datasets import read_edge_worlds
from sailplan.graphs import Roadmap
from tests.cli.conftest import Run, assert_one_line


def _sample(run: Run, out: Path, **options: object) -> None:
    limits = {"lower": "0,0", "upper": "40,40", "count": 60, **options}
    arguments = [part for name, value in limits.items() for part in (f"--{name}", value)]
    ran = run("roadmap", "sample", *arguments, "--out", out)
    assert ran.code == 0, ran


def test_from_a_roadmap_to_a_learned_policy(run: Run, tmp_path: Path) -> None:
    _sample(run, tmp_path / "r.npz")
    run("worlds", "generate", "forest", "--count", 16, "--width", 41, "--height", 41, "--out", tmp_path / "maps")
    ends = ("--start", "0,0", "--goal", "40,40")
    recorded = ("roadmap", "record", tmp_path / "r.npz", "--data", tmp_path / "maps", "--out", tmp_path / "w.npz")
    facts = json.loads(run(*recorded, *ends, "--json").out)
    assert (facts["worlds"], facts["train"], facts["validation"]) == (16, 12, 4)
    worlds = read_edge_worlds(tmp_path / "w.npz")
    assert worlds.starts.tolist() == [facts["vertices"] - 2] * 16
    assert 0.1 < facts["valid"] < 1.0
    trained = ("train", "--data", tmp_path / "w.npz", "--algorithm", "belief", "--objective", "evaluations")
    ran = run(*trained, "--rounds", 1, "--vectors", 2, "--worlds-per-vector", 2, "--out", tmp_path / "run", "--json")
    assert ran.code == 0, ran
    policies = f"lazy:1,{tmp_path / 'run'}"
    table = ("evaluate", "--data", tmp_path / "w.npz", "--split", "validation", "--policies", policies)
    rows = json.loads(run(*table, "--json").out)
    assert [row["solved"] for row in rows] == [row["worlds"] for row in rows]
    assert rows[0]["mean_cost_ratio"] == 1.0


def test_free_starts_and_goals(run: Run, tmp_path: Path) -> None:
    _sample(run, tmp_path / "r.npz", count=30)
    run("worlds", "generate", "forest", "--count", 3, "--width", 41, "--height", 41, "--out", tmp_path / "maps")
    for seed, out in ((1, "a.npz"), (1, "b.npz"), (2, "c.npz")):
        options = ("--data", tmp_path / "maps", "--seed", seed, "--radius", 1.5, "--out", tmp_path / out)
        assert "3 worlds" in run("roadmap", "record", tmp_path / "r.npz", *options).out
    one, same, other = (read_edge_worlds(tmp_path / f"{name}.npz").starts.tolist() for name in "abc")
    assert one == same != other


def test_an_arm(run: Run, shared_data: Path, tmp_path: Path) -> None:
    folder = shared_data / "arms" / "ur5"
    robot = ("--urdf", folder / "ur5_spherized.urdf", "--srdf", folder / "ur5.srdf", "--group", "manipulator")
    ran = run("roadmap", "sample", *robot, "--count", 20, "--neighbours", 2, "--out", tmp_path / "ur5.npz")
    assert ran.code == 0, ran
    assert len(Roadmap.load(tmp_path / "ur5.npz").space.names) == 6
    # Two of each of seven families.
    problems = ("--data", folder / "problems.tar.xz", "--limit", 2)
    ran = run("roadmap", "record", tmp_path / "ur5.npz", *problems, *robot, "--out", tmp_path / "w.npz", "--json")
    assert json.loads(ran.out)["worlds"] == 14
    assert np.unique(read_edge_worlds(tmp_path / "w.npz").goals).size >= 1


def test_bad_arguments_are_one_line(run: Run, tmp_path: Path) -> None:
    out = ("--out", tmp_path / "x.npz")
    assert_one_line(run("roadmap", "sample", *out), "--lower")
    assert_one_line(run("roadmap", "sample", "--lower", "0,a", "--upper", "1,1", *out), "--lower", "0,a")
    assert_one_line(run("roadmap", "sample", "--lower", "0,0", "--upper", "1", *out), "upper")
    assert_one_line(run("roadmap", "sample", "--urdf", "absent.urdf", *out), "--srdf")
    assert_one_line(run("roadmap", "record", tmp_path / "absent.npz", "--data", "mazes", *out), "absent.npz")
    _sample(run, tmp_path / "r3.npz", lower="0,0,0", upper="1,1,1")
    record = ("roadmap", "record", tmp_path / "r3.npz", "--data", "mazes", "--limit", 1, *out)
    assert_one_line(run(*record), "3 dimensions")
    assert_one_line(run(*record, "--start", "0,0,0"), "--goal")
    assert not (tmp_path / "x.npz").exists()
