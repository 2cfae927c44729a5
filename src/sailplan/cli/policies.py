"""`sailplan policies`: list the built-in and pretrained policies."""

from __future__ import annotations

import json
from collections.abc import Iterable

import typer
from rich.console import Console
from rich.padding import Padding
from rich.table import Table

from sailplan.cli.options import Json
from sailplan.policies.catalogue import PRETRAINED, PRETRAINED_KINDS, PolicyGroup, policy_groups

_NAME_WIDTH = 18
"""Width of the column with the names, in characters."""


def policies(as_json: Json = False) -> None:
    """List the values of --policy and --policies, in groups, with advice on when to use them.

    Example:
      sailplan policies
    """
    if as_json:
        rows = [(group.name, *policy) for group in policy_groups() for policy in group.policies]
        typer.echo(json.dumps([{"policy": name, "summary": text, "group": group} for group, name, text in rows]))
        return
    console = Console(highlight=False)
    for group in policy_groups():
        console.print(f"[bold]{group.title}[/bold]")
        console.print(group.guidance, style="dim", markup=False)
        console.print(Padding(_table(_rows(group)), (0, 0, 1, 2)))
    console.print(_families(), markup=False)
    console.print("A model file, or the run folder of sailplan train, is a policy too.", markup=False)


def _rows(group: PolicyGroup) -> Iterable[tuple[str, str]]:
    """The names and summaries of a group; the pretrained policies as one row for each algorithm."""
    if group.name == "pretrained":
        return ((f"{kind}:FAMILY", text) for kind, text in PRETRAINED_KINDS.items())
    return group.policies


def _table(rows: Iterable[tuple[str, str]]) -> Table:
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(min_width=_NAME_WIDTH, no_wrap=True)
    table.add_column()
    for name, summary in rows:
        table.add_row(name, summary)
    return table


def _families() -> str:
    """What FAMILY stands for."""
    found = dict.fromkeys(name.partition(":")[2] for name in PRETRAINED)
    families = ", ".join(family for family in found if family != "any")
    return (
        f"FAMILY is the kind of maps: {families}. sail:any knows all kinds. belief and lazy-belief need the size, "
        "start and goal of the paper; the others support any."
    )
