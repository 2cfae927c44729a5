"""The folder of a training: settings, metrics, rounds and result, written so that the training can be continued.

A round is complete once its row is in metrics.csv, which is written after all its other files. A round that was killed
before is repeated on resumption, with the same result.
"""

from __future__ import annotations

import csv
import hashlib
import json
import platform
from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields
from importlib.metadata import PackageNotFoundError, version
from math import isfinite
from pathlib import Path
from typing import Any, get_args

import numpy as np

from sailplan.archives import file_arrays
from sailplan.core.graph import Problem, is_compiled
from sailplan.datasets.scenario import Endpoints
from sailplan.errors import ModelError, SailplanError, TrainingError
from sailplan.files import atomic_write, fault_line, file_bytes, file_lines, write_csv, write_text
from sailplan.learning.algorithms import ALGORITHMS, AlgorithmName
from sailplan.learning.rounds import Progress, Round
from sailplan.learning.settings import TrainingSettings
from sailplan.locks import locked
from sailplan.policies.catalogue import MODEL, read_policy, save_policy
from sailplan.policies.mixture.policy import OneOfMany

_NAMES = [one.name for one in fields(Round)]
_LATER = {"validation_evaluations": "nan"}
"""Columns that files of earlier versions do not have, and what they mean then."""
_FORMER = ("trust",)
"""Columns that files of earlier versions have."""
SETTINGS, METRICS = "settings.json", "metrics.csv"


@dataclass(frozen=True)
class Plan:
    """What a training is asked to do."""

    algorithm: AlgorithmName
    data: str
    """Folder, file or family of the worlds."""
    seed: int
    settings: TrainingSettings
    endpoints: Endpoints = "corners"
    """Where searches start and end; see `Endpoints`."""
    data_seed: int = 0
    """Seed of generated worlds and random endpoints."""

    def __post_init__(self) -> None:
        valid = (
            self.algorithm in ALGORITHMS
            and ALGORITHMS[self.algorithm].has_settings(self.settings)
            and self.endpoints in get_args(Endpoints)
            and isinstance(self.data, str)
            and all(type(seed) is int and seed >= 0 for seed in (self.seed, self.data_seed))
        )
        if not valid:
            raise TrainingError(
                f"not the plan of a training: {self.algorithm} {self.data} {self.endpoints} {self.seed}"
            )


class RunFolder:
    """The folder of one training."""

    def __init__(self, path: Path, plan: Plan, digest: str) -> None:
        self.path, self.plan, self._digest = path, plan, digest

    @classmethod
    def begin(cls, path: Path, plan: Plan, digest: str) -> RunFolder:
        """Start a run; raises TrainingError if the folder has one already, or another process works in it."""
        with locked(path, error=TrainingError):
            if (path / SETTINGS).exists() or (path / METRICS).exists():
                raise TrainingError(
                    f"{path}: there is a run in this folder; continue it with --resume, or choose another"
                )
            write_text(path / SETTINGS, json.dumps({**asdict(plan), "digest": digest}, indent=2) + "\n")
        return cls(path, plan, digest)

    @classmethod
    def resume(cls, path: Path, plan: Plan, digest: str) -> RunFolder:
        """Continue the run in a folder; raises TrainingError if its data has changed."""
        if not began_with(path, digest):
            raise TrainingError(f"{path}: {plan.data} holds other worlds than when this run began")
        return cls(path, plan, digest)

    def abandon(self) -> None:
        """Remove the settings of a run that could not begin."""
        if not (self.path / METRICS).exists():
            (self.path / SETTINGS).unlink(missing_ok=True)

    def load(self) -> Progress[Any]:
        """Read the complete rounds; a model that is missing or damaged is written again."""
        progress: Progress[Any] = Progress(objective=self.plan.settings.minimised)
        collects = self.plan.settings.collects
        for row in read_metrics(self.path):
            progress.rounds.append(row)
            file = self._file(row.number, ".safetensors")
            policy = read_policy(file)
            if isinstance(policy, OneOfMany) or not self.plan.settings.could_make(policy):
                raise TrainingError(f"{file}: not the policy of a round of this run")
            progress.policies.append(policy)
            width = self.plan.settings.example_width(policy)
            progress.examples.append(_read_collected(self._file(row.number, ".npz"), collects, width))
        if progress.rounds and not self._has_model():
            self._save_model(progress)
        return progress

    def _has_model(self) -> bool:
        try:
            read_policy(self.path / MODEL)
        except ModelError:
            return False
        return True

    def save(self, progress: Progress[Any]) -> None:
        """Write the last round, and the best so far as the model."""
        number = progress.rounds[-1].number
        with atomic_write(self._file(number, ".npz")) as file:
            np.savez(file, **vars(progress.examples[-1]))
        save_policy(progress.policies[-1], self._file(number, ".safetensors"))
        self._save_model(progress)
        write_csv(self.path / METRICS, _NAMES, map(asdict, progress.rounds))

    def _save_model(self, progress: Progress[Any]) -> None:
        plan = self.plan
        best = progress.rounds[progress.best]
        facts = {
            "algorithm": plan.algorithm,
            "seed": plan.seed,
            "settings": plan.settings.as_json(),
            "data": Path(plan.data).name,
            "data_digest": self._digest,
            "round": best.number,
            "validation_expansions": best.validation_expansions,
            "validation_evaluations": best.validation_evaluations,
            "versions": versions(),
        }
        save_policy(progress.result(plan.settings.result, plan.seed), self.path / MODEL, facts)

    def _file(self, number: int, suffix: str) -> Path:
        return self.path / "rounds" / f"{number:03d}{suffix}"


