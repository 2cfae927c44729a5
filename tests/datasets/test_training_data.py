from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from sailplan.datasets import GeneratedWorlds, World, generate_world, write_png
from sailplan.datasets.labelled import training_problems
from sailplan.datasets.tasks import Choice
from sailplan.errors import WorldError
from sailplan.graphs import GridGraph, Problem

TRAIN, VALIDATION = Choice("train", limit=5), Choice("validation", limit=2)


def _write(folder: Path, count: int) -> None:
    for index, world in enumerate(GeneratedWorlds("forest", count, seed=1, width=9, height=9)):
        write_png(world, folder / f"{index}.png")


def _names(problems: list[Problem]) -> list[str]:
    return [one.name for one in problems]


def _blocked(problem: Problem) -> np.ndarray:
    assert isinstance(problem.graph, GridGraph)
    return problem.graph.world.blocked


def test_a_folder_of_splits(tmp_path: Path) -> None:
    for split, count in (("train", 7), ("validation", 3), ("test", 1)):
        _write(tmp_path / split, count)
    train, validation, _ = training_problems(str(tmp_path), TRAIN, VALIDATION)
    assert _names(train) == [f"train/{index}" for index in range(5)]
    assert _names(validation) == ["validation/0", "validation/1"]
    train, validation, _ = training_problems(str(tmp_path), Choice("train", 99), Choice("validation", 99))
    assert (len(train), len(validation)) == (7, 3)


@pytest.mark.parametrize(
    ("count", "train_on", "validate_on"), [(1, 0, 1), (2, 1, 1), (5, 4, 1), (10, 8, 2), (14, 12, 2), (15, 12, 3)]
)
def test_the_last_fifth_of_a_flat_folder(tmp_path: Path, count: int, train_on: int, validate_on: int) -> None:
    _write(tmp_path, count)
    train, validation, _ = training_problems(str(tmp_path), Choice("train", 99), Choice("validation", 99))
    assert _names(train) == [str(index) for index in range(train_on)]
    assert _names(validation) == [str(index) for index in range(train_on, count)]
    assert len(validation) == validate_on


def test_limits_hold_for_a_flat_folder_too(tmp_path: Path) -> None:
    _write(tmp_path, 20)
    train, validation, _ = training_problems(str(tmp_path), TRAIN, VALIDATION)
    assert _names(train) == ["0", "1", "2", "3", "4"]
    assert _names(validation) == ["16", "17"]


def test_a_family_to_generate() -> None:
    train, validation, _ = training_problems("forest", Choice("train", 3, size=11), Choice("validation", 2, size=11))
    assert (len(train), len(validation)) == (3, 2)
    worlds = [_blocked(one) for one in [*train, *validation]]
    assert worlds[0].shape == (11, 11)
    assert len({world.tobytes() for world in worlds}) == 5
    assert np.array_equal(worlds[1], generate_world("forest", 0, 1, width=11, height=11).blocked)


def test_a_scenario_file_is_parted_as_it_comes(tmp_path: Path) -> None:
    (tmp_path / "tiny.map").write_text("type octile\nheight 2\nwidth 6\nmap\n......\n......\n")
    rows = "".join(f"0\ttiny.map\t6\t2\t0\t1\t{x}\t0\t1.0\n" for x in range(1, 6))
    (tmp_path / "tiny.map.scen").write_text("version 1\n" + rows)
    train, validation, _ = training_problems(
        str(tmp_path / "tiny.map.scen"), Choice("train", 9), Choice("validation", 9)
    )
    goals = [one.goal % 6 for one in [*train, *validation]]
    assert (len(train), goals) == (4, [1, 2, 3, 4, 5])


def test_random_endpoints_differ_from_world_to_world(tmp_path: Path) -> None:
    for index in range(10):
        write_png(World(np.zeros((9, 9), np.bool_)), tmp_path / f"{index}.png")
    ends = [
        [(one.start, one.goal) for part in (parts.train, parts.validation) for one in part]
        for parts in (
            training_problems(
                str(tmp_path),
                Choice("train", 99, seed, endpoints="random"),
                Choice("validation", 99, seed, endpoints="random"),
            )
            for seed in (0, 0, 1)
        )
    ]
    assert ends[0] == ends[1] != ends[2]
    assert len(set(ends[0])) > 5


def test_blocked_corners_are_left_out(tmp_path: Path) -> None:
    _write(tmp_path, 5)
    write_png(World(np.ones((9, 9), np.bool_)), tmp_path / "2.png")
    train, validation, notes = training_problems(str(tmp_path), TRAIN, VALIDATION)
    assert _names(train) == ["0", "1", "3"]
    assert _names(validation) == ["4"]
    assert list(map(str, notes)) == ["endpoints: 1 of 5 worlds have a blocked start and are left out"]


def _wall(folder: Path, names: Iterable[int]) -> None:
    blocked = np.zeros((9, 9), np.bool_)
    blocked[0] = blocked[-1] = blocked[:, 0] = blocked[:, -1] = True
    for name in names:
        write_png(World(blocked), folder / f"{name}.png")


def test_worlds_whose_corners_are_blocked_get_random_ends(tmp_path: Path) -> None:
    _write(tmp_path, 5)
    _wall(tmp_path, (1, 4))
    choices = replace(TRAIN, endpoints="auto"), replace(VALIDATION, endpoints="auto")
    train, validation, notes = training_problems(str(tmp_path), *choices)
    assert _names(train) == ["0", "1", "2", "3"]
    assert _names(validation) == ["4"]
    assert [(one.start, one.goal) == (0, 80) for one in [*train, *validation]] == [True, False, True, True, False]
    told = "endpoints: 2 of 5 worlds have blocked corners; random free cells are used instead"
    assert list(map(str, notes)) == [told]


def test_corners_that_are_all_blocked(tmp_path: Path) -> None:
    _wall(tmp_path, range(6))
    corners = replace(TRAIN, endpoints="corners"), replace(VALIDATION, endpoints="corners")
    with pytest.raises(WorldError, match=r"^6 of 6 worlds have a blocked start; use --endpoints random$"):
        training_problems(str(tmp_path), *corners)


def test_what_cannot_be_parted_is_refused(tmp_path: Path) -> None:
    for name in ("b", "a"):
        _write(tmp_path / "both" / name, 2)
    with pytest.raises(WorldError, match=r"both: several families \(a, b\); name one$"):
        training_problems(str(tmp_path / "both"), TRAIN, VALIDATION)
    _write(tmp_path / "half" / "train", 2)
    with pytest.raises(WorldError, match=r"half: no split 'validation'; there are train$"):
        training_problems(str(tmp_path / "half"), TRAIN, VALIDATION)
    (tmp_path / "empty").mkdir()
    with pytest.raises(WorldError, match="no image"):
        training_problems(str(tmp_path / "empty"), TRAIN, VALIDATION)
    with pytest.raises(WorldError, match="nor a family"):
        training_problems(str(tmp_path / "absent"), TRAIN, VALIDATION)
