"""`sailplan report`: write records as an HTML page."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sailplan.evaluation.metrics import summarise
from sailplan.evaluation.records import read_records
from sailplan.evaluation.report import write_report


def report(
    records: Annotated[Path, typer.Argument(help="A CSV file that `sailplan evaluate --out` wrote.")],
    out: Annotated[Path, typer.Option(help="The page to write.")] = Path("report.html"),
) -> None:
    """Write one self-contained page with the table of a benchmark."""
    rows = read_records(records)
    write_report(out, "sailplan benchmark", f"{len(rows)} searches, from {records.name}.", summarise(rows), {})
    typer.echo(f"report in {out}")
