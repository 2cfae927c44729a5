"""The generators draw what the real maps show, at every size and from the seed alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from sailplan.datasets.dataset import WorldDataset
from sailplan.datasets.families import FAMILIES, MAYBE_UNSOLVABLE, GeneratedWorlds, generate_world
from sailplan.datasets.kernel import connected
from sailplan.errors import WorldError
from sailplan.graphs.grid.world import World

Blocked = NDArray[np.bool_]
SHAPES = [(1, 1), (1, 12), (12, 1), (2, 3), (5, 5), (33, 60), (120, 50), (401, 401)]
family_name = pytest.mark.parametrize("family", FAMILIES)


def solvable(world: World) -> bool:
    return connected(world.blocked, 0, 0, world.width - 1, world.height - 1)


def reachable(blocked: Blocked) -> set[tuple[int, int]]:
    """Return the cells (x, y) that 8-connected moves reach from the start: the slow twin of `connected`."""
    free = {(int(x), int(y)) for y, x in np.argwhere(~blocked)}
    reached: set[tuple[int, int]] = set()
    waiting = {(0, 0)} & free
    while waiting:
        reached |= waiting
        waiting = {(x + dx, y + dy) for x, y in waiting for dx in (-1, 0, 1) for dy in (-1, 0, 1)} & free - reached
    return reached


def test_connected_agrees_with_its_slow_twin() -> None:
    rng = np.random.default_rng(0)
    for _ in range(60):
        blocked = rng.random(rng.integers(1, 12, 2)) < 0.45
        height, width = blocked.shape
        goal = (width - 1, height - 1)
        assert connected(blocked, 0, 0, *goal) == (goal in reachable(blocked))


@family_name
def test_a_world_depends_on_seed_and_index_only(family: str) -> None:
    few, many = GeneratedWorlds(family, 3, seed=4), GeneratedWorlds(family, 1000, seed=4)
    assert few[2].name == f"{family}/2"
    assert np.array_equal(few[2].blocked, many[2].blocked)
    assert np.array_equal(few[-1].blocked, generate_world(family, 4, 2).blocked)
    assert len({world.blocked.tobytes() for world in many[:8]}) > 4
    assert not np.array_equal(few[2].blocked, generate_world(family, 5, 2).blocked)


def test_worlds_are_a_sequence() -> None:
    worlds = GeneratedWorlds("mazes", 5, seed=0, width=30, height=20)
    assert len(worlds) == len(list(worlds)) == 5
    assert [world.name for world in worlds[::2]] == ["mazes/0", "mazes/2", "mazes/4"]
    assert worlds[0].blocked.shape == (20, 30)
    with pytest.raises(IndexError):
        worlds[5]


@family_name
@pytest.mark.parametrize(("height", "width"), SHAPES)
def test_start_and_goal_are_free_at_every_size(family: str, height: int, width: int) -> None:
    rng = np.random.default_rng(height)
    for blocked in (FAMILIES[family]((height, width), rng) for _ in range(5)):
        assert blocked.shape == (height, width)
        assert not blocked[0, 0]
        assert not blocked[-1, -1]


@pytest.mark.parametrize("family", sorted(FAMILIES.keys() - MAYBE_UNSOLVABLE))
@pytest.mark.parametrize(("height", "width"), [*SHAPES, (201, 201)])
def test_a_path_leads_to_the_goal(family: str, height: int, width: int) -> None:
    assert all(solvable(world) for world in GeneratedWorlds(family, 5, 1, width, height))


def test_trees_close_some_gaps() -> None:
    worlds = GeneratedWorlds("gaps_and_forest", 200, seed=8)
    unsolvable = sum(not solvable(world) for world in worlds) / len(worlds)
    assert 0.04 < unsolvable < 0.18


@family_name
def test_obstacles_scale_with_the_size(family: str) -> None:
    small, large = (GeneratedWorlds(family, 40, 2, side, side) for side in (101, 301))
    assert mean_share(small) == pytest.approx(mean_share(large), rel=0.2)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"family": "swamp"}, "unknown family 'swamp'; known are alternating_gaps, .*mazes"),
        ({"size": -1}, "size must be at least 0, got -1"),
        ({"seed": -1}, "seed must be at least 0, got -1"),
        ({"width": 0}, "width must be at least 1, got 0"),
        ({"height": -3}, "height must be at least 1, got -3"),
    ],
)
def test_what_cannot_be_drawn_is_refused(arguments: dict[str, object], message: str) -> None:
    usable: dict[str, object] = {"family": "forest", "size": 1, "seed": 0}
    with pytest.raises(WorldError, match=message):
        GeneratedWorlds(**(usable | arguments))  # type: ignore[arg-type]


def test_generate_world_refuses_too() -> None:
    with pytest.raises(WorldError, match="unknown family"):
        generate_world("swamp", 0, 0)
    with pytest.raises(WorldError, match="index must be at least 0"):
        generate_world("forest", 0, -1)


def gap_of(blocked: Blocked, left: int, right: int, rows: int = 19) -> int:
    """Return the lowest row of the only gap in a wall, which trees may narrow but not shorten here."""
    open_rows = np.flatnonzero(~blocked[:, left : right + 1].all(axis=1))
    assert open_rows[-1] - open_rows[0] + 1 == rows
    return int(open_rows[0])


def is_one_wall(blocked: Blocked) -> None:
    assert not np.delete(blocked, np.s_[80:121], axis=1).any()
    assert (blocked[:, 80:121] == blocked[:, 80:81]).all()
    assert 11 <= gap_of(blocked, 80, 120) <= 171


def is_one_wall_with_a_low_or_high_gap(blocked: Blocked) -> None:
    is_one_wall(blocked)
    gap = gap_of(blocked, 80, 120)
    assert gap <= 51 or gap >= 131


def is_one_trap_inside(blocked: Blocked) -> None:
    rows, columns = np.flatnonzero(blocked.any(axis=1)), np.flatnonzero(blocked.any(axis=0))
    box = (len(rows), len(columns), int(blocked.sum()))
    assert box in {(76, 76, 76 * 76 - 65 * 54), (86, 76, 76 * 86 - 65 * 64)}
    assert (columns[0] + 7) % 40 < 10
    assert (rows[-1] + 2) % 40 < 10


def is_forest_with_bars(blocked: Blocked) -> None:
    assert blocked[150:161, :71].all()
    assert blocked[50:61, 130:].all()
    assert not blocked[:5].any()
    assert not np.delete(blocked[:, :5], np.s_[150:161], axis=0).any()


def is_large_trap_with_trees(blocked: Blocked) -> None:
    assert blocked[:, 125:136].all(axis=1).sum() >= 101
    assert not np.delete(blocked, np.s_[65:136], axis=1)[[*range(10), *range(191, 201)]].any()


def is_high_gap_then_low_gap(blocked: Blocked) -> None:
    assert 131 <= gap_of(blocked, 45, 75) <= 171
    assert 11 <= gap_of(blocked, 125, 155) <= 51


def is_maze(blocked: Blocked) -> None:
    first, second = gap_of(blocked, 65, 69), gap_of(blocked, 131, 135)
    assert abs(first - second) >= 20
    assert blocked[first + 19 : first + 24, :70].all()
    assert blocked[second - 5 : second, 131:].all()
    assert blocked[max(first, second) + 19, 65:136].all()
    assert blocked[min(first, second) - 1, 65:136].all()


def has_a_trap_in_the_middle(blocked: Blocked) -> None:
    assert blocked[:, 120:126].all(axis=1).sum() >= 96
    assert not blocked[:35, :75].any()
    assert not blocked[181:, :75].any()


FACTS: dict[str, Callable[[Blocked], None]] = {
    "alternating_gaps": is_one_wall_with_a_low_or_high_gap,
    "single_bugtrap": is_one_trap_inside,
    "shifting_gaps": is_one_wall,
    "forest": is_forest_with_bars,
    "bugtrap_forest": is_large_trap_with_trees,
    "gaps_and_forest": is_high_gap_then_low_gap,
    "mazes": is_maze,
    "multiple_bugtraps": has_a_trap_in_the_middle,
}


@family_name
def test_generated_worlds_have_the_shape_of_their_family(family: str) -> None:
    for world in GeneratedWorlds(family, 100, seed=3):
        FACTS[family](world.blocked)


@family_name
def test_real_maps_have_it_too(family: str, shared_data: Path) -> None:
    for world in real_worlds(shared_data, family):
        FACTS[family](world.blocked)


@family_name
def test_as_much_is_blocked_as_in_the_real_maps(family: str, shared_data: Path) -> None:
    generated = GeneratedWorlds(family, 200, seed=6)
    assert mean_share(generated) == pytest.approx(mean_share(real_worlds(shared_data, family)), rel=0.07)


def real_worlds(shared_data: Path, family: str) -> Sequence[World]:
    return WorldDataset.open(shared_data / "motion_planning_datasets" / family).split("train")[:100]


def mean_share(worlds: Sequence[World]) -> float:
    return float(np.mean([world.blocked.mean() for world in worlds]))
