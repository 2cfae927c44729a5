"""`sailplan evaluate`: policies side by side on many worlds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from sailplan.cli.main import on_cluster, tell
from sailplan.cli.options import (
    LIMITS,
    MOST_JOBS,
    OUTPUT,
    SEARCH,
    WORLDS,
    ClusterAddress,
    Json,
    split_names,
)
from sailplan.core import Limits
from sailplan.datasets.scenario import Endpoints
from sailplan.evaluation.evaluate import evaluate as run
from sailplan.evaluation.records import write_records
from sailplan.evaluation.tables import as_objects


def evaluate(
    data: Annotated[
        list[str],
        typer.Option(
            help="A folder of worlds, a .scen or .npz file, or a family to generate; repeatable.",
            rich_help_panel=WORLDS,
        ),
    ],
    policies: Annotated[
        str, typer.Option(help="Names, model files or run folders, separated by commas.", rich_help_panel=SEARCH)
    ],
    split: Annotated[
        str | None, typer.Option(help="train, validation, test or all; default test, or all.", rich_help_panel=WORLDS)
    ] = None,
    limit: Annotated[
        int | None, typer.Option(min=1, help="Use at most so many worlds of each family.", rich_help_panel=WORLDS)
    ] = None,
    skip: Annotated[
        int, typer.Option(min=0, help="Leave out the first so many worlds of each family.", rich_help_panel=WORLDS)
    ] = 0,
    seed: Annotated[
        int, typer.Option(min=0, help="Seed of generated worlds and random endpoints.", rich_help_panel=WORLDS)
    ] = 0,
    size: Annotated[
        int, typer.Option(min=2, help="Width and height of generated worlds.", rich_help_panel=WORLDS)
    ] = 201,
    endpoints: Annotated[
        Endpoints,
        typer.Option(
            help="Search between corners or random cells; auto: random where a corner is blocked.",
            rich_help_panel=WORLDS,
        ),
    ] = "auto",
    max_expansions: Annotated[
        int, typer.Option(min=0, help="Give up after so many expansions.", rich_help_panel=LIMITS)
    ] = 20_000,
    max_evaluations: Annotated[
        int | None, typer.Option(min=0, help="Give up after so many edge evaluations.", rich_help_panel=LIMITS)
    ] = None,
    unlimited: Annotated[bool, typer.Option("--unlimited", help="Never give up.", rich_help_panel=LIMITS)] = False,
    jobs: Annotated[
        int,
        typer.Option(
            min=1, max=MOST_JOBS, help="Threads; with more than one, times are less exact.", rich_help_panel=SEARCH
        ),
    ] = 1,
    cluster: ClusterAddress = None,
    out: Annotated[
        Path | None, typer.Option(help="Write a record of every search here, as CSV.", rich_help_panel=OUTPUT)
    ] = None,
    as_json: Json = False,
) -> None:
    """Run policies on worlds and print a table.

    Example:
      sailplan evaluate --data mazes --limit 20 --policies lazy,a_star,oracle
    """
    with on_cluster(cluster):
        evaluation = run(
            data,
            split_names(policies),
            split=split,
            limit=limit,
            skip=skip,
            seed=seed,
            size=size,
            endpoints=endpoints,
            limits=Limits() if unlimited else Limits(expansions=max_expansions, evaluations=max_evaluations),
            jobs=jobs,
        )
    for line in evaluation.notes:
        tell(line)
    if out is not None:
        write_records(evaluation.records, out)
    if as_json:
        typer.echo(json.dumps(as_objects(evaluation.summaries)))
        return
    Console().print(evaluation)
    if out is not None:
        typer.echo(f"records in {out}")
