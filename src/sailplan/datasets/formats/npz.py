"""Planning tasks of Neural A* (.npz): maps, one-hot goals, best moves and distances, for three splits.

Rows run from the top. A distance is minus the number of moves to the goal, where all eight moves cost 1 and a
diagonal needs only its target free, even between two blocked cells; cells that do not reach the goal, blocked
ones among them, have minus the number of cells.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from sailplan.archives import ArrayFile
from sailplan.datasets.scenario import LazySequence, Scenario
from sailplan.errors import WorldError
from sailplan.files import FilePath
from sailplan.graphs.grid.world import Cell, World

_FIRST_ARRAY = {"train": 0, "validation": 4, "test": 8}
_ALWAYS_READ, _CELLS_PER_BYTE = 10_000_000, 4
"""Limits of the number of cells in a split: however small the file is, and for each byte of it. Mazes have 0.6."""
_CHECKED_AT_ONCE = 1_000_000
"""Cells of the tasks that are checked together; this takes about a hundred bytes for each."""


@dataclass(frozen=True, eq=False)
class _Tasks:
    """The checked arrays of one split, each of shape (tasks, height, width), top row first."""

    name: str
    free: NDArray[np.bool_]
    is_goal: NDArray[np.bool_]
    moves_to_goal: NDArray[np.float64]

    @property
    def unreachable(self) -> int:
        return int(np.prod(self.free.shape[1:]))

    def scenario(self, task: int) -> Scenario:
        moves = self.moves_to_goal[task]
        world = World.from_image(self.free[task], name=f"{self.name}/{task}")
        farthest = int(np.where(moves < self.unreachable, moves, -1).argmax())
        start, goal = (self._cell(index) for index in (farthest, int(self.is_goal[task].argmax())))
        listed_cost = float(moves.flat[farthest])
        return Scenario(world, start, goal, listed_cost=listed_cost, corner_cutting=True, diagonal_cost=1.0)

    def _cell(self, index: int) -> Cell:
        _, height, width = self.free.shape
        row, column = divmod(index, width)
        return column, height - 1 - row


def read_neural_astar(path: FilePath, split: str) -> Sequence[Scenario]:
    """Read a split of a Neural A* file: one scenario for each map, from the cell farthest from the goal.

    Parameters
    ----------
    path
        The `.npz` file.
    split
        `train`, `validation` or `test`.

    Returns
    -------
    sequence of Scenario
        Made on access. Of several farthest cells the start is the first in rows from the top.

    Raises
    ------
    WorldError
        If the file cannot be read, there is no such split, or a listed distance is not that of a shortest path. All
        arrays are checked at once.
    """
    if split not in _FIRST_ARRAY:
        raise WorldError(f"{path}: no split {split!r}; there are {', '.join(_FIRST_ARRAY)}")
    tasks = _read_tasks(path, split)
    return LazySequence(range(len(tasks.free)), tasks.scenario)


def _read_tasks(path: FilePath, split: str) -> _Tasks:
    file, first = ArrayFile(path, error=WorldError), _FIRST_ARRAY[split]
    maps, goals, distances = (f"arr_{first + offset}" for offset in (0, 1, 3))
    _check_declared(file, maps, goals, distances)
    # One after the other: the arrays in the file are several times as large as what is kept of them.
    free = _read(file, maps, "the map has values other than 0 and 1", split)
    is_goal = _read(file, goals, "the goals are not one-hot", split)[:, 0]
    moves_to_goal = file.read([distances])[distances][:, 0].astype(np.float64, copy=False)
    np.negative(moves_to_goal, out=moves_to_goal)
    tasks = _Tasks(f"{Path(path).stem}/{split}", free, is_goal, moves_to_goal)
    at_once = max(1, _CHECKED_AT_ONCE // tasks.unreachable)
    for begin in range(0, len(free), at_once):
        _check(tasks, slice(begin, begin + at_once), f"{path}: {split}")
    return tasks


def _check_declared(file: ArrayFile, maps: str, goals: str, distances: str) -> None:
    """Raise WorldError if arrays do not have the shapes and types of a split, or more cells than are read."""
    for name in (maps, goals, distances):
        if name not in file:
            raise WorldError(f"{file.path}: there is no array {name}")
        declared = file.declared(name)
        if not declared.holds_numbers:
            raise WorldError(f"{file.path}: {name} holds {declared.kind}, not numbers")
        if name == maps and (len(declared.shape) != 3 or not declared.size):
            raise WorldError(f"{file.path}: {name} has the shape {declared.shape}, not (tasks, height, width)")
        tasks, height, width = file.declared(maps).shape
        if name != maps and declared.shape != (tasks, 1, height, width):
            expected = (tasks, 1, height, width)
            raise WorldError(f"{file.path}: {name} has the shape {declared.shape}, its maps need {expected}")
    cells, most = file.declared(maps).size, max(_ALWAYS_READ, _CELLS_PER_BYTE * file.size)
    if cells > most:
        raise WorldError(f"{file.path}: {maps} has {cells} cells, and at most {most} are read of a file of its size")


def _read(file: ArrayFile, name: str, fault: str, split: str) -> NDArray[np.bool_]:
    """Read an array of zeros and ones."""
    array = file.read([name])[name]
    ones: NDArray[np.bool_] = array == 1
    wrong = np.flatnonzero((~ones & (array != 0)).reshape(len(array), -1).any(axis=1))
    if len(wrong):
        raise WorldError(f"{file.path}: {split}, task {wrong[0]}: {fault}")
    return ones


def _check(tasks: _Tasks, some: slice, place: str) -> None:
    whole_map = (1, 2)
    free, is_goal = tasks.free[some], tasks.is_goal[some]
    for fault, holds in {
        "the goals are not one-hot": np.count_nonzero(is_goal, axis=whole_map) == 1,
        "the goal is blocked": (free & is_goal).any(axis=whole_map),
        "the distances are not those of eight moves of cost 1": _are_shortest(tasks, some).all(axis=whole_map),
    }.items():
        if not holds.all():
            raise WorldError(f"{place}, task {some.start + holds.argmin()}: {fault}")


def _are_shortest(tasks: _Tasks, some: slice) -> NDArray[np.bool_]:
    """Whether each cell satisfies Bellman's equation, whose only solution is the number of moves to the goal."""
    moves, unreachable = tasks.moves_to_goal[some], tasks.unreachable
    around = sliding_window_view(
        np.pad(moves, ((0, 0), (1, 1), (1, 1)), constant_values=unreachable), (3, 3), axis=(1, 2)
    )
    one_more = np.minimum(1 + around.min(axis=(3, 4)), unreachable)
    expected = np.where(tasks.is_goal[some], 0, np.where(tasks.free[some], one_more, unreachable))
    shortest: NDArray[np.bool_] = moves == expected
    return shortest
