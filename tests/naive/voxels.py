"""Voxels by definition: moves and the corner rule by loops, shortest paths by scipy, distances between all pairs."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

Voxel = tuple[int, int, int]


def valid_moves(blocked: NDArray[np.bool_], connectivity: int, corner_cutting: bool) -> dict[Voxel, dict[Voxel, float]]:
    """The valid moves from each free voxel, with their costs."""
    components = {6: 1, 18: 2, 26: 3}[connectivity]
    moves: dict[Voxel, dict[Voxel, float]] = {}
    for x, y, z in np.argwhere(~blocked).tolist():
        source = x, y, z
        moves[source] = {}
        for step in product((-1, 0, 1), repeat=3):
            target = x + step[0], y + step[1], z + step[2]
            if not 1 <= sum(map(abs, step)) <= components:
                continue
            if not all(0 <= at < size for at, size in zip(target, blocked.shape, strict=True)) or blocked[target]:
                continue
            box = product(*({one, other} for one, other in zip(source, target, strict=True)))
            if corner_cutting or not any(blocked[voxel] for voxel in box):
                moves[source][target] = math.sqrt(sum(map(abs, step)))
    return moves


def shortest_costs(
    blocked: NDArray[np.bool_], connectivity: int, corner_cutting: bool, start: Voxel
) -> NDArray[np.float64]:
    """The cost of the cheapest path from the start to each voxel, by scipy; infinite if there is none."""
    padded = np.pad(blocked, 1, constant_values=True)
    numbers = np.arange(blocked.size).reshape(blocked.shape)
    rows, columns, costs = [], [], []
    for step in product((-1, 0, 1), repeat=3):
        if not 1 <= sum(map(abs, step)) <= {6: 1, 18: 2, 26: 3}[connectivity]:
            continue
        valid = ~blocked & ~_moved(padded, step)
        for part in () if corner_cutting else product(*({0, component} for component in step)):
            valid &= ~_moved(padded, part)
        rows.append(numbers[valid])
        columns.append(_moved(np.pad(numbers, 1), step)[valid])
        costs.append(np.full(valid.sum(), math.sqrt(sum(map(abs, step)))))
    ends = np.concatenate(rows), np.concatenate(columns)
    graph = csr_array((np.concatenate(costs), ends), shape=(blocked.size, blocked.size))
    distances: NDArray[np.float64] = dijkstra(graph, indices=int(np.ravel_multi_index(start, blocked.shape)))
    return distances.reshape(blocked.shape)


def _moved(padded: NDArray[Any], step: tuple[int, ...]) -> NDArray[Any]:
    """The volume inside a padded one, of which each voxel has the value of the one that a step leads to."""
    x, y, z = (slice(1 + by, size - 1 + by) for by, size in zip(step, padded.shape, strict=True))
    return padded[x, y, z]


def squared_distances(blocked: NDArray[np.bool_]) -> NDArray[np.int64]:
    """The squared distance of each voxel to the nearest blocked one, from all pairs."""
    here, there = np.argwhere(np.ones(blocked.shape, bool)), np.argwhere(blocked)
    squares: NDArray[np.int64] = ((here[:, None] - there[None]) ** 2).sum(axis=2).min(axis=1)
    return squares.reshape(blocked.shape)
