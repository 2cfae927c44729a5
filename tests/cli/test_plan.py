from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from sailplan.core import Trace
from sailplan.datasets import World, write_png, write_ros_map
from tests.cli.conftest import Run, assert_one_line


def test_the_promised_object(run: Run, maze: Path) -> None:
    ran = run("plan", maze, "--policy", "h_euc", "--json")
    facts = json.loads(ran.out)
    assert ran.code == 0
    assert {"outcome", "cost", "expansions", "edge_evaluations", "path", "seconds", "engine"} <= set(facts)
    assert facts["outcome"] == "goal_generated"
    assert (facts["path"][0], facts["path"][-1]) == ([0, 0], [200, 200])
    steps = np.abs(np.diff(facts["path"], axis=0))
    assert facts["cost"] == pytest.approx(np.sqrt((steps**2).sum(axis=1)).sum())


def test_lazy_is_the_default_and_a_star_octile_gives_the_shortest_path(run: Run, maze: Path) -> None:
    default, named, shortest = (
        json.loads(run("plan", maze, "--json", *more).out)
        for more in ([], ["--policy", "lazy"], ["--policy", "a_star_octile"])
    )
    assert (default["policy"], default["bound"]) == ("lazy", None)
    assert default["path"] == named["path"]
    assert (shortest["cost"] <= default["cost"], shortest["bound"]) == (True, 1.0)
    assert default["edge_evaluations"] < shortest["edge_evaluations"] / 10


def test_a_bound_of_the_cost(run: Run, maze: Path) -> None:
    optimum = json.loads(run("plan", maze, "--policy", "a_star_octile", "--json").out)["cost"]
    for bound in (1.0, 1.1, 1.5):
        facts = json.loads(run("plan", maze, "--bound", bound, "--json").out)
        assert facts["bound"] == bound
        assert facts["cost"] <= bound * optimum * (1 + 1e-9)
    assert "a shortest one" in run("plan", maze, "--bound", 1).out
    assert "at most 1.500 times the optimum" in run("plan", maze, "--bound", 1.5).out
    ran = run("plan", maze, "--policy", "h_euc", "--bound", 1.5)
    assert (ran.code, ran.error) == (2, "sailplan: the policy of this search proves no bound of the path cost\n")
    assert run("plan", maze, "--bound", 0.5).code == 2


def test_paths_that_improve(run: Run, maze: Path) -> None:
    facts = json.loads(run("plan", maze, "--anytime", "--json").out)
    costs = [one["cost"] for one in facts["solutions"]]
    assert costs == sorted(costs, reverse=True)
    assert (facts["solutions"][-1]["bound"], facts["bound"], facts["cost"]) == (1.0, 1.0, costs[-1])
    assert costs[-1] == pytest.approx(json.loads(run("plan", maze, "--policy", "lazy:1", "--json").out)["cost"])
    least = facts["solutions"][0]["edge_evaluations"]
    early = json.loads(run("plan", maze, "--anytime", "--max-evaluations", least, "--json").out)
    assert (early["cost"], len(early["solutions"])) == (costs[0], 1)
    assert run("plan", maze, "--anytime").out.count("edge checks") == len(costs) + 1


def test_start_goal_and_pictures(run: Run, maze: Path, tmp_path: Path) -> None:
    files = [tmp_path / "deep" / name for name in ("a.png", "a.gif", "a.npz")]
    ran = run(
        "plan", maze, "--start", "3,4", "--goal", "20,30", "--png", files[0], "--gif", files[1], "--trace", files[2]
    )
    assert ran.code == 0
    assert all(str(path) in ran.out for path in files)
    for path in files[:2]:
        with Image.open(path) as image:
            image.load()
    assert len(Trace.load(files[2]).evaluated) > 0


def test_metres_where_the_map_has_a_resolution(run: Run, tmp_path: Path) -> None:
    world = World(np.zeros((3, 5), bool), resolution=0.5, origin=(-1.0, 2.0, 0.0))
    write_ros_map(world, tmp_path / "m.yaml")
    facts = json.loads(run("plan", tmp_path / "m.yaml", "--json").out)
    assert facts["path_metres"][0] == pytest.approx([-0.75, 2.25])
    assert facts["path_metres"][-1] == pytest.approx([1.25, 3.25])


def test_no_path_is_exit_code_one(run: Run, tmp_path: Path) -> None:
    blocked = np.zeros((5, 5), bool)
    blocked[:, 2] = True
    write_png(World(blocked), tmp_path / "cut.png")
    ran = run("plan", tmp_path / "cut.png", "--json")
    facts = json.loads(ran.out)
    assert ran.code == 1
    assert (facts["outcome"], facts["cost"], facts["path"]) == ("frontier_empty", None, [])


