"""Training data: the problems of a dataset, and the true cost-to-go that labels them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar, NamedTuple

import numpy as np

from sailplan.core import Note
from sailplan.core.graph import FloatArray, Problem
from sailplan.datasets.dataset import FLAT_SPLIT
from sailplan.datasets.tasks import Choice, EdgeTask, Task, TaskSet, find_datasets, load_tasks
from sailplan.errors import ProblemError, TrainingError, WorldError
from sailplan.files import is_folder
from sailplan.oracle import cost_to_go
from sailplan.parallel import run_all

UNREACHABLE_FACTOR = 2.0


@dataclass(frozen=True, eq=False)
class LabelledProblem:
    """A problem whose goal can be reached, and the true cost-to-go of every vertex."""

    problem: Problem
    table: FloatArray
    """Cost-to-go by vertex; infinite where the goal cannot be reached."""
    sent_once: ClassVar[bool] = True
    """A cluster receives it once, as it does the problem."""

    def labels(self, vertices: Sequence[int]) -> FloatArray:
        """The cost-to-go of some vertices.

        A vertex from which the goal cannot be reached (graphs with one-way edges have such) gets twice the largest
        finite cost-to-go of its world: worse than any other, and still a number to regress.
        """
        values = self.table[np.asarray(vertices, np.int64)]
        unreachable = np.isinf(values)
        if unreachable.any():
            values[unreachable] = UNREACHABLE_FACTOR * self.table[np.isfinite(self.table)].max()
        return values


class LabelledProblems(NamedTuple):
    """The problems of a dataset that have a path."""

    solvable: list[LabelledProblem]
    unsolvable: int
    """Number of problems that were left out because they have no path."""


def label_problems(problems: Iterable[Problem], *, jobs: int = 1) -> LabelledProblems:
    """Compute the cost-to-go of every problem.

    Parameters
    ----------
    problems
        Problems on finite graphs.
    jobs
        Number of threads.

    Returns
    -------
    LabelledProblems
        The problems that have a path, in order, and the number of the others.

    Raises
    ------
    TrainingError
        If no problem has a path.
    """

    def label(problem: Problem) -> LabelledProblem | None:
        table = cost_to_go(problem)
        return LabelledProblem(problem, table) if np.isfinite(table[problem.start]) else None

    labelled = run_all(label, problems, jobs)
    solvable = [one for one in labelled if one is not None]
    if not solvable:
        reason = f"none of {len(labelled)} worlds has a path to the goal" if labelled else "there are no worlds"
        raise TrainingError(f"nothing to learn from: {reason}")
    return LabelledProblems(solvable, len(labelled) - len(solvable))


class TrainingProblems(NamedTuple):
    """Problems to train on and to validate on."""

    train: list[Problem]
    validation: list[Problem]
    notes: tuple[Note, ...] = ()
    """Remarks on start and goal cells that are blocked."""


def training_problems(data: str, train: Choice, validation: Choice) -> TrainingProblems:
    """The problems to train on and to validate on.

    Parameters
    ----------
    data
        A folder with the splits `train` and `validation`, an `.npz` file, a flat folder or a `.scen` file, of which the
        last fifth is for validation, or the name of a family to generate.
    train, validation
        Which tasks to take, and how to pose them.

    Returns
    -------
    TrainingProblems
        The problems. Tasks whose start or goal is blocked are left out, with a note.

    Raises
    ------
    WorldError
        If the data cannot be read or holds several families, or if start or goal is blocked in all worlds.
    """
    path = Path(data)
    if path.suffix == ".scen" or (is_folder(path) and find_datasets(path)[0].splits == (FLAT_SPLIT,)):
        tasks = _one_family(data, replace(train, split=None, limit=None)).tasks
        held_out = len(tasks) - max(1, len(tasks) // 5)
        parts = tasks[:held_out][: train.limit], tasks[held_out:][: validation.limit]
        remarks: list[Note] = []
    else:
        sets = _one_family(data, train), _one_family(data, validation)
        parts, remarks = (sets[0].tasks, sets[1].tasks), [note for one in sets for note in one.notes]
    blocked: list[str] = []
    moved: list[str] = []
    posed = [_problems(part, blocked, moved) for part in parts]
    worlds = sum(map(len, parts))
    notes = remarks
    if moved:
        count = f"{len(moved)} of {worlds} worlds have blocked corners"
        notes.append(Note("endpoints", f"{count}; random free cells are used instead"))
    if blocked:
        what = blocked[0] if len(set(blocked)) == 1 else "start or goal"
        count = f"{len(blocked)} of {worlds} worlds have a blocked {what}"
        if len(blocked) == worlds:
            raise WorldError(f"{count}; use --endpoints random")
        notes.append(Note("endpoints", f"{count} and are left out"))
    return TrainingProblems(posed[0], posed[1], tuple(notes))


def _one_family(data: str, choice: Choice) -> TaskSet:
    sets = load_tasks(data, choice)
    if len(sets) > 1:
        raise WorldError(f"{data}: several families ({', '.join(one.family for one in sets)}); name one")
    return sets[0]


def _problems(tasks: Sequence[Task | EdgeTask], blocked: list[str], moved: list[str]) -> list[Problem]:
    """Pose the tasks; note the blocked ends of those that are left out, and the names of those with other ends."""
    problems = []
    for task in tasks:
        try:
            problems.append(task.problem())
        except ProblemError:
            blocked.append(task.blocked_end)
            continue
        if task.ends == "moved":
            moved.append(task.name)
    return problems
