"""The searches of a reproduction, stored as records so that no search is repeated."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import numpy as np

from sailplan import __version__
from sailplan.core import Policy
from sailplan.datasets.tasks import Task, TaskSet
from sailplan.errors import ModelError, SailplanError
from sailplan.evaluation.benchmark import PAPER_LIMITS, run_benchmark
from sailplan.evaluation.records import Record, read_records, write_records
from sailplan.experiments.reproduction import Reproduction
from sailplan.experiments.systems import System
from sailplan.files import file_bytes
from sailplan.parallel import ShowProgress, no_progress
from sailplan.policies.catalogue import load_policy, read_policy


def policy_of(asked: Reproduction, system: System, family: str) -> Policy:
    """The policy of the system on a family."""
    file = asked.model_file(system, family)
    return load_policy(system.name) if file is None else read_policy(file)


def records_of(
    asked: Reproduction,
    systems: Sequence[System],
    families: Iterable[str],
    progress: ShowProgress = no_progress,
) -> list[Record]:
    """The records of the systems on the reported worlds; one search at a time, so that the times are exact."""
    task_sets = [asked.tasks(family) for family in families]
    with progress("searching", sum(len(one.tasks) for one in task_sets)) as step:
        return [record for one in task_sets for record in _of_family(asked, systems, one, step)]


def _of_family(
    asked: Reproduction, systems: Sequence[System], task_set: TaskSet, step: Callable[..., None]
) -> list[Record]:
    worlds = _digest(task_set)
    files = {one.name: _file(asked, one, task_set.family, worlds) for one in systems}
    missing = {one.name: policy_of(asked, one, task_set.family) for one in systems if not files[one.name].exists()}
    found = run_benchmark(missing, [task_set], PAPER_LIMITS, on_task=step) if missing else []
    for name in missing:
        write_records([record for record in found if record.policy == name], files[name])
    return [record for one in systems for record in _read(files[one.name], one, task_set)]


def _read(file: Path, system: System, task_set: TaskSet) -> list[Record]:
    """Read a file of records; raises SailplanError if they are not those of the system on these worlds."""
    records = read_records(file)
    expected = [(task_set.family, task.name, system.name) for task in task_set.tasks]
    if [(one.family, one.problem, one.policy) for one in records] != expected:
        raise SailplanError(f"{file}: damaged: not a record of each world; remove it to search again")
    return records


def _file(asked: Reproduction, system: System, family: str, worlds: str) -> Path:
    """The file of the records; its name depends on the model, the worlds and the limits."""
    key = hashlib.sha256(f"{__version__} {PAPER_LIMITS} {worlds}".encode("utf-8", "surrogatepass"))
    model = asked.model_file(system, family)
    if model is not None:
        key.update(file_bytes(model, error=ModelError))
    return asked.out / "records" / f"{family}-{system.name}-{key.hexdigest()[:12]}.csv"


def _digest(task_set: TaskSet) -> str:
    """A hash of the worlds, starts and goals."""
    total = hashlib.sha256()
    for task in task_set.tasks:
        assert isinstance(task, Task)
        scenario = task.scenario
        total.update(
            f" {task.name} {scenario.start} {scenario.goal} {scenario.world.blocked.shape} ".encode(
                "utf-8", "surrogatepass"
            )
        )
        total.update(np.packbits(scenario.world.blocked).tobytes())
    return total.hexdigest()
