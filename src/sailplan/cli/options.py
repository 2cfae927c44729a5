"""Options that several commands share, and how their values are read."""

from __future__ import annotations

from typing import Annotated

import typer

SEARCH, LIMITS, OUTPUT = "Search", "Limits", "Output"
MAP, WORLDS, TRAINING = "Map and robot", "Worlds", "Training"
SPACE, ARM, SAMPLES, WORKERS = "Box", "Arm", "Samples", "Workers"
"""Titles of the groups of options in the help."""


MOST_JOBS = 512
"""Largest number of threads or processes; a system refuses to start many more."""


def parse_point(option: str, text: str, *, metres: bool = False) -> tuple[float, float]:
    """Read a cell written X,Y or, in metres, a point."""
    number = float if metres else int
    what = "a point in metres written X,Y, for example 1.5,2" if metres else "a cell written X,Y, for example 10,20"
    try:
        x, y = (number(part) for part in text.split(","))
    except ValueError as error:
        advice = "" if metres or "." not in text else "; for metres add --metres"
        raise typer.BadParameter(f"{option} is {what}, not {text!r}{advice}") from error
    return x, y


def split_names(text: str) -> list[str]:
    """Read names separated by commas."""
    names = [name.strip() for name in text.split(",") if name.strip()]
    if not names:
        raise typer.BadParameter("give at least one name")
    return names


Json = Annotated[bool, typer.Option("--json", help="Print JSON and nothing else.", rich_help_panel=OUTPUT)]
ClusterAddress = Annotated[
    str | None,
    typer.Option(
        "--cluster",
        metavar="ADDRESS",
        help="Run on a Dask cluster: the address of its scheduler, or local:N for N processes here.",
        rich_help_panel=WORKERS,
    ),
]
