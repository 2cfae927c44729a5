"""Tasks: the problems of a benchmark or a training, from folders, generated families and benchmark files."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import numpy as np

from sailplan.archives import ArrayFile
from sailplan.core import Note
from sailplan.core.graph import Problem
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
from sailplan.datasets.edge_worlds import EdgeWorlds, edge_worlds_of, is_edge_worlds
from sailplan.datasets.scenario import Endpoints, LazySequence, random_cells
from sailplan.errors import WorldError
from sailplan.files import exists, is_folder
from sailplan.graphs.grid import PAPER_MOVES, Moves, corner_cells, grid_problem

GENERATED_COUNTS = {"train": 200, "validation": 70, "test": 100}
"""Number of generated worlds in each split, as in the paper."""


Ends = Literal["listed", "corners", "random", "moved"]
"""How start and goal of a task were chosen: as a file lists them, at the corners, at random, or at random because a
corner is blocked."""


@dataclass(frozen=True, eq=False)
class Task:
    """A world to plan on, by default from corner to corner."""

    scenario: Scenario
    """The world, the start and the goal."""
    name: str
    """For tables and messages."""
    ends: Ends = "listed"
    """How start and goal were chosen."""

    @property
    def blocked_end(self) -> str:
        """The first of "start" and "goal" that is blocked; empty if both are free."""
        world = self.scenario.world
        ends = {"start": self.scenario.start, "goal": self.scenario.goal}
        return next((role for role, cell in ends.items() if not world.is_free(cell)), "")

    def problem(self) -> Problem:
        """Return the problem.

        Raises
        ------
        ProblemError
            If the start or the goal is blocked.
        """
        scenario = self.scenario
        moves = Moves(corner_cutting=scenario.corner_cutting, diagonal_cost=scenario.diagonal_cost)
        return grid_problem(scenario.world, scenario.start, scenario.goal, moves)

    @property
    def listed_cost(self) -> float:
        """The path cost that the benchmark file lists; NaN if it lists none."""
        return math.nan if self.scenario.listed_cost is None else self.scenario.listed_cost


@dataclass(frozen=True, eq=False)
class EdgeTask:
    """A world of a roadmap to plan on."""

    worlds: EdgeWorlds
    """The roadmap and its worlds."""
    world: int
    """Number of the world."""
    given_ends: tuple[int, int] | None = None
    """The start and goal, if not those of the world."""
    ends: Ends = "listed"
    """How start and goal were chosen."""
    blocked_end: str = ""
    """Always empty: only edges are invalid."""
    listed_cost: float = math.nan
    """NaN: the files list no costs."""

    @property
    def name(self) -> str:
        """For tables and messages."""
        return f"{self.worlds.name}/{self.world}"

    def problem(self) -> Problem:
        """Return the problem."""
        return self.worlds.problem(self.world, self.given_ends)


@dataclass(frozen=True, eq=False)
class TaskSet:
    """The tasks of one family."""

    family: str
    """Its name."""
    tasks: Sequence[Task | EdgeTask]
    """Loaded on access."""
    notes: tuple[Note, ...] = ()
    """Remarks on the worlds."""


@dataclass(frozen=True)
class Choice:
    """Which tasks to take from the data, and where their searches start and end."""

    split: str | None = None
    """`train`, `validation`, `test` or `all`; by default `test`, or `all` if the data has no splits."""
    limit: int | None = None
    """At most this many tasks of each family; the number of worlds to generate."""
    seed: int = 0
    """Seed of generated worlds and random endpoints."""
    size: int = 201
    """Width and height of generated worlds."""
    endpoints: Endpoints = "auto"
    """Where the searches on a world start and end, unless its file says so."""
    skip: int = 0
    """Number of tasks at the beginning of each family that are left out."""


ALL_TESTS = Choice()


def load_tasks(data: str, choice: Choice = ALL_TESTS) -> list[TaskSet]:
    """Load the tasks that `data` names.

    Parameters
    ----------
    data
        A folder with sub-folders train, validation and test, a folder of maps, a folder of such folders, a MovingAI
        `.scen` file, an `.npz` file of Neural A* or of edge worlds, or the name of a family to generate.
    choice
        Which of the tasks, and where their searches start and end.

    Returns
    -------
    list of TaskSet
        One for each family.

    Raises
    ------
    WorldError
        If there is no such data, or no task is left.

    Examples
    --------
    >>> (tasks,) = load_tasks("mazes", Choice(limit=3))
    >>> tasks.family, len(tasks.tasks), tasks.tasks[0].scenario.goal
    ('mazes', 3, (200, 200))
    """
    path = Path(data)
    if data in FAMILIES and not exists(path):
        sets = [TaskSet(data, _world_tasks(_generated(data, choice), choice))]
    elif path.suffix == ".scen":
        sets = [TaskSet(path.stem.removesuffix(".map"), _scenario_tasks(read_scenarios(path)))]
    elif path.suffix == ".npz":
        sets = [_archive_tasks(path, choice)]
    elif is_folder(path):
        worlds = ((dataset.name, _worlds(dataset, choice.split)) for dataset in find_datasets(path))
        sets = [TaskSet(name, _world_tasks(found, choice)) for name, found in worlds]
    else:
        raise WorldError(f"{data}: neither a folder, a .scen or .npz file, nor a family ({', '.join(FAMILIES)})")
    if choice.skip and any(len(one.tasks) <= choice.skip for one in sets):
        raise WorldError(f"{data}: nothing is left after the first {choice.skip} worlds")
    return [replace(one, tasks=one.tasks[choice.skip :][: choice.limit]) for one in sets]


def holds_edge_worlds(data: str) -> bool:
    """Return whether data is a file of edge worlds; raises WorldError if it is an `.npz` file that cannot be read."""
    path = Path(data)
    return path.suffix == ".npz" and exists(path) and is_edge_worlds(ArrayFile(path, error=WorldError))


def find_datasets(path: Path) -> list[WorldDataset]:
    """Return the dataset in a folder or, if there is none, those in its sub-folders."""
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
    # Splits never share worlds, whatever the seed.
    seed = choice.seed * len(SPLIT_FOLDERS) + SPLIT_FOLDERS.index(split)
    return GeneratedWorlds(family, count, seed, width=choice.size, height=choice.size)


def _world_tasks(worlds: Sequence[World], choice: Choice) -> Sequence[Task]:
    def make(index: int) -> Task:
        world = worlds[index]
        ends: Ends | Literal["auto"] = choice.endpoints
        start, goal = corner_cells(world)
        if ends == "auto":
            ends = "corners" if world.is_free(start) and world.is_free(goal) else "moved"
        if ends != "corners":
            start, goal = random_cells(world, np.random.default_rng([choice.seed, index]))
        scenario = Scenario(
            world,
            start,
            goal,
            corner_cutting=PAPER_MOVES.corner_cutting,
            diagonal_cost=PAPER_MOVES.diagonal_cost,
        )
        return Task(scenario, world.name, ends)

    return LazySequence(range(len(worlds)), make)


def _archive_tasks(path: Path, choice: Choice) -> TaskSet:
    split = choice.split or "test"
    file = ArrayFile(path, error=WorldError)
    if not is_edge_worlds(file):
        return TaskSet(path.stem, _scenario_tasks(read_neural_astar(path, split)))
    worlds = edge_worlds_of(file)
    kept, repeated = worlds.split(split)

    def make(world: int) -> EdgeTask:
        if choice.endpoints != "random":
            return EdgeTask(worlds, world)
        return EdgeTask(worlds, world, worlds.random_ends(world, np.random.default_rng([choice.seed, world])), "random")

    note = Note("repeated worlds", f"{repeated} of {repeated + len(kept)} equal an earlier world and are left out")
    return TaskSet(path.stem, LazySequence(kept, make), (note,) if repeated else ())


def _scenario_tasks(scenarios: Sequence[Scenario]) -> Sequence[Task]:
    def make(index: int) -> Task:
        return Task(scenarios[index], f"{scenarios[index].world.name}#{index}")

    return LazySequence(range(len(scenarios)), make)
