"""`sailplan policies`: list the built-in and pretrained policies."""

from __future__ import annotations

import json

import typer
from rich.console import Console
from rich.table import Table

from sailplan.cli.options import Json


def policies(as_json: Json = False) -> None:
    """List the values of --policy and --policies."""
    from sailplan.policies import CATALOGUE, PRETRAINED

    built_in = {name: entry.summary for name, entry in CATALOGUE.items()}
    kinds = {
        "sail": "SaIL",
        "lazy-sail": "SaIL for few edge evaluations",
        "belief": "replanning with a belief",
        "lazy-belief": "lazy search with a belief",
    }
    pretrained = {}
    for name in PRETRAINED:
        algorithm, _, family = name.partition(":")
        worlds = "worlds of all families and others" if family == "any" else f"generated {family} worlds"
        pretrained[name] = f"{kinds[algorithm]}, trained on {worlds}"
    summaries = {**built_in, **pretrained}
    if as_json:
        typer.echo(json.dumps([{"policy": name, "summary": summary} for name, summary in summaries.items()]))
        return
    table = Table("policy", "what it does")
    for name, summary in summaries.items():
        table.add_row(name, summary)
    Console().print(table)
    typer.echo("A model file or the run folder of a training (sailplan train) is a policy too.")
