from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from sailplan.datasets import EdgeWorlds, GeneratedWorlds, Scenario, World, write_edge_worlds, write_png
from sailplan.datasets.tasks import Choice, EdgeTask, Task, load_tasks
from sailplan.errors import WorldError
from sailplan.graphs import ExplicitGraph


def write_worlds(folder: Path, count: int) -> None:
    for index, world in enumerate(GeneratedWorlds("forest", count, seed=3, width=21, height=17)):
        write_png(world, folder / f"{index}.png")


def _scenario(task: Task | EdgeTask) -> Scenario:
    assert isinstance(task, Task)
    return task.scenario


def test_a_folder_of_splits(tmp_path: Path) -> None:
    write_worlds(tmp_path / "mine" / "train", 1)
    write_worlds(tmp_path / "mine" / "test", 3)
    (task_set,) = load_tasks(str(tmp_path / "mine"))
    assert (task_set.family, len(task_set.tasks)) == ("mine", 3)
    task = task_set.tasks[0]
    assert (_scenario(task).start, _scenario(task).goal) == ((0, 0), (20, 16))
    assert math.isnan(task.listed_cost)


def test_a_flat_folder_is_the_split_all(tmp_path: Path) -> None:
    write_worlds(tmp_path, 2)
    assert len(load_tasks(str(tmp_path))[0].tasks) == 2
    assert len(load_tasks(str(tmp_path), Choice("all", limit=1))[0].tasks) == 1
    with pytest.raises(WorldError, match="no split 'train'; there are all"):
        load_tasks(str(tmp_path), Choice("train"))


def test_a_folder_of_families(tmp_path: Path) -> None:
    for family in ("b", "a"):
        write_worlds(tmp_path / family / "validation", 2)
    assert [one.family for one in load_tasks(str(tmp_path), Choice("validation"))] == ["a", "b"]


def test_empty_splits_are_no_families(tmp_path: Path) -> None:
    (tmp_path / "train").mkdir()
    (tmp_path / "test").mkdir()
    with pytest.raises(WorldError, match="no image or map in it or in train, test"):
        load_tasks(str(tmp_path))


def test_a_generated_family_keeps_its_splits_apart() -> None:
    worlds = {
        (seed, split): _scenario(load_tasks("forest", Choice(split, limit=1, seed=seed))[0].tasks[0]).world.blocked
        for seed in (0, 1)
        for split in ("train", "validation", "test")
    }
    keys = list(worlds)
    for one in keys:
        for other in keys:
            assert np.array_equal(worlds[one], worlds[other]) == (one == other)


def test_a_generated_family_has_the_papers_sizes() -> None:
    assert [len(load_tasks("mazes", Choice(split))[0].tasks) for split in ("train", "validation", "test")] == [
        200,
        70,
        100,
    ]
    with pytest.raises(WorldError, match="no split 'all'"):
        load_tasks("mazes", Choice("all"))


def test_a_scenario_file(tmp_path: Path) -> None:
    (tmp_path / "tiny.map").write_text("type octile\nheight 2\nwidth 3\nmap\n...\n.@.\n")
    (tmp_path / "tiny.map.scen").write_text("version 1\n0\ttiny.map\t3\t2\t0\t1\t2\t1\t4.0\n")
    (task_set,) = load_tasks(str(tmp_path / "tiny.map.scen"))
    (task,) = task_set.tasks
    assert task_set.family == "tiny"
    assert task.listed_cost == 4.0
    assert not _scenario(task).corner_cutting
    assert (_scenario(task).start, _scenario(task).goal) == ((0, 0), (2, 0))


def test_what_is_none_of_these_is_refused(tmp_path: Path) -> None:
    with pytest.raises(WorldError, match="nor a family"):
        load_tasks("no_such_thing")
    with pytest.raises(WorldError, match="no image"):
        load_tasks(str(tmp_path))


def test_a_blocked_corner_is_told_when_the_problem_is_posed(tmp_path: Path) -> None:
    write_png(World(np.ones((3, 3), bool)), tmp_path / "full.png")
    task = load_tasks(str(tmp_path))[0].tasks[0]
    with pytest.raises(ValueError, match="no free cell"):
        task.problem()


def test_the_first_worlds_can_be_left_out(tmp_path: Path) -> None:
    write_worlds(tmp_path, 5)
    whole = load_tasks(str(tmp_path))[0].tasks
    rest = load_tasks(str(tmp_path), Choice(skip=2, limit=2))[0].tasks
    assert [task.name for task in rest] == [task.name for task in whole][2:4]
    generated = [load_tasks("forest", Choice(limit=1, skip=skip, size=21))[0].tasks for skip in (0, 1)]
    assert [len(tasks) for tasks in generated] == [1, 1]
    first, second = (_scenario(tasks[0]).world.blocked for tasks in generated)
    assert not np.array_equal(first, second)
    with pytest.raises(WorldError, match="nothing is left after the first 5 worlds"):
        load_tasks(str(tmp_path), Choice(skip=5))


def test_random_ends_where_a_corner_is_blocked(tmp_path: Path) -> None:
    write_png(World(np.zeros((20, 20), bool)), tmp_path / "1.png")
    walled = np.zeros((20, 20), bool)
    walled[[0, -1]] = walled[:, [0, -1]] = True
    write_png(World(walled), tmp_path / "2.png")
    for choice in (Choice(), Choice(endpoints="auto")):
        first, second = load_tasks(str(tmp_path), choice)[0].tasks
        assert (_scenario(first).start, _scenario(first).goal) == ((0, 0), (19, 19))
        assert _scenario(second).start != (0, 0)
        second.problem()
    corners = load_tasks(str(tmp_path), Choice(endpoints="corners"))[0].tasks[1]
    with pytest.raises(ValueError, match="blocked"):
        corners.problem()


def test_a_file_of_edge_worlds(tmp_path: Path) -> None:
    graph = ExplicitGraph.from_edges(3, [(0, 1, 1.0), (1, 2, 1.0), (0, 2, 3.0)], undirected=True)
    table = np.array([[1, 1, 1], [1, 1, 1], [0, 1, 1], [1, 1, 1], [1, 0, 1]], bool)
    write_edge_worlds(EdgeWorlds.of(graph, table, 0, 2, sizes=(2, 2)), tmp_path / "triangle.npz")
    names = {}
    for split in ("train", "validation", "test", "all"):
        (task_set,) = load_tasks(str(tmp_path / "triangle.npz"), Choice(split))
        names[split] = [task.name for task in task_set.tasks]
        # Training worlds are kept; of others, those that equal an earlier one are left out.
        repeated = {"train": 0, "validation": 1, "test": 0, "all": 2}[split]
        notes = [note.message for note in task_set.notes]
        assert (
            notes
            == [f"{repeated} of {len(task_set.tasks) + repeated} equal an earlier world and are left out"][
                : min(repeated, 1)
            ]
        )
    assert names == {
        "train": ["triangle/0", "triangle/1"],
        "validation": ["triangle/2"],
        "test": ["triangle/4"],
        "all": ["triangle/0", "triangle/2", "triangle/4"],
    }
    problem = task_set.tasks[1].problem()
    assert (problem.start, problem.goal, problem.graph.evaluate(0, [1, 2])) == (0, 2, [1, 0])
    (random,) = load_tasks(str(tmp_path / "triangle.npz"), Choice("all", endpoints="random", seed=4))
    assert [task.ends for task in random.tasks] == ["random"] * 3
    with pytest.raises(WorldError, match="no split 'tests'"):
        load_tasks(str(tmp_path / "triangle.npz"), Choice("tests"))
