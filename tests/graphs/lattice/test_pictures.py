"""Pictures of paths on lattices: colours at known places, files, refusals."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from sailplan import load_policy, search
from sailplan.datasets import World
from sailplan.errors import SailplanError
from sailplan.graphs import LatticeGraph, draw_lattice, grid_problem, save_lattice
from sailplan.graphs.grid.pictures import EXPANDED, GOAL, INVALID_EDGE, KNOWN_INVALID, PATH, START, VALID_EDGE
from tests.lattices import WITH_TURNS


def _graph(yaw: float = 0.0) -> LatticeGraph:
    blocked = np.zeros((6, 10), np.bool_)
    blocked[5, 4] = True
    return LatticeGraph(World(blocked, resolution=0.5, origin=(3.0, -2.0, yaw)), WITH_TURNS, 0.2)


@pytest.mark.parametrize("yaw", [0.0, 0.7, math.pi])
def test_start_goal_path_and_obstacles_are_where_they_belong(yaw: float) -> None:
    graph = _graph(yaw)
    problem = graph.problem((1, 2, 0), (8, 2, 0), metres=False)
    path = search(problem, load_policy("a_star")).path
    picture = draw_lattice(problem, path, side=400)
    assert picture.size == (400, 240)

    def colour(x: float, y: float) -> object:
        return picture.getpixel((round(x * 40), round(240 - y * 40)))

    assert colour(1.3, 2.5) == START
    assert colour(8.3, 2.5) == GOAL
    assert colour(4.5, 2.5) == PATH
    assert colour(4.5, 5.5) == KNOWN_INVALID
    colours = {pixel for _, pixel in picture.getcolors(10**6) or []}
    assert VALID_EDGE in colours
    assert EXPANDED not in colours


def test_evaluated_motions_are_drawn_by_their_result() -> None:
    graph = _graph()
    problem = graph.problem((1, 2, 0), (8, 2, 0), metres=False)
    below, middle, wall = (graph.vertex((4, y, 1), metres=False) for y in (3, 4, 5))
    picture = draw_lattice(problem, (), [(below - 4 * 10, below), (middle, wall)])
    colours = {pixel for _, pixel in picture.getcolors(10**6) or []}
    assert {EXPANDED, INVALID_EDGE} <= colours
    assert PATH not in colours


def test_a_picture_is_saved(tmp_path: Path) -> None:
    graph = _graph()
    problem = graph.problem((1, 2, 0), (8, 2, 0), metres=False)
    result = search(problem, load_policy("lazy"))
    save_lattice(problem, result.path, tmp_path / "car.png", result.trace.evaluated)
    with Image.open(tmp_path / "car.png") as picture:
        assert picture.size == (1200, 720)


def test_other_problems_are_refused(tmp_path: Path) -> None:
    with pytest.raises(SailplanError, match="only paths on lattices"):
        save_lattice(grid_problem(World(np.zeros((2, 2), np.bool_))), (), tmp_path / "grid.png")
    assert not (tmp_path / "grid.png").exists()
