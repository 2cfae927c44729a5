from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from sailplan.datasets import World, WorldDataset, write_png
from sailplan.errors import WorldError


def _fill(folder: Path, *names: str) -> None:
    for at, name in enumerate(names):
        write_png(World(np.zeros((1, at + 1), dtype=np.bool_)), folder / name)


def test_splits_come_in_order_and_worlds_in_natural_order(tmp_path: Path) -> None:
    _fill(tmp_path / "forest" / "validation", "10.png", "9.png")
    _fill(tmp_path / "forest" / "train", "map10.png", "map2.png", "map1.png", "map01.png", "other.bmp")
    dataset = WorldDataset.open(tmp_path / "forest")
    assert dataset.name == "forest"
    assert dataset.splits == ("train", "validation")
    train = [world.name for world in dataset.split("train")]
    assert train == ["train/map01", "train/map1", "train/map2", "train/map10", "train/other"]
    assert [world.width for world in dataset.split("validation")] == [2, 1]


def test_a_flat_folder_is_the_split_all(tmp_path: Path) -> None:
    _fill(tmp_path, "2.png", "10.png")
    dataset = WorldDataset.open(str(tmp_path))
    assert dataset.splits == ("all",)
    assert [world.name for world in dataset.split("all")] == ["2", "10"]


def test_worlds_are_read_when_asked_for(tmp_path: Path) -> None:
    _fill(tmp_path, "0.png", "1.png", "2.png", "3.png")
    (tmp_path / "1.png").write_bytes(b"not an image")
    worlds = WorldDataset.open(tmp_path).split("all")
    assert len(worlds) == 4
    assert worlds[-1].width == 4
    assert [world.width for world in worlds[2:]] == [3, 4]
    assert [world.width for world in worlds[::-2][:1]] == [4]
    assert repr(worlds) == "<4 items, each made when asked for>"
    with pytest.raises(WorldError, match=r"1\.png: not an image"):
        worlds[1]
    with pytest.raises(IndexError):
        worlds[4]


def test_what_is_not_an_image_is_passed_over(tmp_path: Path) -> None:
    _fill(tmp_path, "1.png", ".hidden.png")
    for name in ("README.md", ".DS_Store"):
        (tmp_path / name).write_text("words")
    (tmp_path / "folder.png").mkdir()
    assert [world.name for world in WorldDataset.open(tmp_path).split("all")] == ["1"]


def test_an_unknown_split_names_those_there_are(tmp_path: Path) -> None:
    _fill(tmp_path / "train", "1.png")
    _fill(tmp_path / "validation", "1.png")
    (tmp_path / "test").mkdir()
    with pytest.raises(WorldError, match=r"^\S+: no split 'test'; there are train, validation$"):
        WorldDataset.open(tmp_path).split("test")


def test_folders_without_worlds_are_refused(tmp_path: Path) -> None:
    with pytest.raises(WorldError, match=r"^\S+absent: no such folder$"):
        WorldDataset.open(tmp_path / "absent")
    with pytest.raises(WorldError, match=r"^\S+: no image in it$"):
        WorldDataset.open(tmp_path)
    (tmp_path / "notes.txt").write_text("words")
    with pytest.raises(WorldError, match=r"^\S+notes\.txt: not a folder$"):
        WorldDataset.open(tmp_path / "notes.txt")
    (tmp_path / "train").mkdir()
    with pytest.raises(WorldError, match=r"^\S+: no image in it or in train$"):
        WorldDataset.open(tmp_path)


def test_the_eight_families(shared_data: Path) -> None:
    families = sorted(path for path in (shared_data / "motion_planning_datasets").iterdir() if path.is_dir())
    assert len(families) == 8
    for folder in families:
        dataset = WorldDataset.open(folder)
        assert dataset.splits == ("train", "validation")
        assert [len(dataset.split(name)) for name in dataset.splits] == [800, 100]
        first = dataset.split("validation")[0]
        assert first.name == "validation/800"
        assert (first.width, first.height) == (201, 201)
        assert first.is_free((0, 0))
        assert first.is_free((200, 200))
