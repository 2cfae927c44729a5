from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from sailplan import archives
from sailplan.datasets import read_neural_astar
from sailplan.errors import WorldError

# G is the goal, digits are moves to it; diagonals pass between blocked cells, the last column is cut off.
DRAWING = ["G1##.", "##2##", "433##"]
FREE = np.array([[letter != "#" for letter in row] for row in DRAWING])
GOAL = np.array([[letter == "G" for letter in row] for row in DRAWING])
MOVES = np.array([[int(letter) if letter.isdigit() else 15 for letter in row] for row in DRAWING])
MOVES[0, 0] = 0


def _arrays() -> list[NDArray[np.float64]]:
    """The arrays of the drawing, twice in train, once in the other splits."""
    arrays = []
    for tasks in (2, 1, 1):
        maps, goals, moves = (np.stack([array] * tasks).astype(float) for array in (FREE, GOAL, MOVES))
        arrays += [maps, goals[:, None], np.zeros((tasks, 8, 1, 3, 5)), -moves[:, None]]
    return arrays


def _save(folder: Path, arrays: list[NDArray[np.float64]]) -> Path:
    np.savez_compressed(folder / "tiny.npz", *arrays)
    return folder / "tiny.npz"


def test_the_start_is_the_farthest_cell_the_right_way_up(tmp_path: Path) -> None:
    scenarios = read_neural_astar(_save(tmp_path, _arrays()), "train")
    assert len(scenarios) == 2
    scenario = scenarios[1]
    assert scenario.world.name == "tiny/train/1"
    np.testing.assert_array_equal(scenario.world.image(), FREE)
    assert scenario.goal == (0, 2)
    assert scenario.start == (0, 0)
    assert scenario.listed_cost == 4
    assert scenario.corner_cutting
    assert scenario.diagonal_cost == 1
    assert [len(read_neural_astar(tmp_path / "tiny.npz", split)) for split in ("validation", "test")] == [
        1,
        1,
    ]


def test_of_several_farthest_cells_the_first_from_the_top_is_taken(tmp_path: Path) -> None:
    goal, moves = np.zeros((1, 1, 2, 3)), np.array([[[[1, 0, 1], [1, 1, 1]]]])
    goal[0, 0, 0, 1] = 1
    path = _save(tmp_path, [np.ones((1, 2, 3)), goal, goal, -moves])
    assert read_neural_astar(path, "train")[0].start == (0, 1)


def test_a_goal_alone_is_its_own_start(tmp_path: Path) -> None:
    only = np.ones((1, 1, 1, 1))
    (scenario,) = read_neural_astar(_save(tmp_path, [only[0], only, only, -0.0 * only]), "train")
    assert (scenario.start, scenario.goal, scenario.listed_cost) == ((0, 0), (0, 0), 0)


def test_scenarios_are_made_when_asked_for_and_slices_are_lazy(tmp_path: Path) -> None:
    scenarios = read_neural_astar(_save(tmp_path, _arrays()), "train")
    assert [scenario.world.name for scenario in scenarios[1:]] == ["tiny/train/1"]
    assert scenarios[0].world is not scenarios[0].world


@pytest.mark.parametrize(
    ("array", "value", "fault"),
    [
        (0, np.zeros((2, 1, 3, 5)), r"arr_0 has the shape \(2, 1, 3, 5\), not \(tasks, height, width\)"),
        (0, np.zeros((0, 3, 5)), r"arr_0 has the shape \(0, 3, 5\), not \(tasks, height, width\)"),
        (0, np.full((2, 3, 5), 0.5), "train, task 0: the map has values other than 0 and 1"),
        (0, np.full((2, 3, 5), np.nan), "train, task 0: the map has values other than 0 and 1"),
        (0, np.full((2, 3, 5), "x"), "arr_0 holds <U1, not numbers"),
        (0, np.full((2, 3, 5), 1j), "arr_0 holds complex128, not numbers"),
        (1, np.zeros((2, 3, 5)), r"arr_1 has the shape \(2, 3, 5\), its maps need \(2, 1, 3, 5\)"),
        (1, np.zeros((2, 1, 3, 5)), "train, task 0: the goals are not one-hot"),
        (1, np.ones((2, 1, 3, 5)), "train, task 0: the goals are not one-hot"),
        (1, np.roll(_arrays()[1], 2, axis=3), "train, task 0: the goal is blocked"),
        (3, np.zeros((1, 1, 3, 5)), r"arr_3 has the shape \(1, 1, 3, 5\), its maps need \(2, 1, 3, 5\)"),
        (3, np.zeros((2, 1, 3, 5)), "train, task 0: the distances are not those of eight moves of cost 1"),
        (
            3,
            np.full((2, 1, 3, 5), np.nan),
            "train, task 0: the distances are not those of eight moves of cost 1",
        ),
        (3, -_arrays()[3], "train, task 0: the distances are not those of eight moves of cost 1"),
        (3, 2**0.5 * _arrays()[3], "train, task 0: the distances are not those of eight moves of cost 1"),
    ],
)
def test_bad_arrays_are_refused_in_one_line(tmp_path: Path, array: int, value: NDArray[np.float64], fault: str) -> None:
    arrays = _arrays()
    arrays[array] = value
    with pytest.raises(WorldError, match=rf"^\S+/tiny\.npz: {fault}$"):
        read_neural_astar(_save(tmp_path, arrays), "train")


def test_the_task_at_fault_is_named(tmp_path: Path) -> None:
    arrays = _arrays()
    arrays[3][1, 0, 0, 4] = -5
    with pytest.raises(WorldError, match="train, task 1: the distances are not"):
        read_neural_astar(_save(tmp_path, arrays), "train")


