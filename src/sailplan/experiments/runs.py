"""The trainings that a reproduction needs: finished ones are used, unfinished ones continued, the others started."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path

from sailplan.datasets.labelled import training_problems
from sailplan.datasets.tasks import Choice
from sailplan.errors import SailplanError, TrainingError
from sailplan.experiments.reproduction import Reproduction
from sailplan.experiments.systems import System
from sailplan.learning.rounds import Round
from sailplan.learning.run_folder import (
    METRICS,
    SETTINGS,
    Plan,
    began_with,
    digest_of,
    is_finished,
    read_metrics,
    read_plan,
)
from sailplan.learning.train import choices_of, run_training
from sailplan.parallel import ShowProgress, no_progress, run_in_processes
from sailplan.policies.catalogue import MODEL, read_policy


@dataclass(frozen=True)
class Run:
    """A training and its folder."""

    system: System
    family: str
    plan: Plan
    folder: Path

    @property
    def begun(self) -> bool:
        """Whether the folder holds a run."""
        return (self.folder / SETTINGS).exists()

    @property
    def rounds(self) -> list[Round]:
        """What each round did."""
        return read_metrics(self.folder)

    @property
    def seconds(self) -> float:
        """Duration of all rounds."""
        return sum(one.seconds for one in self.rounds)


def runs_of(asked: Reproduction, systems: Iterable[System], families: Iterable[str]) -> list[Run]:
    """The training of every system on every family."""
    known = list(families)
    return [
        Run(one, family, asked.plan(one, family), asked.run_folder(one, family)) for family in known for one in systems
    ]


def ensure_runs(runs: Sequence[Run], *, jobs: int = 1, progress: ShowProgress = no_progress) -> None:
    """Run the trainings that are missing or unfinished, several at a time in processes."""
    digest = cache(_digest)  # The trainings on a family share their worlds.
    missing = [run for run in runs if not _is_there(run, digest)]
    if not missing:
        return
    with progress("training", len(missing)) as step:
        try:
            for done in run_in_processes(_train, missing, min(jobs, len(missing))):
                step(f"trained {done}")
        except BrokenProcessPool as error:
            raise TrainingError("a training was killed; run again to continue it") from error


def _train(run: Run) -> str:
    try:
        run_training(run.plan, run.folder, resume=run.begun)
    except SailplanError as error:
        raise TrainingError(_with_remedy(run, error) if run.begun else str(error)) from error
    return run.folder.name


def _digest(data: str, training: Choice, validation: Choice) -> str:
    problems = training_problems(data, training, validation)
    return digest_of([*problems.train, *problems.validation])


def _is_there(run: Run, digest: Callable[[str, Choice, Choice], str]) -> bool:
    """Whether the folder holds the result; raises TrainingError if it holds something else."""
    folder = run.folder
    if not run.begun:
        strays = [name for name in (METRICS, MODEL) if (folder / name).exists()]
        if strays:
            raise TrainingError(f"{folder}: incomplete: {strays[0]} without {SETTINGS}; {_remedy(run)}")
        return False
    try:
        kept = read_plan(folder)
        if kept != run.plan:
            raise TrainingError(f"{folder}: trained with other settings than now ({_differences(kept, run.plan)})")
        if is_finished(folder, run.plan):
            read_policy(folder / MODEL)
            if not began_with(folder, digest(run.plan.data, *choices_of(run.plan))):
                raise TrainingError(f"{folder}: trained on other worlds than {run.plan.data} holds now")
            return True
        if len(read_metrics(folder)) >= run.plan.settings.rounds:
            raise TrainingError(f"{folder}: incomplete: all rounds, but no {MODEL}")
    except SailplanError as error:
        raise TrainingError(_with_remedy(run, error)) from error
    return False


def _remedy(run: Run) -> str:
    return f"remove {run.folder} to train it again, or choose another --out"


def _with_remedy(run: Run, error: SailplanError) -> str:
    return f"{error}; {_remedy(run)}"


def _differences(kept: Plan, asked: Plan) -> str:
    """The names of the values that differ between two plans."""
    names = [one.name for one in fields(Plan) if getattr(kept, one.name) != getattr(asked, one.name)]
    if "settings" in names and type(kept.settings) is type(asked.settings):
        names.remove("settings")
        names += [
            one.name
            for one in fields(kept.settings)
            if getattr(kept.settings, one.name) != getattr(asked.settings, one.name)
        ]
    return ", ".join(names)
