"""Options that several commands share, and how their words are read."""

from __future__ import annotations

from typing import Annotated

import typer

from sailplan.graphs.grid.world import Cell


def parse_cell(option: str, text: str | None) -> Cell | None:
    """Read a cell written X,Y."""
    if text is None:
        return None
    try:
        x, y = (int(number) for number in text.split(","))
    except ValueError as error:
        raise typer.BadParameter(f"{option} is a cell written X,Y, for example 10,20, not {text!r}") from error
    return x, y


def split_names(text: str) -> list[str]:
    """Read names separated by commas."""
    names = [name.strip() for name in text.split(",") if name.strip()]
    if not names:
        raise typer.BadParameter("name at least one")
    return names


Json = Annotated[bool, typer.Option("--json", help="Print JSON and nothing else.")]
