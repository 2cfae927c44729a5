from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sailplan.core import search
from sailplan.datasets import World
from sailplan.datasets.scenario import LEAST_DISTANCE, random_cells
from sailplan.graphs import grid_problem
from sailplan.graphs.grid import corner_cells
from sailplan.policies import dijkstra
from sailplan.testing import draw_world


def test_corners() -> None:
    assert corner_cells(World(np.zeros((3, 5), np.bool_))) == ((0, 0), (4, 2))
    assert corner_cells(World(np.zeros((1, 1), np.bool_))) == ((0, 0), (0, 0))


@settings(max_examples=50)
@given(st.integers(1, 20), st.integers(1, 20), st.sampled_from((0.0, 0.2, 0.5, 0.8)), st.integers(0, 2**32 - 1))
def test_random_cells_are_free_joined_and_far_apart(width: int, height: int, share: float, seed: int) -> None:
    rng = np.random.default_rng(seed)
    world = World(rng.random((height, width)) < share)
    start, goal = random_cells(world, np.random.default_rng(seed))
    assert (start, goal) == random_cells(world, np.random.default_rng(seed))
    if (start, goal) == corner_cells(world):
        return
    far = np.hypot(start[0] - goal[0], start[1] - goal[1])
    assert far >= LEAST_DISTANCE * max(width, height)
    assert search(grid_problem(world, start, goal), dijkstra()).found


def test_where_none_are_found_the_corners_are_taken() -> None:
    for picture in ("##\n##", "..##..\n######", ".###\n####\n####\n####"):
        world = draw_world(picture)
        assert random_cells(world, np.random.default_rng(0)) == corner_cells(world)


def test_every_pair_far_enough_apart_is_drawn_both_ways() -> None:
    world = draw_world(".##.\n#..#\n####")
    drawn = {random_cells(world, np.random.default_rng(seed)) for seed in range(60)}
    assert drawn == {
        ((0, 2), (3, 2)),
        ((3, 2), (0, 2)),
        ((0, 2), (2, 1)),
        ((2, 1), (0, 2)),
        ((1, 1), (3, 2)),
        ((3, 2), (1, 1)),
    }


@pytest.mark.parametrize("cells", [4, 5])
def test_pairs_are_drawn_uniformly(cells: int) -> None:
    world, rng = World(np.zeros((1, cells), np.bool_)), np.random.default_rng(7)
    pairs = [(a, b) for a in range(cells) for b in range(cells) if abs(a - b) >= cells / 2]
    counts = dict.fromkeys(pairs, 0)
    for _ in range(3000):
        (start, _), (goal, _) = random_cells(world, rng)
        counts[start, goal] += 1
    expected = 3000 / len(pairs)
    # The 99.9 % quantile of chi-square with 5 degrees of freedom.
    assert len(pairs) == 6
    assert sum((count - expected) ** 2 / expected for count in counts.values()) < 20.5
