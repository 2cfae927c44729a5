"""`sailplan reproduce`: the paper's table and figures."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Literal

import typer
from rich.console import Console

from sailplan.cli.main import on_cluster
from sailplan.cli.options import MOST_JOBS, OUTPUT, TRAINING, WORLDS, ClusterAddress, Json, split_names
from sailplan.datasets import FAMILIES
from sailplan.evaluation.terminal import rich_table
from sailplan.experiments import reproduce as experiments
from sailplan.experiments.reproduce import PAGE
from sailplan.experiments.reproduction import Part, Reproduction
from sailplan.experiments.systems import SYSTEMS
from sailplan.parallel import show_progress

What = Literal["table", "snapshots", "adaptation", "convergence", "all"]


def reproduce(
    what: Annotated[What, typer.Argument(metavar="WHAT", help="A part of the paper, or all of it and a page.")],
    data: Annotated[
        Path | None,
        typer.Option(
            help="A folder per family in it, each with train/ validation/ test/; default: generated.",
            rich_help_panel=WORLDS,
        ),
    ] = None,
    split: Annotated[
        str, typer.Option(help="The worlds that are reported: train, validation or test.", rich_help_panel=WORLDS)
    ] = "test",
    out: Annotated[
        Path, typer.Option(help="Folder for runs, records, tables and figures.", rich_help_panel=OUTPUT)
    ] = Path("reproduction"),
    families: Annotated[
        str, typer.Option(show_default="all", help="Names separated by commas.", rich_help_panel=WORLDS)
    ] = ",".join(FAMILIES),
    seed: Annotated[int, typer.Option(min=0, help="Seed of the trainings.", rich_help_panel=TRAINING)] = 0,
    jobs: Annotated[
        int,
        typer.Option(
            min=1, max=MOST_JOBS, help="Trainings at a time, each in its own process.", rich_help_panel=TRAINING
        ),
    ] = 2,
    quick: Annotated[
        bool, typer.Option("--quick", help="Small settings, not the paper's: a few minutes.", rich_help_panel=TRAINING)
    ] = False,
    cluster: ClusterAddress = None,
    as_json: Json = False,
) -> None:
    """Reproduce the paper. Finished results in the folder are used, and unfinished trainings are continued.

    Example:
      sailplan reproduce table --quick --out quick
    """
    names = tuple(dict.fromkeys(split_names(families)))
    asked = Reproduction(out, data, split, names, seed, jobs, quick, SYSTEMS)
    with on_cluster(cluster):
        if what == "all":
            parts = experiments.reproduce_all(asked, show_progress)
        else:
            parts = experiments.reproduce(asked, [what], show_progress)
    if as_json:
        numbers = {name: part.numbers for name, part in parts.items()}
        typer.echo(json.dumps(numbers if what == "all" else numbers[what]))
        return
    for part in parts.values():
        _print(part)
    files = [*(file for part in parts.values() for file in part.files), *([out / PAGE] if what == "all" else [])]
    typer.echo(f"{asked.label}: {', '.join(map(str, files))}")


def _print(part: Part) -> None:
    """Print the tables of a part and its remarks; the first table is only for wide pages."""
    console = Console()
    for sheet in part.sheets[1:]:
        console.print(rich_table(sheet))
        console.print()
    for line in part.notes:
        console.print(line, style="dim", markup=False, highlight=False)