def test_a_radius_that_closes_the_only_door_is_exit_code_one(run: Run, tmp_path: Path) -> None:
    blocked = np.zeros((7, 9), bool)
    blocked[[0, 1, 5, 6], 4] = True
    write_ros_map(World(blocked, resolution=0.5, origin=(0.0, 0.0, 0.0)), tmp_path / "rooms.yaml")
    ends = ["--start", "0,3", "--goal", "8,3"]
    ran = run("plan", tmp_path / "rooms.yaml", *ends, "--robot-radius", 2)
    assert ran.code == 1
    assert "path        none" in ran.out
    assert ran.error == (
        "note: rooms: a robot radius of 2 cells leaves no path; the largest radius that has a path is 1.999 cells\n"
    )
    assert run("plan", tmp_path / "rooms.yaml", *ends, "--robot-radius", 1.999).code == 0
    metres = ["--metres", "--start", "0.25,1.75", "--goal", "4.25,1.75", "--robot-radius"]
    ran = run("plan", tmp_path / "rooms.yaml", *metres, "1.0", "--json")
    assert ran.code == 1
    assert "a robot radius of 1 metres leaves no path" in json.loads(ran.out)["note"]
    assert run("plan", tmp_path / "rooms.yaml", *metres, "0.9995").code == 0


def test_a_radius_that_blocks_the_start_is_one_line(run: Run, tmp_path: Path) -> None:
    write_png(World(np.array([[False, True, False, False]])), tmp_path / "w.png")
    ran = run("plan", tmp_path / "w.png", "--start", "2,0", "--robot-radius", 1)
    assert_one_line(ran, "a robot radius of 1 cells blocks the start (2, 0)", "the largest radius")


def test_metres_in_and_out(run: Run, tmp_path: Path) -> None:
    world = World(np.zeros((3, 5), bool), resolution=0.5, origin=(-1.0, 2.0, 0.0))
    write_ros_map(world, tmp_path / "m.yaml")
    ends = ["--start", "-0.9,2.1", "--goal", "1.2,2.1"]
    ran = run("plan", tmp_path / "m.yaml", "--metres", *ends, "--csv", tmp_path / "path.csv", "--json")
    facts = json.loads(ran.out)
    assert (facts["path"][0], facts["path"][-1]) == ([0, 0], [4, 0])
    rows = (tmp_path / "path.csv").read_text().splitlines()
    assert rows[:2] == ["x,y,x_metres,y_metres", "0,0,-0.75,2.25"]
    assert len(rows) == 1 + len(facts["path"])
    assert_one_line(run("plan", tmp_path / "m.yaml", *ends), "--start", "X,Y", "add --metres")
    assert_one_line(run("plan", tmp_path / "m.yaml", "--metres", "--goal", "9,9"), "(9.0, 9.0) metres", "outside")


def test_unknown_cells(run: Run, tmp_path: Path) -> None:
    Image.fromarray(np.array([[255, 205, 255]], np.uint8)).save(tmp_path / "w.png")
    ran = run("plan", tmp_path / "w.png")
    assert ran.code == 1
    assert ran.error == "note: w: 1 of 3 cells are unknown and count as blocked\n"
    ran = run("plan", tmp_path / "w.png", "--unknown", "free", "--json")
    assert (ran.code, json.loads(ran.out)["note"]) == (0, "w: 1 of 3 cells are unknown and count as free")
    assert_one_line(run("plan", tmp_path / "w.png", "--unknown", "gray"), "--unknown")


def test_terrain_costs(run: Run, tmp_path: Path) -> None:
    write_png(World(np.zeros((3, 5), bool)), tmp_path / "w.png")
    gray = np.full((3, 5), 255, np.uint8)
    gray[0, 1:4] = 0
    Image.fromarray(gray).save(tmp_path / "costs.png")
    np.save(tmp_path / "costs.npy", np.where(gray == 0, 10.0, 1.0))
    ends = ["--start", "0,2", "--goal", "4,2", "--policy", "a_star_octile", "--json"]
    for costs in ("costs.png", "costs.npy"):
        facts = json.loads(run("plan", tmp_path / "w.png", "--costs", tmp_path / costs, *ends).out)
        assert facts["cost"] == pytest.approx(2 + 2 * np.sqrt(2))
    assert_one_line(run("plan", tmp_path / "w.png", "--costs", tmp_path / "none.npy"), "none.npy", "no such file")


def test_a_belief_that_does_not_fit_is_noted_once(run: Run, tmp_path: Path) -> None:
    write_png(World(np.zeros((5, 12), bool)), tmp_path / "w.png")
    pictures = ["--png", tmp_path / "a.png", "--gif", tmp_path / "a.gif"]
    for engine in ("compiled", "reference"):
        ran = run("plan", tmp_path / "w.png", "--policy", "belief:mazes", "--engine", engine, *pictures)
        assert ran.code == 0
        assert ran.error.count("\n") == 1
        assert "the belief is not used: " in ran.error
    ran = run("plan", tmp_path / "w.png", "--policy", "belief:mazes", "--json")
    assert "the belief is not used: " in json.loads(ran.out)["note"]
    assert json.loads(run("plan", tmp_path / "w.png", "--json").out)["note"] is None


