from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from PIL import Image

from sailplan.datasets import generate_world, read_world
from tests.cli.conftest import Run, assert_one_line


def test_generated_files_are_the_generated_worlds(run: Run, tmp_path: Path) -> None:
    ran = run("worlds", "generate", "single_bugtrap", "--count", 3, "--seed", 5, "--out", tmp_path / "new" / "folder")
    assert ran.code == 0
    assert sorted(path.name for path in (tmp_path / "new" / "folder").iterdir()) == ["0.png", "1.png", "2.png"]
    read = read_world(tmp_path / "new" / "folder" / "2.png")
    assert np.array_equal(read.blocked, generate_world("single_bugtrap", 5, 2).blocked)


def test_any_size(run: Run, tmp_path: Path) -> None:
    run("worlds", "generate", "forest", "--count", 1, "--width", 40, "--height", 25, "--out", tmp_path)
    world = read_world(tmp_path / "0.png")
    assert (world.width, world.height) == (40, 25)


def test_show(run: Run, maze: Path, tmp_path: Path) -> None:
    facts = json.loads(run("worlds", "show", maze, "--png", tmp_path / "p.png", "--json").out)
    assert (facts["width"], facts["height"]) == (201, 201)
    assert 0.05 < facts["blocked"] < 0.1
    with Image.open(tmp_path / "p.png") as image:
        image.load()
    assert "width" in run("worlds", "show", maze).out


def test_bad_arguments_are_one_line(run: Run, tmp_path: Path) -> None:
    assert_one_line(run("worlds", "generate", "castles", "--out", tmp_path), "castles", "mazes")
    assert_one_line(run("worlds", "generate", "mazes", "--count", 0, "--out", tmp_path), "--count")
    assert_one_line(run("worlds", "generate", "mazes", "--seed", -1, "--out", tmp_path), "--seed")
    assert_one_line(run("worlds", "generate", "mazes"), "--out")
    assert_one_line(run("worlds", "show", tmp_path / "none.png"), "none.png")
