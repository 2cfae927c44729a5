"""`sailplan evaluate`: policies side by side on many worlds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from sailplan.cli.notes import belief_warnings_to, tell_of_family
from sailplan.cli.options import Json, split_names
from sailplan.core import Limits
from sailplan.datasets.scenario import Endpoints
from sailplan.datasets.tasks import Choice, TaskSet, load_tasks
from sailplan.errors import BeliefWarning
from sailplan.evaluation.benchmark import PAPER_LIMITS, run_benchmark
from sailplan.evaluation.metrics import Summary, summarise
from sailplan.evaluation.records import Record, write_records
from sailplan.evaluation.sheets import rich_table
from sailplan.evaluation.tables import EXPLANATION, as_objects, family_sheets
from sailplan.policies.catalogue import make_policy
from sailplan.progress import show_progress


def evaluate(
    data: Annotated[
        list[str], typer.Option(help="A folder of worlds, a .scen or .npz file, or a family to generate; repeatable.")
    ],
    policies: Annotated[str, typer.Option(help="Names, model files or run folders, separated by commas.")],
    split: Annotated[str | None, typer.Option(help="train, validation, test or all; default test, or all.")] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Only the first so many worlds of each family.")] = None,
    skip: Annotated[int, typer.Option(min=0, help="Leave out the first so many worlds of each family.")] = 0,
    seed: Annotated[int, typer.Option(min=0, help="Seed of generated worlds and random endpoints.")] = 0,
    size: Annotated[int, typer.Option(min=2, help="Width and height of generated worlds.")] = 201,
    endpoints: Annotated[Endpoints, typer.Option(help="Search between corners or random cells.")] = "corners",
    max_expansions: Annotated[int, typer.Option(min=0, help="Give up after so many expansions.")] = 20_000,
    unlimited: Annotated[bool, typer.Option("--unlimited", help="Never give up.")] = False,
    jobs: Annotated[int, typer.Option(min=1, help="Threads; with more than one, times count for less.")] = 1,
    out: Annotated[Path | None, typer.Option(help="Write a record of every search here, as CSV.")] = None,
    as_json: Json = False,
) -> None:
    """Run policies on worlds and print a table."""
    choice = Choice(split, limit, seed, size, endpoints, skip)
    task_sets = [task_set for name in data for task_set in load_tasks(name, choice)]
    limits = Limits() if unlimited else Limits(expansions=max_expansions)
    records = benchmark(split_names(policies), task_sets, limits, jobs)
    if out is not None:
        write_records(records, out)
    summaries = summarise(records)
    if as_json:
        typer.echo(json.dumps(as_objects(summaries)))
        return
    print_tables(summaries)
    if out is not None:
        typer.echo(f"records in {out}")


def benchmark(names: list[str], task_sets: list[TaskSet], limits: Limits = PAPER_LIMITS, jobs: int = 1) -> list[Record]:
    """Run the benchmark with a progress bar, and a note where a belief does not fit a family."""
    policies = {name: make_policy(name) for name in names}
    records: list[Record] = []
    with show_progress("searching", sum(len(one.tasks) for one in task_sets)) as step:
        for one in task_sets:
            heard: list[BeliefWarning] = []
            with belief_warnings_to(heard.append):
                records += run_benchmark(policies, [one], limits, jobs=jobs, on_task=step)
            tell_of_family(one.family, len(one.tasks), heard)
    return records


def print_tables(summaries: list[Summary]) -> None:
    """Print the table of each family, and how the listed costs were met."""
    console = Console()
    for sheet in family_sheets(summaries):
        console.print(rich_table(sheet))
        console.print()
    console.print(EXPLANATION, style="dim")
    for one in summaries:
        if one.listed_costs:
            met = f"{one.listed_costs_met} of {one.listed_costs}"
            console.print(f"{one.family}: {one.policy} found the listed cost in {met} solved")
