"""`sailplan worlds`: make worlds and look at them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from sailplan.cli.options import Json
from sailplan.cli.progress import progress

worlds = typer.Typer(help="Make worlds and look at them.", no_args_is_help=True)


@worlds.command()
def generate(
    family: Annotated[str, typer.Argument(help="The family: forest, mazes, single_bugtrap, ...")],
    out: Annotated[Path, typer.Option(help="Folder to write N.png into.")],
    count: Annotated[int, typer.Option(min=1, help="How many worlds.")] = 10,
    seed: Annotated[int, typer.Option(min=0, help="Same seed, same worlds.")] = 0,
    width: Annotated[int, typer.Option(min=1, help="Cells across.")] = 201,
    height: Annotated[int, typer.Option(min=1, help="Cells up.")] = 201,
) -> None:
    """Draw worlds of a family and write them as PNG files."""
    from sailplan.datasets import GeneratedWorlds, write_png

    drawn = GeneratedWorlds(family, count, seed, width, height)
    with progress(f"drawing {family}", count) as step:
        for index, world in enumerate(drawn):
            write_png(world, out / f"{index}.png")
            step()
    typer.echo(f"{count} worlds of {family} in {out}")


@worlds.command()
def show(
    path: Annotated[Path, typer.Argument(help="A PNG, MovingAI .map or ROS .yaml file.")],
    png: Annotated[Path | None, typer.Option(help="Write a picture of the world here.")] = None,
    as_json: Json = False,
) -> None:
    """Say what is in a world, and draw it."""
    from sailplan.datasets import read_world
    from sailplan.evaluation.pictures import draw_world, write_picture

    world = read_world(path)
    if png is not None:
        write_picture(draw_world(world), png)
    facts = {
        "name": world.name,
        "width": world.width,
        "height": world.height,
        "blocked": round(float(world.blocked.mean()), 4),
        "resolution": world.resolution,
        "origin": world.origin,
        "png": None if png is None else str(png),
    }
    if as_json:
        typer.echo(json.dumps(facts))
    else:
        typer.echo("\n".join(f"{name:10} {value}" for name, value in facts.items() if value is not None))
