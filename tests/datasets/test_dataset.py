from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from sailplan.datasets import World, WorldDataset, write_map, write_png, write_ros_map
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
    assert repr(worlds) == "<4 items, computed on access>"
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


def test_formats_can_be_mixed_and_the_image_of_a_yaml_file_is_no_map_of_its_own(tmp_path: Path) -> None:
    world = World(np.array([[False, True, False]]), resolution=0.5, origin=(1.0, 2.0, 0.0))
    write_png(world, tmp_path / "1.png")
    write_map(world, tmp_path / "2.map")
    write_ros_map(world, tmp_path / "3.yaml")
    write_ros_map(world, tmp_path / "4.YML", image_suffix=".png")
    (tmp_path / "config.yaml").write_text("nested:\n  key: value\n")
    (tmp_path / "2.map.scen").write_text("version 1\n")
    worlds = WorldDataset.open(tmp_path).split("all")
    assert [one.name for one in worlds] == ["1", "2", "3", "4"]
    assert all(np.array_equal(one.blocked, world.blocked) for one in worlds)
    assert [one.resolution for one in worlds] == [None, None, 0.5, 0.5]


def test_a_damaged_yaml_map_is_listed_and_says_what_is_wrong_when_read(tmp_path: Path) -> None:
    (tmp_path / "broken.yaml").write_text("image: ../elsewhere.pgm\n")
    worlds = WorldDataset.open(tmp_path).split("all")
    with pytest.raises(WorldError, match=r"broken\.yaml: the key 'origin' is missing$"):
        worlds[0]


def test_unknown_cells(tmp_path: Path) -> None:
    Image.fromarray(np.array([[255, 205]], np.uint8)).save(tmp_path / "1.png")
    write_ros_map(World(np.zeros((1, 2), np.bool_)), tmp_path / "2.yaml")
    Image.fromarray(np.array([[255, 205]], np.uint8)).save(tmp_path / "2.pgm")
    free = {
        unknown: [world.image().tolist()[0] for world in WorldDataset.open(tmp_path, unknown=unknown).split("all")]
        for unknown in (None, "free", "blocked")
    }
    assert free[None] == [[True, True], [True, False]]
    assert free["free"] == [[True, True]] * 2
    assert free["blocked"] == [[True, False]] * 2
    with pytest.raises(WorldError, match=r'^unknown must be "free" or "blocked", got True$'):
        WorldDataset.open(tmp_path, unknown=True)  # type: ignore[arg-type]


def test_an_unknown_split_names_those_there_are(tmp_path: Path) -> None:
    _fill(tmp_path / "train", "1.png")
    _fill(tmp_path / "validation", "1.png")
    (tmp_path / "test").mkdir()
    with pytest.raises(WorldError, match=r"^\S+: no split 'test'; there are train, validation$"):
        WorldDataset.open(tmp_path).split("test")


def test_folders_without_worlds_are_refused(tmp_path: Path) -> None:
    with pytest.raises(WorldError, match=r"^\S+absent: no such folder$"):
        WorldDataset.open(tmp_path / "absent")
    with pytest.raises(WorldError, match=r"^\S+: no image or map in it$"):
        WorldDataset.open(tmp_path)
    (tmp_path / "notes.txt").write_text("words")
    with pytest.raises(WorldError, match=r"^\S+notes\.txt: not a folder$"):
        WorldDataset.open(tmp_path / "notes.txt")
    (tmp_path / "train").mkdir()
    with pytest.raises(WorldError, match=r"^\S+: no image or map in it or in train$"):
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
