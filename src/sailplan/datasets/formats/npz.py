"""Planning tasks of Neural A* (.npz): maps, one-hot goals, best moves and distances, for three splits.

Rows run from the top. A distance is minus the number of moves to the goal, where all eight moves cost 1 and a
diagonal needs only its target free, even between two blocked cells; cells that do not reach the goal, blocked
ones among them, have minus the number of cells.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from sailplan.archives import file_arrays
from sailplan.datasets.scenario import LazySequence, Scenario
from sailplan.errors import WorldError
from sailplan.files import FilePath
from sailplan.graphs.grid.world import Cell, World

_FIRST_ARRAY = {"train": 0, "validation": 4, "test": 8}


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
    first = _FIRST_ARRAY[split]
    arrays = file_arrays(path, error=WorldError)
    maps, goals, distances = (_numeric(path, arrays, f"arr_{first + offset}") for offset in (0, 1, 3))
    if maps.ndim != 3 or maps.size == 0:
        raise WorldError(f"{path}: arr_{first} has the shape {maps.shape}, not (tasks, height, width)")
    expected = (len(maps), 1, *maps.shape[1:])
    for number, array in ((first + 1, goals), (first + 3, distances)):
        if array.shape != expected:
            raise WorldError(f"{path}: arr_{number} has the shape {array.shape}, its maps need {expected}")
    name = f"{Path(path).stem}/{split}"
    tasks = _Tasks(name, maps == 1, goals[:, 0] == 1, -distances[:, 0].astype(np.float64))
    _check(tasks, maps, goals[:, 0], f"{path}: {split}")
    return tasks


def _numeric(path: FilePath, arrays: Mapping[str, NDArray[Any]], name: str) -> NDArray[np.number]:
    if name not in arrays:
        raise WorldError(f"{path}: there is no array {name}")
    if arrays[name].dtype.kind not in "biuf":
        raise WorldError(f"{path}: {name} holds {arrays[name].dtype}, not numbers")
    return arrays[name]


def _check(tasks: _Tasks, maps: NDArray[np.number], goals: NDArray[np.number], place: str) -> None:
    whole_map = (1, 2)
    one_goal = (np.count_nonzero(goals, axis=whole_map) == 1) & tasks.is_goal.any(axis=whole_map)
    for fault, holds in {
        "the map has values other than 0 and 1": (tasks.free | (maps == 0)).all(axis=whole_map),
        "the goals are not one-hot": one_goal,
        "the goal is blocked": (tasks.free & tasks.is_goal).any(axis=whole_map),
        "the distances are not those of eight moves of cost 1": _are_shortest(tasks).all(axis=whole_map),
    }.items():
        if not holds.all():
            raise WorldError(f"{place}, task {holds.argmin()}: {fault}")


def _are_shortest(tasks: _Tasks) -> NDArray[np.bool_]:
    """Whether each cell satisfies Bellman's equation, whose only solution is the number of moves to the goal."""
    moves, unreachable = tasks.moves_to_goal, tasks.unreachable
    around = sliding_window_view(
        np.pad(moves, ((0, 0), (1, 1), (1, 1)), constant_values=unreachable), (3, 3), axis=(1, 2)
    )
    one_more = np.minimum(1 + around.min(axis=(3, 4)), unreachable)
    expected = np.where(tasks.is_goal, 0, np.where(tasks.free, one_more, unreachable))
    shortest: NDArray[np.bool_] = moves == expected
    return shortest
