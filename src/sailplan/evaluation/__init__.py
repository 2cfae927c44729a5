"""Evaluation: benchmarks, metrics, tables, figures and reports."""

from sailplan.datasets.tasks import Choice, Task, TaskSet, load_tasks
from sailplan.evaluation.animation import ShownMultipliers, frames
from sailplan.evaluation.benchmark import PAPER_LIMITS, run_benchmark
from sailplan.evaluation.evaluate import Evaluation, evaluate, evaluate_tasks
from sailplan.evaluation.metrics import Summary, normalised, summarise
from sailplan.evaluation.records import Record, note_lines, read_records, write_records
from sailplan.evaluation.report import write_report
from sailplan.evaluation.sheets import Cell, Sheet
from sailplan.evaluation.tables import as_markdown, as_objects, family_sheet, family_sheets
from sailplan.evaluation.terminal import rich_table

__all__ = [
    "PAPER_LIMITS",
    "Cell",
    "Choice",
    "Evaluation",
    "Record",
    "Sheet",
    "ShownMultipliers",
    "Summary",
    "Task",
    "TaskSet",
    "as_markdown",
    "as_objects",
    "evaluate",
    "evaluate_tasks",
    "family_sheet",
    "family_sheets",
    "frames",
    "load_tasks",
    "normalised",
    "note_lines",
    "read_records",
    "rich_table",
    "run_benchmark",
    "summarise",
    "write_records",
    "write_report",
]
