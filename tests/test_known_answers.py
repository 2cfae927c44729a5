"""Answers known beforehand, on real maps: exact costs, and counts as they were measured by others."""

from __future__ import annotations

import math
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from sailplan.core import Outcome, search
from sailplan.datasets import WorldDataset, read_neural_astar, read_ros_map, read_scenarios
from sailplan.graphs import MOVINGAI_MOVES, GridGraph, Moves, Problem, grid_problem
from sailplan.oracle import cost_to_go
from sailplan.policies import load_policy


class Known(NamedTuple):
    worlds: int
    """Validation maps whose goal can be reached."""
    clairvoyant: float
    h_euc: float
    h_man: float
    a_star: float
    """Mean expansions."""
    optimal: float
    """Mean cost."""
    first_costs: tuple[float, float, float]
    """Cost on the maps 800, 801 and 802."""


FAMILIES = {
    "alternating_gaps": Known(100, 269.6, 5261, 6212, 16770, 323.608, (325.0193, 316.2325, 316.2325)),
    "single_bugtrap": Known(100, 238.7, 1201, 1156, 13963, 305.513, (323.2620, 307.4457, 327.3625)),
    "shifting_gaps": Known(100, 248.1, 2201, 2609, 12580, 311.001, (325.6051, 318.5757, 297.4874)),
    "forest": Known(100, 239.3, 335, 330, 13176, 305.876, (305.6884, 306.8600, 303.3452)),
    "bugtrap_forest": Known(100, 273.5, 2320, 2150, 18883, 325.988, (329.7056, 341.4214, 330.8772)),
    "gaps_and_forest": Known(94, 473.9, 7599, 8622, 20636, 529.594, (467.3625, 511.9899, 531.6051)),
    "mazes": Known(100, 270.9, 1197, 1109, 12691, 339.277, (347.8894, 315.6468, 342.2325)),
    "multiple_bugtraps": Known(100, 267.4, 2883, 2750, 19164, 322.375, (314.4752, 322.0904, 320.9188)),
}
every_family = pytest.mark.parametrize("family", FAMILIES)


class Solvable(NamedTuple):
    problem: Problem
    optimal: float


@cache
def _solvable(data: Path, family: str) -> list[Solvable]:
    worlds = WorldDataset.open(data / "motion_planning_datasets" / family).split("validation")
    problems = [grid_problem(world) for world in worlds]
    solved = [Solvable(problem, float(cost_to_go(problem)[problem.start])) for problem in problems]
    return [each for each in solved if each.optimal < math.inf]


def _mean_expansions(tasks: list[Solvable], name: str) -> float:
    return float(np.mean([search(each.problem, load_policy(name), engine="compiled").expansions for each in tasks]))


@every_family
def test_optimal_costs(shared_data: Path, family: str) -> None:
    tasks, known = _solvable(shared_data, family), FAMILIES[family]
    assert [task.problem.name for task in tasks[:3]] == ["validation/800", "validation/801", "validation/802"]
    assert [task.optimal for task in tasks[:3]] == pytest.approx(list(known.first_costs), abs=1e-3)
    assert len(tasks) == known.worlds
    assert round(float(np.mean([task.optimal for task in tasks])), 3) == known.optimal


def test_the_worlds_that_cannot_be_solved(shared_data: Path) -> None:
    names = {task.problem.name for task in _solvable(shared_data, "gaps_and_forest")}
    missing = [number for number in range(800, 900) if f"validation/{number}" not in names]
    assert missing == [839, 845, 859, 861, 865, 878]


@every_family
@pytest.mark.parametrize("name", ["a_star", "a_star_octile"])
def test_a_star_is_optimal(shared_data: Path, family: str, name: str) -> None:
    for problem, optimal in _solvable(shared_data, family):
        result = search(problem, load_policy(name), engine="compiled")
        assert result.outcome is Outcome.GOAL_EXPANDED
        assert result.cost == pytest.approx(optimal, rel=1e-12), problem.name


@every_family
def test_mean_expansions(shared_data: Path, family: str) -> None:
    tasks, known = _solvable(shared_data, family), FAMILIES[family]
    assert _mean_expansions(tasks, "oracle") == pytest.approx(known.clairvoyant, rel=0.005)
    assert _mean_expansions(tasks, "a_star") == pytest.approx(known.a_star, rel=0.02)
    # Of greedy searches much hangs on ties.
    assert _mean_expansions(tasks, "h_euc") == pytest.approx(known.h_euc, rel=0.12)
    assert _mean_expansions(tasks, "h_man") == pytest.approx(known.h_man, rel=0.12)


@pytest.mark.parametrize(("name", "rows"), [("arena", 160), ("den312d", 320), ("Berlin_0_256", 930)])
@pytest.mark.parametrize("policy", ["a_star", "a_star_octile"])
def test_every_row_of_the_movingai_scenarios(shared_data: Path, name: str, rows: int, policy: str) -> None:
    scenarios = read_scenarios(shared_data / "movingai" / f"{name}.map.scen")
    assert len(scenarios) == rows
    graph = GridGraph(scenarios[0].world, MOVINGAI_MOVES)
    for scenario in scenarios:
        problem = Problem(graph, graph.vertex(scenario.start), graph.vertex(scenario.goal))
        found = search(problem, load_policy(policy), engine="compiled").cost
        assert found == pytest.approx(scenario.listed_cost, rel=5e-5, abs=1e-3), scenario


@pytest.mark.parametrize("split", ["train", "validation", "test"])
def test_the_distances_of_neural_a_star(shared_data: Path, split: str) -> None:
    scenarios = read_neural_astar(shared_data / "neural_astar" / "mazes_032_moore_c8.npz", split)
    for scenario in scenarios:
        moves = Moves(corner_cutting=scenario.corner_cutting, diagonal_cost=scenario.diagonal_cost)
        problem = grid_problem(scenario.world, scenario.start, scenario.goal, moves)
        assert cost_to_go(problem)[problem.start] == scenario.listed_cost, problem.name
        assert search(problem, load_policy("a_star_octile")).cost == scenario.listed_cost, problem.name


def test_a_ros_map_is_planned_on(shared_data: Path) -> None:
    world = read_ros_map(shared_data / "ros_map" / "100by100_10.yaml")
    problem = grid_problem(world)
    assert (world.width, world.height, world.resolution) == (2000, 2000, 0.05)
    best = cost_to_go(problem)[problem.start]
    assert 1999 * math.sqrt(2.0) <= best < math.inf
    for name in ("a_star", "a_star_octile"):
        assert search(problem, load_policy(name)).cost == pytest.approx(best, rel=1e-12)
