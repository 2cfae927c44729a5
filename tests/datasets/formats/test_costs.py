from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from sailplan.datasets import World, read_costs
from sailplan.datasets.formats.costs import with_costs
from sailplan.errors import WorldError

WORLD = World(np.zeros((2, 3), np.bool_), name="w")
COSTS = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]


def test_arrays_and_npy_files_have_the_top_row_first(tmp_path: Path) -> None:
    np.save(tmp_path / "costs.npy", np.array(COSTS, np.float32))
    for costs in (COSTS, np.array(COSTS, np.uint16), tmp_path / "costs.npy", str(tmp_path / "costs.npy")):
        found = with_costs(WORLD, costs).costs
        assert found is not None
        assert found.tolist() == COSTS[::-1]


@pytest.mark.parametrize("mode", ["L", "RGB", "RGBA"])
def test_gray_values_cost_from_one_to_ten(tmp_path: Path, mode: str) -> None:
    Image.fromarray(np.array([[255, 170, 0]], np.uint8)).convert(mode).save(tmp_path / "costs.png")
    assert read_costs(tmp_path / "costs.png").tolist() == [[1.0, 4.0, 10.0]]


@pytest.mark.parametrize(
    ("costs", "message"),
    [
        (np.ones((3, 2)), r"w: costs need the shape of the map \(2, 3\), got \(3, 2\)"),
        (3.0, r"w: costs need the shape of the map \(2, 3\), got \(\)"),
        (max, r"w: costs need the shape of the map \(2, 3\), got \(\)"),
        (np.zeros((2, 3)), r"w: costs must be at least 1 and at most 1e\+100, got 0.0 at cell \(0, 0\)"),
        ("costs.txt", r"costs.txt: costs are read from files that end in \.npy, \.png, .*"),
        ("absent.npy", "absent.npy: no such file or directory"),
    ],
)
def test_bad_costs_are_refused_in_one_line(costs: Any, message: str) -> None:
    with pytest.raises(WorldError, match=f"^{message}$"):
        with_costs(WORLD, costs)


def test_bad_files_are_refused_in_one_line(tmp_path: Path) -> None:
    for name, contents in (("a.npy", b""), ("b.npy", b"words"), ("c.npy", b"\x93NUMPY\x01\x00")):
        (tmp_path / name).write_bytes(contents)
        with pytest.raises(WorldError, match=rf"^\S+{name}: not a \.npy file, or a damaged one \(.*\)$"):
            read_costs(tmp_path / name)
    np.save(tmp_path / "objects.npy", np.array([max]), allow_pickle=True)
    with pytest.raises(WorldError, match=r"objects.npy: not a \.npy file, or a damaged one"):
        read_costs(tmp_path / "objects.npy")
    np.save(tmp_path / "small.npy", np.ones((1, 1)))
    with pytest.raises(WorldError, match=r"small.npy: costs need the shape of the map \(2, 3\), got \(1, 1\)$"):
        with_costs(WORLD, tmp_path / "small.npy")