def is_finished(path: Path, plan: Plan) -> bool:
    """Whether the folder holds the result of the plan."""
    return (path / MODEL).exists() and len(read_metrics(path)) == plan.settings.rounds


def began_with(path: Path, digest: str) -> bool:
    """Whether the run in a folder began with the worlds of this digest."""
    return _read_settings(path).get("digest") == digest


def read_plan(path: Path) -> Plan:
    """Read what the run in a folder was asked to do; raises TrainingError if there is no run or it is damaged."""
    values = _read_settings(path)
    try:
        known = {one.name for one in fields(Plan)} - {"settings"}
        settings = ALGORITHMS[values["algorithm"]].read_settings(values["settings"])
        return Plan(**{name: values[name] for name in known}, settings=settings)
    except (KeyError, TypeError, SailplanError) as error:
        raise TrainingError(f"{path / SETTINGS}: not the settings of a training ({fault_line(error)})") from error


def read_metrics(path: Path) -> list[Round]:
    """Read the rounds of the run in a folder; raises TrainingError if the file is damaged."""
    if not (path / METRICS).exists():
        return []
    kinds: dict[str, Any] = {name: int if name in ("number", "examples") else float for name in _NAMES}
    try:
        *lines, rest = file_lines(path / METRICS, error=TrainingError)
        # A file that was cut within its last number would be read as another number.
        if rest:
            raise ValueError("its last line is cut off")
        rows = csv.DictReader(lines)
        rounds = [Round(**{name: kind({**_LATER, **row}[name]) for name, kind in kinds.items()}) for row in rows]
        columns = [name for name in rows.fieldnames or () if name not in _FORMER]
        if columns not in (_NAMES, [name for name in _NAMES if name not in _LATER]):
            raise ValueError("unexpected columns")
        if [one.number for one in rounds] != list(range(1, len(rounds) + 1)):
            raise ValueError("unexpected rounds")
        validated = [name for name in columns if name.startswith("validation")]
        if not all(isfinite(getattr(one, name)) for one in rounds for name in validated):
            raise ValueError("a round without validation")
        return rounds
    except (KeyError, TypeError, ValueError, csv.Error) as error:
        raise TrainingError(f"{path / METRICS}: damaged ({fault_line(error)})") from error


def digest_of(problems: Iterable[Problem]) -> str:
    """A hash of the worlds, starts and goals."""
    total = hashlib.sha256()
    for problem in problems:
        if is_compiled(problem.graph):
            for part in problem.graph.arrays():
                total.update(np.ascontiguousarray(part).tobytes())
        # A world may have the name of a file that is not UTF-8.
        total.update(f" {problem.name} {problem.start} {problem.goal} ".encode("utf-8", "surrogatepass"))
    return total.hexdigest()


def _read_settings(path: Path) -> dict[str, Any]:
    if not (path / SETTINGS).is_file():
        raise TrainingError(f"{path}: there is no run in this folder")
    try:
        values = json.loads(file_bytes(path / SETTINGS, error=TrainingError))
    except (ValueError, RecursionError) as error:
        raise TrainingError(f"{path / SETTINGS}: damaged ({fault_line(error)})") from error
    if not isinstance(values, dict):
        raise TrainingError(f"{path / SETTINGS}: not the settings of a training")
    return values


def _read_collected(path: Path, kind: type[Any], width: int) -> Any:
    """Read what a round collected; the width is the number of columns."""
    names = [one.name for one in fields(kind)]
    found = file_arrays(path, names, error=TrainingError)
    try:
        arrays = {name: found[name] for name in names}
        if hasattr(kind, "read"):
            return kind.read(arrays, width)
        _check_rows(arrays, width)
        return kind(**arrays)
    except Exception as error:
        raise TrainingError(f"{path}: damaged ({fault_line(error)})") from error


def _check_rows(arrays: dict[str, Any], width: int) -> None:
    """Raise ValueError if these are not rows of this width, and a number for each."""
    count = len(arrays["rows"])
    for name, array in arrays.items():
        if array.shape != ((count, width) if name.endswith("rows") else (count,)) or array.dtype != np.float64:
            raise ValueError(f"{name} has shape {array.shape} and type {array.dtype}")
        if not np.isfinite(array).all():
            raise ValueError("a number is not finite")


def versions() -> dict[str, str]:
    """Versions of Python and of the packages that the result of a training depends on."""
    found = {"python": platform.python_version()}
    for name in ("sailplan", "numpy", "torch"):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found
