"""A part of a reproduction: what it shows, and the files it left."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sailplan.evaluation.sheets import Sheet
from sailplan.experiments.reproduction import Reproduction
from sailplan.experiments.runs import Run
from sailplan.progress import ShowProgress


@dataclass(frozen=True)
class Figure:
    """A picture that was written."""

    file: Path
    title: str
    caption: str = ""
    """What stands below it; empty where the picture itself has it."""


@dataclass(frozen=True)
class Part:
    """The result of one experiment."""

    title: str
    numbers: Sequence[dict[str, Any]]
    """Every figure, ready for JSON."""
    files: Sequence[Path]
    sheets: Sequence[Sheet] = ()
    notes: Sequence[str] = ()
    """What a reader of the tables has to know."""
    figures: Sequence[Figure] = field(default=())


@dataclass(frozen=True)
class Experiment:
    """A part that can be made."""

    runs: Callable[[Reproduction], list[Run]]
    """The trainings that it needs; raises where it could not be made even with them."""
    make: Callable[[Reproduction, ShowProgress], Part]
