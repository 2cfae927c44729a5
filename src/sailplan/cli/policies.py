"""`sailplan policies`: what is built in."""

from __future__ import annotations

import json

import typer
from rich.console import Console
from rich.table import Table

from sailplan.cli.options import Json


def policies(as_json: Json = False) -> None:
    """List the policies that --policy and --policies take."""
    from sailplan.policies import CATALOGUE

    if as_json:
        typer.echo(json.dumps([{"policy": name, "summary": entry.summary} for name, entry in CATALOGUE.items()]))
        return
    table = Table("policy", "what it does")
    for name, entry in CATALOGUE.items():
        table.add_row(name, entry.summary)
    Console().print(table)
