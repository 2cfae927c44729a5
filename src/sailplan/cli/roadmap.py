"""`sailplan roadmap`: sample roadmaps, and record which of their edges are valid in many worlds."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import numpy as np
import typer

from sailplan.cli.help import Command, CommandGroup
from sailplan.cli.main import on_cluster
from sailplan.cli.options import ARM, OUTPUT, SAMPLES, SPACE, WORLDS, ClusterAddress, Json
from sailplan.core.graph import FloatArray
from sailplan.errors import SailplanError
from sailplan.parallel import show_progress

if TYPE_CHECKING:
    from sailplan.graphs import Roadmap, RoadmapGraph
    from sailplan.robots import ArmProblem, SphereRobot

roadmap = typer.Typer(cls=CommandGroup, no_args_is_help=True)

Urdf = Annotated[Path | None, typer.Option(help="An arm as spheres: its URDF.", rich_help_panel=ARM)]
Srdf = Annotated[Path | None, typer.Option(help="Its SRDF.", rich_help_panel=ARM)]
Group = Annotated[str | None, typer.Option(help="The group of joints in the SRDF.", rich_help_panel=ARM)]


@roadmap.callback()
def about() -> None:
    """Sample roadmaps, and record their edges in many worlds.

    Example:
      sailplan roadmap sample --lower 0,0 --upper 200,200 --out roadmap.npz
    """


@roadmap.command(cls=Command)
def sample(
    out: Annotated[Path, typer.Option(help="The .npz file to write.", rich_help_panel=OUTPUT)],
    lower: Annotated[
        str | None, typer.Option(help="Lower limits, separated by commas, for example 0,0.", rich_help_panel=SPACE)
    ] = None,
    upper: Annotated[
        str | None, typer.Option(help="Upper limits, separated by commas, for example 200,200.", rich_help_panel=SPACE)
    ] = None,
    urdf: Urdf = None,
    srdf: Srdf = None,
    group: Group = None,
    count: Annotated[int, typer.Option(min=1, help="Number of vertices.", rich_help_panel=SAMPLES)] = 1000,
    neighbours: Annotated[
        int | None, typer.Option(min=1, help="Neighbours of a vertex; default: as PRM*.", rich_help_panel=SAMPLES)
    ] = None,
    random: Annotated[
        bool, typer.Option("--random", help="Random samples instead of a Halton sequence.", rich_help_panel=SAMPLES)
    ] = False,
    seed: Annotated[
        int, typer.Option(min=0, help="The same seed gives the same roadmap.", rich_help_panel=SAMPLES)
    ] = 0,
) -> None:
    """Sample a roadmap in a box, or in the joint space of an arm without self-collisions.

    Example:
      sailplan roadmap sample --lower 0,0 --upper 200,200 --out roadmap.npz
    """
    from sailplan.graphs import Roadmap

    sampler = "random" if random else "halton"
    if urdf is not None:
        robot = _robot(urdf, srdf, group)
        made = Roadmap.sample(
            *robot.joint_limits,
            count,
            sampler=sampler,
            seed=seed,
            neighbours=neighbours,
            wraps=robot.continuous,
            valid=robot.valid,
            names=robot.joint_names,
            robot=robot.model.name,
        )
    elif lower is None or upper is None:
        raise typer.BadParameter("give --lower and --upper, or --urdf, --srdf and --group")
    else:
        limits = _numbers("--lower", lower), _numbers("--upper", upper)
        made = Roadmap.sample(*limits, count, sampler=sampler, seed=seed, neighbours=neighbours)
    made.save(out)
    typer.echo(f"{made.vertex_count} vertices and {made.edge_count} edges in {out}")


@roadmap.command(cls=Command)
def record(
    file: Annotated[Path, typer.Argument(metavar="ROADMAP", help="A roadmap that `sample` wrote.")],
    data: Annotated[
        str,
        typer.Option(
            help="A folder of maps or a family to generate; with --urdf, arm problems.", rich_help_panel=WORLDS
        ),
    ],
    out: Annotated[Path, typer.Option(help="The .npz file to write.", rich_help_panel=OUTPUT)],
    start: Annotated[
        str | None, typer.Option(help="The start in all worlds, joined to the roadmap.", rich_help_panel=WORLDS)
    ] = None,
    goal: Annotated[str | None, typer.Option(help="The goal in all worlds.", rich_help_panel=WORLDS)] = None,
    urdf: Urdf = None,
    srdf: Srdf = None,
    group: Group = None,
    split: Annotated[
        str | None, typer.Option(help="train, validation, test or all; default all.", rich_help_panel=WORLDS)
    ] = None,
    limit: Annotated[
        int | None, typer.Option(min=1, help="At most so many worlds of each family.", rich_help_panel=WORLDS)
    ] = None,
    radius: Annotated[
        float, typer.Option(min=0.0, help="Radius of a round robot on maps, in cells.", rich_help_panel=WORLDS)
    ] = 0.0,
    resolution: Annotated[
        float | None, typer.Option(help="Largest distance of checks along an edge.", rich_help_panel=WORLDS)
    ] = None,
    seed: Annotated[
        int,
        typer.Option(min=0, help="Seed of generated worlds, and of random starts and goals.", rich_help_panel=WORLDS),
    ] = 0,
    cluster: ClusterAddress = None,
    as_json: Json = False,
) -> None:
    """Check every edge of a roadmap in each world, and write the results for `train` and `evaluate`.

    Without --start and --goal they are random vertices of the roadmap; of arm problems, the nearest ones.

    Example:
      sailplan roadmap record roadmap.npz --data mazes --out worlds.npz
    """
    from sailplan.datasets import record_worlds, write_edge_worlds
    from sailplan.graphs import Roadmap

    given = Roadmap.load(file)
    if (start is None) != (goal is None):
        raise typer.BadParameter("give both --start and --goal, or neither")
    if start is not None and goal is not None:
        given = given.connect(_numbers("--start", start), _numbers("--goal", goal))
    if urdf is not None:
        robot = _robot(urdf, srdf, group)
        problems = _problems(robot, data, limit)
        starts, goals = (_nearest(given, [getattr(one, role) for one in problems]) for role in ("start", "goal"))
        graphs, count = _in_scenes(given, robot, problems), len(problems)
    else:
        tasks = _map_tasks(data, split, limit, seed)
        count = len(tasks)
        graphs = _on_maps(given, tasks, radius, resolution)
        rng = np.random.default_rng(seed)
        starts, goals = (rng.integers(given.vertex_count, size=count).tolist() for _ in range(2))
    if start is not None:
        starts, goals = [given.vertex_count - 2] * count, [given.vertex_count - 1] * count
    with on_cluster(cluster), show_progress("recording", count) as step:
        worlds = record_worlds(graphs, starts, goals, name=out.stem, on_world=step)
    write_edge_worlds(worlds, out)
    valid = float(np.mean([worlds.valid(world).mean() for world in range(count)]))
    facts = {"worlds": count, "vertices": given.vertex_count, "edges": given.edge_count, "valid": round(valid, 4)}
    facts["train"], facts["validation"] = worlds.sizes
    typer.echo(json.dumps({**facts, "out": str(out)}) if as_json else f"{_sentence(facts)} in {out}")


def _sentence(facts: dict[str, float]) -> str:
    return f"{facts['edges']} edges in {facts['worlds']} worlds, {facts['valid']:.0%} valid,"


def _numbers(option: str, text: str) -> list[float]:
    try:
        return [float(part) for part in text.split(",")]
    except ValueError as error:
        raise typer.BadParameter(f"{option} is numbers separated by commas, not {text!r}") from error


def _robot(urdf: Path, srdf: Path | None, group: str | None) -> SphereRobot:
    from sailplan.robots import SphereRobot

    if srdf is None or group is None:
        raise typer.BadParameter("--urdf needs --srdf and --group")
    return SphereRobot.from_files(urdf, srdf, group=group)


def _problems(robot: SphereRobot, data: str, limit: int | None) -> list[ArmProblem]:
    from sailplan.robots import read_problems

    problems = read_problems(data, robot.joint_names, limit=limit)
    if not problems:
        raise SailplanError(f"{data}: no problem in it")
    return problems


def _in_scenes(given: Roadmap, robot: SphereRobot, problems: list[ArmProblem]) -> Iterator[RoadmapGraph]:
    for problem in problems:
        yield given.graph(robot.in_scene(problem.scene))


def _map_tasks(data: str, split: str | None, limit: int | None, seed: int) -> list[object]:
    from sailplan.datasets.tasks import Choice, Task, load_tasks

    tasks = [task for one in load_tasks(data, Choice(split, limit, seed)) for task in one.tasks]
    if not all(isinstance(task, Task) for task in tasks):
        raise SailplanError(f"{data}: a roadmap is recorded on maps")
    return list(tasks)


def _on_maps(given: Roadmap, tasks: list[object], radius: float, resolution: float | None) -> Iterator[RoadmapGraph]:
    from sailplan.datasets import MapChecker
    from sailplan.datasets.tasks import Task

    if given.space.dimensions != 2:
        raise SailplanError(
            f"a roadmap of {given.space.dimensions} dimensions: on maps it must have 2, x and y in cells"
        )
    for task in tasks:
        assert isinstance(task, Task)
        world = task.scenario.world.inflated(radius) if radius else task.scenario.world
        yield given.graph(MapChecker(world), resolution=resolution or 0.5)


def _nearest(given: Roadmap, configurations: list[FloatArray]) -> list[int]:
    """Return the vertex of a roadmap that is nearest to each configuration."""
    return [int(given.space.distance(given.coordinates, one).argmin()) for one in configurations]
