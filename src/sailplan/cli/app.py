"""The command line: all commands."""

from __future__ import annotations

from typing import Annotated

import typer

from sailplan import __version__
from sailplan.cli.demo import demo
from sailplan.cli.evaluate import evaluate
from sailplan.cli.plan import plan
from sailplan.cli.policies import policies
from sailplan.cli.report import report
from sailplan.cli.reproduce import reproduce
from sailplan.cli.train import train
from sailplan.cli.worlds import worlds

app = typer.Typer(
    name="sailplan",
    help="Search for paths when evaluating edges is expensive.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.command()(plan)
app.command()(train)
app.command()(evaluate)
app.command()(report)
app.command()(policies)
app.command()(demo)
app.command()(reproduce)
app.add_typer(worlds, name="worlds")


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"sailplan {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Search for paths when evaluating edges is expensive.

    Example: sailplan plan floor.png --start 3,4 --goal 180,190 --png search.png
    """
