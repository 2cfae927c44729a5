"""What is reproduced (worlds, settings, folder), and what an experiment of it returns."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sailplan.datasets import FAMILIES, WorldDataset
from sailplan.datasets.tasks import Choice, TaskSet, load_tasks
from sailplan.errors import SailplanError, WorldError
from sailplan.evaluation.player import Scene
from sailplan.evaluation.sheets import Sheet
from sailplan.experiments.systems import SYSTEMS, System
from sailplan.files import fault_line, file_bytes, write_text
from sailplan.learning.algorithms import ALGORITHMS
from sailplan.learning.run_folder import Plan
from sailplan.learning.settings import TrainingSettings
from sailplan.locks import locked
from sailplan.parallel import ShowProgress
from sailplan.policies.catalogue import MODEL

if TYPE_CHECKING:
    from sailplan.experiments.runs import Run

QUICK_LABEL = "quick settings, not the paper's"
QUICK_WORLDS = 10
"""Worlds of each family that a quick reproduction reports on."""
QUICK_MOST = {
    "rounds": 4,
    "training_worlds": 30,
    "worlds_per_round": 30,
    "validation_worlds": 8,
    "validation_expansions": 5000,
    "epochs": 5,
    "steps": 20,
    "routes": 24,
    "search_steps": 8,
    "search_pairs": 16,
    "vectors": 10,
}
"""Upper limits of the settings of quick trainings."""
MARK = "reproduction.json"
"""The file that says what kind of reproduction a folder holds."""


@dataclass(frozen=True)
class Reproduction:
    """What to reproduce, and where."""

    out: Path
    data: Path | None = None
    """A folder with one folder per family, each with train/, validation/ and test/; None: generated worlds."""
    split: str = "test"
    """The split that results are reported on."""
    families: tuple[str, ...] = tuple(FAMILIES)
    seed: int = 0
    """Seed of the trainings."""
    jobs: int = 2
    """Number of trainings at a time, each in its own process."""
    quick: bool = False
    systems: tuple[System, ...] = SYSTEMS

    def __post_init__(self) -> None:
        unknown = [name for name in self.families if name not in FAMILIES]
        if unknown or not self.families:
            raise WorldError(f"no family {', '.join(unknown) or 'named'}; there are {', '.join(FAMILIES)}")

    @property
    def label(self) -> str:
        """The settings in words, for titles and captions."""
        return QUICK_LABEL if self.quick else "the paper's settings"

    @property
    def worlds(self) -> str:
        """The reported worlds in words, for titles and captions."""
        where = "generated worlds" if self.data is None else f"worlds of {self.data.resolve().name}"
        return f"{where}, split {self.split}"

    @property
    def trained(self) -> tuple[System, ...]:
        """The systems that are trained on each family."""
        return tuple(one for one in self.systems if one.trained)

    def system(self, name: str) -> System:
        """The system of that name."""
        for one in self.systems:
            if one.name == name:
                return one
        raise SailplanError(f"no system {name!r}; there are {', '.join(one.name for one in self.systems)}")

    def source(self, family: str) -> str:
        """Folder or name of a family."""
        return family if self.data is None else str((self.data / family).resolve())

    def tasks(self, family: str) -> TaskSet:
        """The tasks of a family that results are reported on."""
        choice = Choice(self.split, QUICK_WORLDS if self.quick else None)
        return TaskSet(family, load_tasks(self.source(family), choice)[0].tasks)

    def plan(self, system: System, family: str) -> Plan:
        """The training of a system on a family."""
        if system.algorithm is None:
            raise SailplanError(f"{system.name}: there is nothing to train")
        settings = ALGORITHMS[system.algorithm].presets[system.preset]
        return Plan(system.algorithm, self.source(family), self.seed, _quick(settings) if self.quick else settings)

    def run_folder(self, system: System, family: str) -> Path:
        """Folder of that training."""
        return self.out / "runs" / f"{system.name}-{family}-{self.seed}"

    def model_file(self, system: System, family: str) -> Path | None:
        """Model file of the system for a family; None if it is not trained."""
        return self.run_folder(system, family) / MODEL if system.trained else None

    @contextmanager
    def begun(self) -> Iterator[None]:
        """Check that the worlds exist, lock the folder while the block runs, and check that it fits."""
        for family in self.families:
            self._check_worlds(family)
        with locked(self.out, error=SailplanError):
            self._mark()
            yield

    def _mark(self) -> None:
        mark: dict[str, Any] = {"quick": self.quick, "data": None if self.data is None else str(self.data.resolve())}
        kept = _read_mark(self.out / MARK)
        if kept is not None and kept.get("quick") != self.quick:
            kinds = ("quick", "full") if kept.get("quick") else ("full", "quick")
            raise SailplanError(
                f"{self.out}: holds {kinds[0]} runs, and these are {kinds[1]} ones; choose another --out"
            )
        if kept is not None and kept != mark:
            raise SailplanError(f"{self.out}: was made from other worlds ({kept.get('data')}); choose another --out")
        write_text(self.out / MARK, json.dumps(mark) + "\n")

    def _check_worlds(self, family: str) -> None:
        if self.data is None:
            if Path(family).exists():
                raise WorldError(
                    f"{family}: there is a folder of this name here; give --data, or run in another folder"
                )
            load_tasks(family, Choice(self.split, 1))
            return
        if not self.data.is_dir():
            raise WorldError(f"{self.data}: no such folder")
        if not (self.data / family).is_dir():
            raise WorldError(f"{self.data}: no folder {family} in it; name the families that are there with --families")
        dataset = WorldDataset.open(self.data / family)
        for split in ("train", "validation", self.split):
            dataset.split(split)


@dataclass(frozen=True)
class Figure:
    """A picture that was written."""

    file: Path
    title: str
    caption: str = ""
    """Text below the picture; empty if the picture contains it."""


@dataclass(frozen=True)
class Part:
    """The result of one experiment."""

    title: str
    numbers: Sequence[dict[str, Any]]
    """All numbers, ready for JSON."""
    files: Sequence[Path]
    sheets: Sequence[Sheet] = ()
    notes: Sequence[str] = ()
    """Remarks on the tables."""
    figures: Sequence[Figure] = ()
    scenes: Sequence[Scene] = ()
    """Searches to replay."""


@dataclass(frozen=True)
class Experiment:
    """An experiment of the paper."""

    runs: Callable[[Reproduction], list[Run]]
    """The trainings that it needs; raises SailplanError if it cannot be run at all."""
    make: Callable[[Reproduction, ShowProgress], Part]


def _quick(settings: TrainingSettings) -> TrainingSettings:
    """The settings, limited to those of a quick reproduction."""
    holders: Sequence[Any] = [settings, getattr(settings, "network", None)]
    known = {one.name: getattr(holder, one.name) for holder in holders if holder for one in fields(holder)}
    return settings.changed(**{name: min(known[name], most) for name, most in QUICK_MOST.items() if name in known})


def _read_mark(path: Path) -> dict[str, Any] | None:
    if not path.exists():
        return None
    try:
        mark = json.loads(file_bytes(path, error=SailplanError))
        if not isinstance(mark, dict):
            raise ValueError("not an object")
        return mark
    except (ValueError, RecursionError) as error:
        raise SailplanError(f"{path}: damaged ({fault_line(error)}); choose another --out") from error
