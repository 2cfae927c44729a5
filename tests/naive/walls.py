"""The wall columns in plain Python: all invalid cells are looked at each time."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sailplan.core.graph import FloatArray, Problem
from sailplan.core.state import SearchState
from sailplan.errors import FeatureError
from sailplan.graphs.grid.graph import GridGraph
from sailplan.policies.features.kernel import WALL_COLUMNS
from sailplan.policies.features.relative import direction, unit_of
from sailplan.policies.keyed.heuristics import octile_length

Cell = tuple[int, int]
_DIRECTIONS = ((-1, 0), (1, 0), (0, -1), (0, 1), (-1, -1), (1, 1), (-1, 1), (1, -1))


def wall_columns(problem: Problem, state: SearchState, vertices: Sequence[int]) -> FloatArray:
    graph = problem.graph
    if not isinstance(graph, GridGraph):
        raise FeatureError(f"{problem.name}: walls need a grid")
    walls = find_walls([graph.cell(vertex) for vertex in state.invalid.tolist()])
    corners = {id(wall): _corners(wall) for wall in walls.values()}
    goal, rows = graph.cell(problem.goal), []
    mirrored = direction(problem).prod() < 0
    for vertex in vertices:
        here = graph.cell(vertex)
        away = _octile(graph, here, goal)
        total, left, right, sight, last = 0.0, 0.0, 0.0, away, None
        for cell in straight_way(here, goal):
            wall = walls.get(cell)
            if wall is None or wall is last:
                continue
            ways = _ways_round(graph, here, goal, away, corners[id(wall)])
            total += min(ways)
            if last is None:
                (left, right), sight = ways, _octile(graph, here, cell)
            last = wall
        rows.append((away, total, *((right, left) if mirrored else (left, right)), sight))
    return np.array(rows).reshape(-1, len(WALL_COLUMNS)) * unit_of(problem)


def find_walls(cells: Sequence[Cell]) -> dict[Cell, frozenset[Cell]]:
    """The wall of each cell: those that it touches, also by a corner, and those that these touch."""
    walls: dict[Cell, frozenset[Cell]] = {}
    left = set(cells)
    while left:
        waiting, met = [left.pop()], set()
        while waiting:
            x, y = waiting.pop()
            met.add((x, y))
            around = {(x + dx, y + dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1)} & left
            left -= around
            waiting += around
        walls.update(dict.fromkeys(met, frozenset(met)))
    return walls


def straight_way(here: Cell, goal: Cell) -> list[Cell]:
    """The cells between the two, one for each step along the longer axis."""
    dx, dy = goal[0] - here[0], goal[1] - here[1]
    steps = max(abs(dx), abs(dy))
    return [
        (here[0] + _rounded(step * (dx / steps)), here[1] + _rounded(step * (dy / steps))) for step in range(1, steps)
    ]


def _rounded(offset: float) -> int:
    """To the nearest whole number, halves away from zero: the same way to the left as to the right."""
    return int(offset + 0.5) if offset >= 0.0 else -int(0.5 - offset)


def _corners(wall: frozenset[Cell]) -> list[Cell]:
    """The farthest cells in eight directions; of equally far ones the lowest, then the leftmost."""
    return [min(wall, key=lambda cell: (-(cell[0] * dx + cell[1] * dy), cell[1], cell[0])) for dx, dy in _DIRECTIONS]


def _ways_round(graph: GridGraph, here: Cell, goal: Cell, away: float, corners: Sequence[Cell]) -> tuple[float, float]:
    width, height = graph.world.width, graph.world.height
    left, right = 0.0, 0.0
    for number, (x, y) in enumerate(corners):
        if number < 4 and (x == 0, x == width - 1, y == 0, y == height - 1)[number]:
            detour = float(max(width, height))
        else:
            detour = _octile(graph, here, (x, y)) + _octile(graph, (x, y), goal) - away
        side = (goal[0] - here[0]) * (y - here[1]) - (goal[1] - here[1]) * (x - here[0])
        left = max(left, detour) if side >= 0 else left
        right = max(right, detour) if side <= 0 else right
    return left, right


def _octile(graph: GridGraph, one: Cell, other: Cell) -> float:
    offset = float(abs(one[0] - other[0])), float(abs(one[1] - other[1]))
    return octile_length(offset, graph.arrays().diagonal_cost)
