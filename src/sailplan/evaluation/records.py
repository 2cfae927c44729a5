"""Records: what each search of a benchmark did, one row each, and the CSV file that holds them."""

from __future__ import annotations

import csv
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, get_type_hints

from sailplan.core import Note, Outcome
from sailplan.errors import SailplanError
from sailplan.files import FilePath, fault_line, file_lines, write_csv


@dataclass(frozen=True)
class Record:
    """One policy on one problem."""

    family: str
    """The dataset of the problem."""
    problem: str
    policy: str
    outcome: str
    """A value of `Outcome`, or `unsolvable` for a problem without a path, which no policy was run on."""
    expansions: int
    edge_evaluations: int
    policy_evaluations: int
    cost: float
    """Cost of the path found; infinite if none was found."""
    optimal_cost: float
    clairvoyant_expansions: int
    """Expansions of the oracle policy on the same problem."""
    milliseconds: float
    engine: str
    listed_cost: float
    """Cost of a shortest path as the benchmark's file lists it; NaN if it lists none."""
    fewest_edges: float = math.nan
    """Edges of the valid path that has the fewest, the clairvoyant limit of searches by edges; NaN if not recorded."""
    notes: tuple[Note, ...] = field(default=(), compare=False)
    """Notes on the search; not written to files."""


UNSOLVABLE = "unsolvable"
_KINDS = {name: kind for name, kind in get_type_hints(Record).items() if name != "notes"}
"""The columns of a file of records and their types."""
_LARGEST_COUNT = 2**63 - 1
_OPTIONAL = {"fewest_edges"}
"""Columns that files of earlier versions do not have."""


def write_records(records: Iterable[Record], path: FilePath) -> None:
    """Write records atomically as a CSV file with a header."""
    write_csv(path, list(_KINDS), ({name: getattr(record, name) for name in _KINDS} for record in records))


def read_records(path: FilePath) -> list[Record]:
    """Read a file that `write_records` wrote; raises SailplanError if it is something else."""
    rows = csv.DictReader(file_lines(path, error=SailplanError))
    try:
        columns = set(rows.fieldnames or ())
        if columns | _OPTIONAL != set(_KINDS):
            raise SailplanError(f"{path}: not a file of records: its columns must be {', '.join(_KINDS)}")
        return [_record(row, columns) for row in rows]
    except SailplanError:
        raise
    except (TypeError, ValueError, csv.Error) as error:
        raise SailplanError(f"{path}:{rows.line_num}: not a record: {fault_line(error)}") from error


def _record(row: Mapping[str, str], columns: set[str]) -> Record:
    """Read a row; raises TypeError or ValueError if it is not a record."""
    record = Record(**{name: _READERS[kind](row[name]) for name, kind in _KINDS.items() if name in columns})
    if record.outcome != UNSOLVABLE:
        Outcome(record.outcome)
    return record


def _count(text: str) -> int:
    """Read an integer that a counter can have."""
    number = int(text)
    if abs(number) > _LARGEST_COUNT:
        raise ValueError(f"{text[:30]} is not a count")
    return number


_READERS: dict[type, Callable[[str], Any]] = {int: _count, float: float, str: str}


def note_lines(records: Sequence[Record]) -> list[str]:
    """One line for each family and subject of notes, with the number of worlds that it concerns.

    The lines depend on the records only, so that they are the same whatever the number of threads.
    """
    worlds: dict[str, set[str]] = {}
    concerned: dict[tuple[str, str], tuple[Note, set[str]]] = {}
    for record in records:
        worlds.setdefault(record.family, set()).add(record.problem)
        for note in record.notes:
            concerned.setdefault((record.family, note.subject), (note, set()))[1].add(record.problem)
    return [
        f"{family}: {first} ({len(names)} of {len(worlds[family])} worlds)"
        for (family, _), (first, names) in concerned.items()
    ]
