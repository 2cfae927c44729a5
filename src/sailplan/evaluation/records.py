"""Records: what each search of a benchmark did, one row each, and the CSV file that keeps them."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields
from typing import get_type_hints

from sailplan.core import Outcome
from sailplan.errors import SailplanError
from sailplan.files import FilePath, file_lines, write_csv


@dataclass(frozen=True)
class Record:
    """One policy on one problem."""

    family: str
    """The dataset that the problem comes from."""
    problem: str
    policy: str
    outcome: str
    """A value of `Outcome`, or `unsolvable` for a problem without a path, which no policy was run on."""
    expansions: int
    edge_evaluations: int
    policy_evaluations: int
    cost: float
    """Cost of the path found; infinite where none was."""
    optimal_cost: float
    clairvoyant_expansions: int
    """Expansions of the oracle policy on the same problem."""
    milliseconds: float
    engine: str
    listed_cost: float
    """Cost of a shortest path as the benchmark's file has it; NaN where it has none."""


UNSOLVABLE = "unsolvable"


def write_records(records: Iterable[Record], path: FilePath) -> None:
    """Write a CSV file with a header, whole or not at all."""
    write_csv(path, [field.name for field in fields(Record)], map(asdict, records))


def read_records(path: FilePath) -> list[Record]:
    """Read what `write_records` wrote."""
    kinds = get_type_hints(Record)
    rows = csv.DictReader(file_lines(path, error=SailplanError))
    if rows.fieldnames is None or set(rows.fieldnames) != set(kinds):
        raise SailplanError(f"{path}: not a file of records: its columns must be {', '.join(kinds)}")
    records = []
    for row in rows:
        try:
            record = Record(**{name: kind(row[name]) for name, kind in kinds.items()})
            if record.outcome != UNSOLVABLE:
                Outcome(record.outcome)
            records.append(record)
        except (TypeError, ValueError) as error:
            raise SailplanError(f"{path}:{rows.line_num}: not a record: {error}") from error
    return records
