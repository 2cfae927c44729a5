from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from sailplan.datasets import World, read_world, write_world
from sailplan.datasets.formats.read import READERS, WRITERS, decode_world
from sailplan.errors import SizeError, WorldError

WORLD = World.from_image([[1, 0, 1], [1, 1, 0]])


@pytest.mark.parametrize("suffix", [*WRITERS, ".PNG", ".Yaml"])
def test_what_is_written_by_suffix_is_read_by_suffix(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"a.b{suffix}"
    write_world(WORLD, path)
    read = read_world(str(path))
    np.testing.assert_array_equal(read.blocked, WORLD.blocked)
    assert read.name == "a.b"


def test_every_format_written_can_be_read() -> None:
    assert set(WRITERS) <= set(READERS)


@pytest.mark.parametrize("name", ["maze.xyz", "maze", ".png", "maze.scen", "maze.npz", "maze.tif"])
def test_other_suffixes_are_refused_with_those_known(tmp_path: Path, name: str) -> None:
    known = r"\.png, .*\.map, \.yaml, \.yml"
    with pytest.raises(WorldError, match=rf"^\S+{name}: worlds are read from files that end in {known}$"):
        read_world(tmp_path / name)
    with pytest.raises(WorldError, match=rf"^\S+{name}: worlds are written to files that end in {known}$"):
        write_world(WORLD, tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_a_missing_file_and_a_folder_are_refused(tmp_path: Path) -> None:
    (tmp_path / "folder.png").mkdir()
    with pytest.raises(WorldError, match=r"folder\.png: is a directory$"):
        read_world(tmp_path / "folder.png")
    for suffix in READERS:
        with pytest.raises(WorldError, match=rf"absent\{suffix}: no such file or directory$"):
            read_world(tmp_path / f"absent{suffix}")


def test_a_folder_in_the_way_of_writing_is_an_os_error(tmp_path: Path) -> None:
    (tmp_path / "folder.png").mkdir()
    with pytest.raises(IsADirectoryError):
        write_world(WORLD, tmp_path / "folder.png")
    assert list(tmp_path.iterdir()) == [tmp_path / "folder.png"]


@pytest.mark.parametrize("suffix", WRITERS)
def test_every_format_takes_unknown(tmp_path: Path, suffix: str) -> None:
    write_world(WORLD, tmp_path / f"a{suffix}")
    for unknown in ("free", "blocked"):
        np.testing.assert_array_equal(read_world(tmp_path / f"a{suffix}", unknown=unknown).blocked, WORLD.blocked)
    with pytest.raises(WorldError, match=r'^unknown must be "free" or "blocked", got \'gray\'$'):
        read_world(tmp_path / f"a{suffix}", unknown="gray")  # type: ignore[arg-type]


def test_a_path_is_needed() -> None:
    with pytest.raises(WorldError, match=r"^a map file is named by a path, got 7$"):
        read_world(7)  # type: ignore[arg-type]


def _files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.parametrize("suffix", WRITERS)
def test_memory_and_file_give_the_same_world(tmp_path: Path, suffix: str) -> None:
    world = World(WORLD.blocked, resolution=0.25, origin=(1.0, 2.0, 0.5))
    write_world(world, tmp_path / f"a.b{suffix}")
    read, decoded = read_world(tmp_path / f"a.b{suffix}"), decode_world(_files(tmp_path), largest=6)
    np.testing.assert_array_equal(read.blocked, decoded.blocked)
    assert (read.name, read.resolution, read.origin) == (decoded.name, decoded.resolution, decoded.origin)


@pytest.mark.parametrize("suffix", WRITERS)
def test_a_map_that_is_too_large_is_refused_by_its_header(tmp_path: Path, suffix: str) -> None:
    write_world(WORLD, tmp_path / f"a{suffix}")
    with pytest.raises(SizeError, match=r"^a\.\w+: an? (image|map) of 6 cells, and at most 5 are read$"):
        decode_world(_files(tmp_path), largest=5)


def test_a_header_is_enough_to_refuse() -> None:
    with pytest.raises(SizeError, match="25000000 cells"):
        decode_world({"a.map": b"type octile\nheight 5000\nwidth 5000\nmap\n"}, largest=1_000_000)


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ([], "no file: worlds are read from"),
        (["a.txt"], r"a\.txt: worlds are read from"),
        (["a.yaml"], r"a\.yaml: it names the image 'b\.png', which must be given beside it"),
        (["a.yaml", "c.png"], r"a\.yaml: it names the image 'b\.png', which must be given beside it"),
        (["b.png", "c.png"], r"b\.png, c\.png: two files are a \.yaml file and the image"),
    ],
)
def test_files_that_are_no_map(names: list[str], message: str) -> None:
    yaml = b"image: b.png\nresolution: 1\norigin: [0, 0, 0]\nnegate: 0\noccupied_thresh: 0.65\nfree_thresh: 0.196\n"
    with pytest.raises(WorldError, match=f"^{message}"):
        decode_world(dict.fromkeys(names, yaml), largest=100)