def test_missing_arrays_and_splits_are_refused(tmp_path: Path) -> None:
    path = _save(tmp_path, _arrays()[:4])
    with pytest.raises(WorldError, match=r"^\S+/tiny\.npz: there is no array arr_8$"):
        read_neural_astar(path, "test")
    with pytest.raises(WorldError, match=r"^\S+/tiny\.npz: no split 'all'; there are train, validation, test$"):
        read_neural_astar(path, "all")


def test_pickles_are_not_opened(tmp_path: Path) -> None:
    np.savez(tmp_path / "tiny.npz", np.array([{}], dtype=object))
    with pytest.raises(WorldError, match=r"^\S+/tiny\.npz: not an \.npz file, or a damaged one \(.*pickle.*\)$"):
        read_neural_astar(tmp_path / "tiny.npz", "train")


@pytest.mark.parametrize("contents", [b"", b"words", b"PK\x03\x04 and no more", b"\x93NUMPY\x01\x00v\x00"])
def test_other_files_are_refused(tmp_path: Path, contents: bytes) -> None:
    (tmp_path / "bad.npz").write_bytes(contents)
    with pytest.raises(WorldError, match=r"^\S+/bad\.npz: not an \.npz file, or a damaged one \(.+\)$"):
        read_neural_astar(tmp_path / "bad.npz", "train")


def test_damaged_files_are_refused(tmp_path: Path) -> None:
    path = _save(tmp_path, _arrays())
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(WorldError, match=r"^\S+/tiny\.npz: not an \.npz file, or a damaged one \(.+\)$"):
        read_neural_astar(path, "train")
    path.write_bytes(whole.replace(b"\x93NUMPY", b"\x93NUMPX").replace(whole[60:80], whole[80:100]))
    with pytest.raises(WorldError, match=r"^\S+/tiny\.npz: not an \.npz file, or a damaged one \(.+\)$"):
        read_neural_astar(path, "train")


def test_what_unpacks_to_too_much_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = _save(tmp_path, _arrays())
    monkeypatch.setattr(archives, "LARGEST_UNPACKED", 200)
    with pytest.raises(WorldError, match=r"^\S+/tiny\.npz: unpacks to \d+ bytes, and at most 200 are read of"):
        read_neural_astar(path, "train")


def _peak(call: Callable[[], object]) -> int:
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_more_cells_than_a_file_of_its_size_may_have_are_refused_before_they_are_unpacked(tmp_path: Path) -> None:
    cells, noise = (12_000, 1, 32, 32), np.random.default_rng(0).integers(256, size=500_000, dtype=np.uint8)
    zeros = np.zeros(cells, np.uint8)
    np.savez_compressed(tmp_path / "a.npz", noise=noise, arr_8=zeros[:, 0], arr_9=zeros, arr_11=zeros)

    def refuse() -> None:
        with pytest.raises(WorldError, match=r"arr_8 has 12288000 cells, and at most 10000000 are read of a file"):
            read_neural_astar(tmp_path / "a.npz", "test")

    assert _peak(refuse) < 4 * 2**20


def test_only_the_arrays_of_the_split_are_unpacked_and_few_tasks_are_checked_at_once(tmp_path: Path) -> None:
    tasks, side = 4000, 16
    free, goals = np.ones((tasks, side, side), np.float32), np.zeros((tasks, 1, side, side))
    goals[:, 0, 0, 0] = 1
    distances = -np.maximum(*np.indices((side, side)))[None, None].repeat(tasks, 0).astype(float)
    np.savez(tmp_path / "a.npz", arr_0=free, arr_1=goals, arr_2=np.zeros((tasks, 8, side, side)), arr_3=distances)
    contents = (tmp_path / "a.npz").stat().st_size
    # The file itself, the distances, two booleans for each cell, and what is checked at once.
    most = contents + free.size * (8 + 2) + 110 * 2**20
    assert _peak(lambda: read_neural_astar(tmp_path / "a.npz", "train")) < most


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(WorldError, match=r"^\S+absent\.npz: no such file or directory$"):
        read_neural_astar(tmp_path / "absent.npz", "train")


@pytest.mark.parametrize(("split", "first", "tasks"), [("train", 0, 800), ("validation", 4, 100), ("test", 8, 100)])
def test_distances_of_the_real_mazes_are_eight_moves_of_cost_one(
    shared_data: Path, split: str, first: int, tasks: int
) -> None:
    path = shared_data / "neural_astar" / "mazes_032_moore_c8.npz"
    with np.load(path, allow_pickle=False) as arrays:
        maps, goals, distances = (arrays[f"arr_{first + offset}"] for offset in (0, 1, 3))
    moves = _flood(maps == 1, goals[:, 0] == 1)
    np.testing.assert_array_equal(-distances[:, 0], moves)
    scenarios = read_neural_astar(path, split)
    assert len(scenarios) == tasks
    for scenario, free, goal, to_goal in zip(scenarios, maps == 1, goals[:, 0], moves, strict=True):
        np.testing.assert_array_equal(scenario.world.image(), free)
        assert goal[31 - scenario.goal[1], scenario.goal[0]] == 1
        assert to_goal[31 - scenario.start[1], scenario.start[0]] == scenario.listed_cost
        assert scenario.listed_cost == to_goal[to_goal < 1024].max()


def _flood(free: NDArray[np.bool_], reached: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Number of moves to the goal by spreading to all eight neighbours at once; 1024 where it never comes."""
    moves = np.where(reached, 0, 1024)
    for step in range(1, 1024):
        padded = np.pad(reached, ((0, 0), (1, 1), (1, 1)))
        spread = np.any([padded[:, dy : dy + 32, dx : dx + 32] for dy in range(3) for dx in range(3)], axis=0)
        arrived = spread & free & ~reached
        if not arrived.any():
            break
        moves[arrived] = step
        reached = reached | arrived
    return moves
