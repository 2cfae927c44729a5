"""Tasks: the problems that a benchmark is run on, from folders, generated families and benchmark files."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from sailplan.core.problem import Problem
from sailplan.datasets import (
    FAMILIES,
    GeneratedWorlds,
    Scenario,
    World,
    WorldDataset,
    read_neural_astar,
    read_scenarios,
)
from sailplan.datasets.dataset import FLAT_SPLIT, SPLIT_FOLDERS
from sailplan.datasets.scenario import Endpoints, LazySequence, random_cells
from sailplan.errors import WorldError
from sailplan.graphs.grid import PAPER_MOVES, Moves, corner_cells, grid_problem

GENERATED_COUNTS = {"train": 200, "validation": 70, "test": 100}
"""How many generated worlds each split has: the paper's numbers."""


@dataclass(frozen=True, eq=False)
class Task:
    """A world to plan on, by default from corner to corner."""

    scenario: Scenario
    name: str

    def problem(self) -> Problem:
        """Pose the problem; raises ProblemError where start or goal are blocked."""
        scenario = self.scenario
        moves = Moves(corner_cutting=scenario.corner_cutting, diagonal_cost=scenario.diagonal_cost)
        return grid_problem(scenario.world, scenario.start, scenario.goal, moves)

    @property
    def listed_cost(self) -> float:
        """The cost that the benchmark's file lists; NaN where it lists none."""
        return math.nan if self.scenario.listed_cost is None else self.scenario.listed_cost


@dataclass(frozen=True, eq=False)
class TaskSet:
    """The tasks of one family."""

    family: str
    tasks: Sequence[Task]


@dataclass(frozen=True)
class Choice:
    """Which tasks to take of the data, and how to pose them."""

    split: str | None = None
    """`train`, `validation`, `test` or `all`; by default `test`, or `all` where the data has no splits."""
    limit: int | None = None
    """Only the first so many of each family; of a family to generate, so many."""
    seed: int = 0
    """Of generated worlds and random endpoints."""
    size: int = 201
    """Width and height of generated worlds."""
    endpoints: Endpoints = "corners"
    """Where the searches on a world start and end, unless its file says."""
    skip: int = 0
    """So many of each family, the first, are left out."""


ALL_TESTS = Choice()


def load_tasks(data: str, choice: Choice = ALL_TESTS) -> list[TaskSet]:
    """Read the tasks that `data` names, a set for each family.

    A folder of splits, a flat folder of images, a folder of such folders, a MovingAI `.scen` file, a Neural A* `.npz`
    file, or the name of a family to generate.
    """
    path = Path(data)
    if data in FAMILIES and not path.exists():
        sets = [TaskSet(data, _world_tasks(_generated(data, choice), choice))]
    elif path.suffix == ".scen":
        sets = [TaskSet(path.stem.removesuffix(".map"), _scenario_tasks(read_scenarios(path)))]
    elif path.suffix == ".npz":
        sets = [TaskSet(path.stem, _scenario_tasks(read_neural_astar(path, choice.split or "test")))]
    elif path.is_dir():
        worlds = ((dataset.name, _worlds(dataset, choice.split)) for dataset in find_datasets(path))
        sets = [TaskSet(name, _world_tasks(found, choice)) for name, found in worlds]
    else:
        raise WorldError(f"{data}: neither a folder, a .scen or .npz file, nor a family ({', '.join(FAMILIES)})")
    if choice.skip and any(len(one.tasks) <= choice.skip for one in sets):
        raise WorldError(f"{data}: nothing is left where the first {choice.skip} worlds are left out")
    return [TaskSet(one.family, one.tasks[choice.skip :][: choice.limit]) for one in sets]


def find_datasets(path: Path) -> list[WorldDataset]:
    """The dataset in a folder or, where there is none, those in its sub-folders."""
    try:
        return [WorldDataset.open(path)]
    except WorldError:
        inner = sorted(folder for folder in path.iterdir() if folder.is_dir() and not folder.name.startswith("."))
        families = [folder for folder in inner if folder.name not in SPLIT_FOLDERS]
        if not families:
            raise
        return [WorldDataset.open(folder) for folder in families]


def _worlds(dataset: WorldDataset, split: str | None) -> Sequence[World]:
    default = FLAT_SPLIT if dataset.splits == (FLAT_SPLIT,) else "test"
    return dataset.split(split or default)


def _generated(family: str, choice: Choice) -> GeneratedWorlds:
    split = choice.split or "test"
    if split not in GENERATED_COUNTS:
        raise WorldError(f"{family}: no split {split!r}; there are {', '.join(GENERATED_COUNTS)}")
    count = choice.skip + (GENERATED_COUNTS[split] if choice.limit is None else choice.limit)
    # Splits must not share worlds, whatever the seed.
    seed = choice.seed * len(SPLIT_FOLDERS) + SPLIT_FOLDERS.index(split)
    return GeneratedWorlds(family, count, seed, width=choice.size, height=choice.size)


def _world_tasks(worlds: Sequence[World], choice: Choice) -> Sequence[Task]:
    def make(index: int) -> Task:
        world = worlds[index]
        if choice.endpoints == "random":
            start, goal = random_cells(world, np.random.default_rng([choice.seed, index]))
        else:
            start, goal = corner_cells(world)
        scenario = Scenario(
            world,
            start,
            goal,
            corner_cutting=PAPER_MOVES.corner_cutting,
            diagonal_cost=PAPER_MOVES.diagonal_cost,
        )
        return Task(scenario, world.name)

    return LazySequence(range(len(worlds)), make)


def _scenario_tasks(scenarios: Sequence[Scenario]) -> Sequence[Task]:
    def make(index: int) -> Task:
        return Task(scenarios[index], f"{scenarios[index].world.name}#{index}")

    return LazySequence(range(len(scenarios)), make)
