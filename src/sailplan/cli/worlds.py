"""`sailplan worlds`: generate worlds and show them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from sailplan.cli.help import Command, CommandGroup
from sailplan.cli.options import Json
from sailplan.graphs.grid.world import Unknown
from sailplan.parallel import show_progress

worlds = typer.Typer(cls=CommandGroup, no_args_is_help=True)


@worlds.callback()
def about() -> None:
    """Generate worlds and show them.

    Example:
      sailplan worlds generate mazes --count 60 --out my_maps
    """


@worlds.command(cls=Command)
def generate(
    family: Annotated[str, typer.Argument(metavar="FAMILY", help="The family: forest, mazes, single_bugtrap, ...")],
    out: Annotated[Path, typer.Option(help="Folder to write N.png into.")],
    count: Annotated[int, typer.Option(min=1, help="Number of worlds.")] = 10,
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same worlds.")] = 0,
    width: Annotated[int, typer.Option(min=1, help="Number of columns.")] = 201,
    height: Annotated[int, typer.Option(min=1, help="Number of rows.")] = 201,
) -> None:
    """Generate worlds of a family and write them as PNG files.

    Example:
      sailplan worlds generate mazes --count 60 --out my_maps
    """
    from sailplan.datasets import GeneratedWorlds, write_png

    drawn = GeneratedWorlds(family, count, seed, width, height)
    with show_progress(f"drawing {family}", count) as step:
        for index, world in enumerate(drawn):
            write_png(world, out / f"{index}.png")
            step()
    typer.echo(f"{count} worlds of {family} in {out}")


@worlds.command(cls=Command)
def show(
    path: Annotated[Path, typer.Argument(metavar="MAP", help="An image, a MovingAI .map or a ROS .yaml file.")],
    png: Annotated[Path | None, typer.Option(help="Write a picture of the world.")] = None,
    unknown: Annotated[Unknown, typer.Option(help="What unknown cells (gray 205) count as.")] = "blocked",
    as_json: Json = False,
) -> None:
    """Print the size and the contents of a map, and draw it.

    Example:
      sailplan worlds show floor.yaml --png floor.png
    """
    from sailplan.datasets import read_world
    from sailplan.graphs.grid.pictures import draw_world, write_picture

    world = read_world(path, unknown=unknown)
    if png is not None:
        write_picture(draw_world(world), png)
    facts = {
        "name": world.name,
        "width": world.width,
        "height": world.height,
        "blocked": round(float(world.blocked.mean()), 4),
        "unknown_cells": world.unknown_cells,
        "resolution": world.resolution,
        "origin": world.origin,
        "png": None if png is None else str(png),
    }
    if as_json:
        typer.echo(json.dumps(facts))
    else:
        typer.echo("\n".join(f"{name:13} {value}" for name, value in facts.items() if value is not None))