def test_corners_are_not_cut_unless_asked(run: Run, tmp_path: Path) -> None:
    write_png(World(np.eye(4, dtype=bool)), tmp_path / "w.png")
    ends = ["--start", "1,0", "--goal", "0,1"]
    assert run("plan", tmp_path / "w.png", *ends).code == 1
    assert run("plan", tmp_path / "w.png", *ends, "--corner-cutting").code == 0


def test_a_partial_path_is_told(run: Run, maze: Path) -> None:
    ran = run("plan", maze, "--max-evaluations", 7)
    assert "path        none" in ran.out
    assert "partial     " in ran.out
    assert ran.error.startswith("note: maze: no path within the limits; the partial path of ")
    facts = json.loads(run("plan", maze, "--max-evaluations", 7, "--json").out)
    assert facts["path"] == []
    assert facts["partial_path"][0] == [0, 0]


def test_budgets(run: Run, maze: Path) -> None:
    for options, outcome in (
        (["--max-expansions", 0], "expansions_spent"),
        (["--max-expansions", 7, "--policy", "optimistic"], "expansions_spent"),
        (["--max-evaluations", 7], "evaluations_spent"),
        (["--max-evaluations", 7, "--policy", "optimistic"], "evaluations_spent"),
        (["--max-seconds", 0], "time_spent"),
    ):
        ran = run("plan", maze, "--json", *options)
        assert (ran.code, json.loads(ran.out)["outcome"]) == (1, outcome)


def test_start_equal_to_goal(run: Run, maze: Path) -> None:
    facts = json.loads(run("plan", maze, "--start", "5,5", "--goal", "5,5", "--json").out)
    assert (facts["cost"], facts["expansions"], facts["path"]) == (0, 0, [[5, 5]])


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--start", "5"], ["--start", "X,Y"]),
        (["--start", "a,b"], ["--start", "X,Y"]),
        (["--start", "1,2,3"], ["--start", "X,Y"]),
        (["--start", "201,0"], ["start", "(201, 0)", "outside", "201 x 201"]),
        (["--goal", "-1,0"], ["goal", "(-1, 0)", "outside"]),
        (["--goal", "66,0"], ["goal", "(66, 0)", "blocked", "closest free cell"]),
        (["--policy", "a_star_oktile"], ["no policy", "a_star_octile"]),
        (["--policy", "weighted_a_star:x"], ["weight"]),
        (["--policy", "h_euc:3"], ["h_euc:3"]),
        (["--connectivity", 6], ["4 or 8"]),
        (["--engine", "warp"], ["--engine"]),
        (["--stop", "never"], ["--stop"]),
        (["--max-expansions", -1], ["--max-expansions"]),
        (["--max-seconds", "nan"], ["--max-seconds"]),
        (["--frobnicate"], ["--frobnicate"]),
    ],
)
def test_bad_arguments_are_one_line(run: Run, maze: Path, options: list[object], words: list[str]) -> None:
    assert_one_line(run("plan", maze, *options), *words)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("missing.png", None),
        ("empty.png", b""),
        ("text.png", b"hello"),
        ("cut.png", b"\x89PNG\r\n\x1a\n\x00\x00"),
        ("odd.xyz", b"?"),
        ("odd.map", b"type octile\nheight x\n"),
        ("odd.yaml", b"image: !!python/object:os.system x\n"),
        ("escape.yaml", b"image: ../../etc/passwd\nresolution: 1\norigin: [0,0,0]\n"),
    ],
)
def test_bad_files_are_one_line(run: Run, tmp_path: Path, name: str, content: bytes | None) -> None:
    if content is not None:
        (tmp_path / name).write_bytes(content)
    png = tmp_path / "out.png"
    assert_one_line(run("plan", tmp_path / name, "--png", png), name)
    assert not png.exists()


def test_a_world_without_a_free_cell(run: Run, tmp_path: Path) -> None:
    write_png(World(np.ones((4, 4), bool)), tmp_path / "full.png")
    assert_one_line(run("plan", tmp_path / "full.png"), "no free cell")


def test_a_picture_that_cannot_be_written(run: Run, maze: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    assert_one_line(run("plan", maze, "--png", tmp_path / "file" / "a.png"), "file")


@pytest.mark.parametrize(("width", "height"), [(1, 1), (1, 9), (9, 1), (12, 5)])
def test_odd_shapes(run: Run, tmp_path: Path, width: int, height: int) -> None:
    write_png(World(np.zeros((height, width), bool)), tmp_path / "w.png")
    ran = run("plan", tmp_path / "w.png", "--json", "--png", tmp_path / "p.png")
    assert ran.code == 0
    assert json.loads(ran.out)["path"][-1] == [width - 1, height - 1]
