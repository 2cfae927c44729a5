"""Benchmarks, tables and pictures."""

from sailplan.datasets.tasks import Choice, Task, TaskSet, load_tasks
from sailplan.evaluation.benchmark import PAPER_LIMITS, run_benchmark
from sailplan.evaluation.metrics import Summary, normalised, summarise
from sailplan.evaluation.records import Record, read_records, write_records

__all__ = [
    "PAPER_LIMITS",
    "Choice",
    "Record",
    "Summary",
    "Task",
    "TaskSet",
    "load_tasks",
    "normalised",
    "read_records",
    "run_benchmark",
    "summarise",
    "write_records",
]
