"""Run folders with files that are cut, zeroed or missing: refused, or continued to the same result.

A cut file must never be taken for a whole one: what is read is a beginning of the run.
"""

from __future__ import annotations

import random
import shutil
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from tests.learning.tiny import TINY, TINY_CROSS_ENTROPY

from fuzz.target import WrongAnswerError, check_refusal
from sailplan.core import Policy
from sailplan.datasets import GeneratedWorlds, write_png
from sailplan.datasets.labelled import training_problems
from sailplan.errors import SailplanError
from sailplan.learning import Plan, read_plan
from sailplan.learning.algorithms import AlgorithmName
from sailplan.learning.rounds import Progress
from sailplan.learning.run_folder import RunFolder, digest_of
from sailplan.learning.settings import TrainingSettings
from sailplan.learning.train import choices_of, run_training
from sailplan.policies.catalogue import MODEL, read_policy

WHOLE_RESUMPTIONS = 0.02
"""Share of the inputs that are not only read but trained to the end."""
SETTINGS: dict[AlgorithmName, TrainingSettings] = {
    "sail": TINY.changed(training_worlds=3, validation_worlds=2, rounds=2),
    "cem": TINY_CROSS_ENTROPY.changed(training_worlds=3, validation_worlds=2, rounds=2, result="mixture"),
}
_TIMES = ("seconds_rolling_out", "seconds_fitting", "seconds_validating")


class RunFolders:
    """The target."""

    seconds = 20.0

    def __init__(self, folder: Path) -> None:
        self.last: bytes | None = None
        self._copy = folder / "copy"
        for split, count in (("train", 3), ("validation", 2)):
            for index, world in enumerate(GeneratedWorlds("mazes", count, 1, width=9, height=9)):
                write_png(world, folder / "worlds" / split / f"{index}.png")
        self._plans = {name: Plan(name, str(folder / "worlds"), 0, settings) for name, settings in SETTINGS.items()}
        self._runs: dict[AlgorithmName, Path] = {name: folder / name for name in self._plans}
        self._whole: dict[AlgorithmName, Progress[Any]] = {}
        self._files: dict[AlgorithmName, dict[str, bytes]] = {}
        worlds = training_problems(str(folder / "worlds"), *choices_of(self._plans["sail"]))
        self._digest = digest_of([*worlds.train, *worlds.validation])
        for name, plan in self._plans.items():
            run_training(plan, self._runs[name])
            self._whole[name] = RunFolder.resume(self._runs[name], plan, self._digest).load()
            (self._runs[name] / "convergence.png").unlink(missing_ok=True)
            self._files[name] = _files(self._runs[name])

    def check(self, rng: random.Random, number: int) -> bool:
        """Damage a file of a finished run; read the folder and now and then continue it."""
        name = rng.choice(list(self._plans))
        shutil.rmtree(self._copy, ignore_errors=True)
        shutil.copytree(self._runs[name], self._copy)
        for file in rng.sample(sorted(self._files[name]), rng.choice((1, 1, 1, 2))):
            self.last = _damage(self._copy / file, rng)
        try:
            plan = read_plan(self._copy)
            if plan != self._plans[name]:
                raise WrongAnswerError("the plan is another one")
            progress = RunFolder.resume(self._copy, plan, self._digest).load()
            _compare(progress, self._whole[name])
            if rng.random() < WHOLE_RESUMPTIONS:
                run_training(plan, self._copy, resume=True)
                self._compare_files(name)
        except SailplanError as error:
            check_refusal(error)
            return False
        return True

    def _compare_files(self, name: AlgorithmName) -> None:
        for file, data in self._files[name].items():
            # The metrics hold times, and npz archives the time of writing.
            if file.endswith(".safetensors") and (self._copy / file).read_bytes() != data:
                raise WrongAnswerError(f"{file} is not what an undisturbed run ends with")
        _same_policy(read_policy(self._copy / MODEL), read_policy(self._runs[name] / MODEL))


def _damage(path: Path, rng: random.Random) -> bytes:
    """Remove a file, or cut or zero its end; return what is left."""
    data = path.read_bytes()
    at = rng.randrange(len(data) + 1)
    match rng.randrange(8):
        case 0:
            path.unlink()
            return b""
        # As after a power failure.
        case 1:
            left = data[:at] + bytes(len(data) - at)
        case _:
            left = data[:at]
    path.write_bytes(left)
    return left


def _files(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def _compare(progress: Progress[Any], whole: Progress[Any]) -> None:
    """Raise WrongAnswerError if what was read is not a beginning of the run."""
    for index, done in enumerate(progress.rounds):
        read, known = asdict(done), asdict(whole.rounds[index])
        if read != known:
            raise WrongAnswerError(f"round {index + 1} was read as {read}, and is {known}")
        _same_policy(progress.policies[index], whole.policies[index])
        _same_arrays(vars(progress.examples[index]), vars(whole.examples[index]))


def _same_policy(read: Policy, known: Policy) -> None:
    (head, tensors), (known_head, known_tensors) = (one.describe() for one in (read, known))  # type: ignore[attr-defined]
    if head != known_head:
        raise WrongAnswerError("a policy was read with another header")
    _same_arrays(tensors, known_tensors)


def _same_arrays(read: Mapping[str, Any], known: Mapping[str, Any]) -> None:
    if read.keys() != known.keys() or not all(np.array_equal(read[name], known[name]) for name in known):
        raise WrongAnswerError("arrays were read with other numbers")
