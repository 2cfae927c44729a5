"""Problems to train on and problems to validate on, from whatever holds worlds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from sailplan.core.problem import Problem
from sailplan.datasets.dataset import FLAT_SPLIT
from sailplan.datasets.tasks import Choice, Task, find_datasets, load_tasks
from sailplan.errors import ProblemError, WorldError


def training_problems(data: str, train: Choice, validation: Choice) -> tuple[list[Problem], list[Problem]]:
    """The problems to train on and to validate on; of data without splits, the last fifth is for validation.

    Tasks whose start or goal is blocked are left out.
    """
    path = Path(data)
    if path.suffix == ".scen" or (path.is_dir() and find_datasets(path)[0].splits == (FLAT_SPLIT,)):
        tasks = _one_family(data, replace(train, split=None, limit=None))
        held_out = len(tasks) - max(1, len(tasks) // 5)
        parts = tasks[:held_out][: train.limit], tasks[held_out:][: validation.limit]
    else:
        parts = _one_family(data, train), _one_family(data, validation)
    return _problems(parts[0]), _problems(parts[1])


def _one_family(data: str, choice: Choice) -> Sequence[Task]:
    sets = load_tasks(data, choice)
    if len(sets) > 1:
        raise WorldError(f"{data}: several families ({', '.join(one.family for one in sets)}); name one")
    return sets[0].tasks


def _problems(tasks: Sequence[Task]) -> list[Problem]:
    problems = []
    for task in tasks:
        try:
            problems.append(task.problem())
        except ProblemError:
            continue
    return problems
