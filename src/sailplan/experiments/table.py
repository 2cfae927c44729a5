"""The paper's table (its Fig. 2): every system on every family, ours beside the published number."""

from __future__ import annotations

from sailplan.evaluation.sheets import in_markdown, latex, markdown
from sailplan.evaluation.tables import as_objects
from sailplan.experiments.part import Experiment, Part
from sailplan.experiments.reproduction import Reproduction
from sailplan.experiments.runs import Run, runs_of
from sailplan.experiments.searches import records_of
from sailplan.experiments.table_rows import rows_of, write_rows
from sailplan.experiments.table_sheets import family_sheet, notes, scores_sheet
from sailplan.files import write_text
from sailplan.progress import ShowProgress


def _runs(asked: Reproduction) -> list[Run]:
    return runs_of(asked, asked.trained, asked.families)


def _make(asked: Reproduction, progress: ShowProgress) -> Part:
    """Search all the worlds, and write the table as CSV, Markdown and LaTeX."""
    rows = rows_of(asked, records_of(asked, asked.systems, asked.families, progress))
    groups = [[row for row in rows if row.family == family] for family in asked.families]
    sheets = [scores_sheet(asked, groups), *map(family_sheet, groups)]
    told = notes(asked, rows)
    files = [asked.out / f"table.{suffix}" for suffix in ("csv", "md", "tex")]
    write_rows(rows, files[0])
    write_text(files[1], "\n".join([*map(markdown, sheets), *(in_markdown(line) + "\n" for line in told)]))
    write_text(files[2], "\n".join([*(f"% {line}" for line in told), "", *map(latex, sheets)]))
    return Part("The paper's table", as_objects(rows), files, sheets, told)


TABLE = Experiment(_runs, _make)
