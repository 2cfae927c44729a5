"""Records: what each search of a benchmark did, one row each, and the CSV file that holds them."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import get_type_hints

from sailplan.core import Note, Outcome
from sailplan.errors import SailplanError
from sailplan.files import FilePath, file_lines, write_csv


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
_OPTIONAL = {"fewest_edges"}
"""Columns that files of earlier versions do not have."""


def write_records(records: Iterable[Record], path: FilePath) -> None:
    """Write records atomically as a CSV file with a header."""
    write_csv(path, list(_KINDS), ({name: getattr(record, name) for name in _KINDS} for record in records))


def read_records(path: FilePath) -> list[Record]:
    """Read a file that `write_records` wrote; raises SailplanError if it is something else."""
    rows = csv.DictReader(file_lines(path, error=SailplanError))
    columns = set(rows.fieldnames or ())
    if columns | _OPTIONAL != set(_KINDS):
        raise SailplanError(f"{path}: not a file of records: its columns must be {', '.join(_KINDS)}")
    records = []
    for row in rows:
        try:
            record = Record(**{name: kind(row[name]) for name, kind in _KINDS.items() if name in columns})
            if record.outcome != UNSOLVABLE:
                Outcome(record.outcome)
            records.append(record)
        except (TypeError, ValueError) as error:
            raise SailplanError(f"{path}:{rows.line_num}: not a record: {error}") from error
    return records


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
