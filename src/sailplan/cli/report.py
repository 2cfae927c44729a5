"""`sailplan report`: write records as an HTML page, with searches to replay."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from sailplan.cli.options import split_names
from sailplan.datasets.tasks import Choice, Task, load_tasks
from sailplan.errors import SailplanError
from sailplan.evaluation.metrics import summarise
from sailplan.evaluation.player import Scene, player_part, record_scene
from sailplan.evaluation.records import UNSOLVABLE, Record, read_records
from sailplan.evaluation.report import write_report
from sailplan.files import escaped
from sailplan.policies.catalogue import load_policy

MOST_POLICIES = 4
"""Number of searches that are replayed side by side."""


def report(
    records: Annotated[
        Path, typer.Argument(metavar="RECORDS", help="A CSV file that `sailplan evaluate --out` wrote.")
    ],
    out: Annotated[Path, typer.Option(help="The page to write.")] = Path("report.html"),
    replay: Annotated[
        list[str] | None,
        typer.Option(
            metavar="DATA", help="Replay a search of each family of this data, which was evaluated; repeatable."
        ),
    ] = None,
    policies: Annotated[
        str | None, typer.Option(help="The policies to replay, separated by commas; default: the first four.")
    ] = None,
    split: Annotated[str | None, typer.Option(help="As for `sailplan evaluate`.")] = None,
    seed: Annotated[int, typer.Option(min=0, help="As for `sailplan evaluate`.")] = 0,
    size: Annotated[int, typer.Option(min=2, help="As for `sailplan evaluate`.")] = 201,
) -> None:
    """Write one self-contained page with the table of a benchmark and, with --replay, searches to watch.

    Example:
      sailplan report records.csv --replay mazes --out report.html
    """
    rows = read_records(records)
    choice = Choice(split, limit=len(rows), seed=seed, size=size)
    scenes = [_scene(task, rows, policies) for data in replay or () for task in _tasks(data, choice, rows)]
    parts = [player_part(scenes)] if scenes else []
    write_report(out, "sailplan benchmark", f"{len(rows)} searches, from {records.name}.", summarise(rows), {}, parts)
    typer.echo(f"report in {out}")


def _tasks(data: str, choice: Choice, records: Sequence[Record]) -> list[Task]:
    """Return of each family the recorded task that needed the most edge evaluations over all policies."""
    found = []
    for task_set in load_tasks(data, choice):
        effort: dict[str, int] = {}
        for record in records:
            if record.family == escaped(task_set.family) and record.outcome != UNSOLVABLE:
                effort[record.problem] = effort.get(record.problem, 0) + record.edge_evaluations
        tasks = [task for task in task_set.tasks if isinstance(task, Task) and escaped(task.name) in effort]
        if not tasks:
            raise SailplanError(f"{data}: no map of {task_set.family} in it is one of the records")
        found.append(max(tasks, key=lambda task: effort[escaped(task.name)]))
    return found


def _scene(task: Task, records: Sequence[Record], policies: str | None) -> Scene:
    evaluated = dict.fromkeys(record.policy for record in records)
    names = split_names(policies) if policies else list(evaluated)[:MOST_POLICIES]
    scene = record_scene(task, {name: load_policy(name) for name in names})
    recorded = {record.policy: record.cost for record in records if record.problem == escaped(task.name)}
    for search in scene.searches:
        name, cost = search["facts"]["policy"], search["facts"]["cost"]
        if cost is not None and math.isfinite(recorded.get(name, math.inf)) and recorded[name] != cost:
            raise SailplanError(
                f"{task.name}: not the map of the records; give --size, --seed and --split as for `sailplan evaluate`"
            )
    return scene
